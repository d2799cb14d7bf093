/** Rows about the commands that walk DAGs, about whole stores, and about CIDs themselves. */
import { keyStream } from "../../suite/content.ts"
import { linesOf } from "../askNode.ts"
import { call, type Given, type Row } from "../comparedRow.ts"

const CONTENT = keyStream("kubo/walks", 600_000)

/** Adds a tree with a repeated file, and data that links to it. */
const setUp = async ({ ask }: Given): Promise<Readonly<Record<string, string>>> => {
  const parts = [
    { body: CONTENT, name: "d/file" },
    { body: "walks/small", name: "d/in/small.txt" },
    { body: "walks/small", name: "d/same.txt" }
  ]
  const added = linesOf((await ask("add?pin=false", { parts })).body)
  const hashOf = (name: string): string => added.find(({ Name }) => Name === name).Hash
  const inlined = linesOf((await ask("add?pin=false&inline=true", { parts })).body)
  const data = JSON.stringify({ to: { "/": hashOf("d/in/small.txt") }, list: [1, { "/": hashOf("d") }], n: { m: 1 } })
  const [put] = linesOf((await ask("dag/put?pin=false", { parts: [{ body: data }] })).body)
  return {
    DIR: hashOf("d"),
    FILE: hashOf("d/file"),
    SMALL: hashOf("d/in/small.txt"),
    INLINE: inlined.find(({ Name }) => Name === "d").Hash,
    CBOR: put.Cid["/"]
  }
}

const NEVER = "bafkreidc5ozhd62hr2r3u6lrhdhfl3mrsrlvvg35zwqbn3kvfjh6e4vvvu"

const WALKS = [
  "refs?arg=DIR",
  "refs?arg=SMALL",
  "refs?arg=DIR&recursive=true",
  "refs?arg=DIR&r=true&unique=true",
  "refs?arg=DIR&recursive=true&max-depth=2",
  "refs?arg=DIR&recursive=true&max-depth=0",
  "refs?arg=DIR&recursive=true&max-depth=1&unique=true",
  "refs?arg=DIR&edges=true",
  "refs?arg=DIR&edges=true&format=<dst>-",
  "refs?arg=DIR&format=<src>%20<dst>%20<linkname>%20<dst>",
  "refs?arg=DIR&format=",
  "refs?arg=DIR&cid-base=base16",
  "refs?arg=DIR&arg=FILE",
  "refs?arg=DIR/in",
  "refs?arg=DIR/none",
  "refs?arg=CBOR",
  "refs?arg=CBOR&recursive=true",
  "refs?arg=CBOR/n",
  "refs?arg=CBOR/n/m",
  `refs?arg=${NEVER}`,
  `refs?arg=DIR&arg=${NEVER}`,
  "refs?arg=nonsense",
  "refs",
  "refs?arg=INLINE&recursive=true",
  "refs?arg=ipfs://DIR/in",
  "resolve?arg=DIR",
  "resolve?arg=/ipfs/DIR/in/small.txt",
  "resolve?arg=ipfs://DIR/in",
  "resolve?arg=DIR/none",
  "resolve?arg=CBOR/to",
  "resolve?arg=CBOR/list/1/in",
  "resolve?arg=CBOR/n/m",
  "resolve?arg=DIR&cid-base=base36",
  "resolve?arg=nonsense",
  "resolve",
  `resolve?arg=${NEVER}`,
  "dag/stat?arg=DIR",
  "dag/stat?arg=DIR&progress=false",
  "dag/stat?arg=DIR&arg=CBOR&progress=false",
  "dag/stat?arg=DIR&arg=DIR/in&progress=false",
  "dag/stat?arg=FILE&arg=SMALL",
  "dag/stat?arg=INLINE&progress=false",
  "dag/stat?arg=CBOR/n",
  "dag/stat?arg=DIR&progress=false&cid-base=base32",
  `dag/stat?arg=${NEVER}`,
  "dag/stat?arg=nonsense",
  "dag/stat",
  "dag/export?arg=INLINE",
  "pin/verify?verbose=true&quiet=true",
  `block/rm?arg=${NEVER}`,
  `block/rm?arg=${NEVER}&force=true`,
  `block/rm?arg=${NEVER}&force=true&quiet=true`,
  "block/rm?arg=nonsense",
  "block/rm"
].map((path): Row => ({
  name: `walk: ${path}`,
  run: async (given) => {
    const cids = await setUp(given)
    return given.see(path.replaceAll(/\b(?:DIR|FILE|SMALL|INLINE|CBOR)\b/gu, (name) => cids[name]!))
  }
}))

/** Returns the lines of an answer that are about these CIDs, sorted, because a node has other content too. */
const linesAbout = async ({ ask }: Given, path: string, cids: ReadonlyArray<string>): Promise<unknown> => {
  const { body, headers, status } = await ask(path)
  const lines = linesOf(body).filter((line) => cids.some((cid) => JSON.stringify(line).includes(cid)))
  return { status, type: headers["content-type"], lines: lines.map((line) => JSON.stringify(line)).toSorted() }
}

const pinned = async ({ ask }: Given, text: string): Promise<readonly [leaf: string, root: string]> => {
  const parts = [{ body: `kubo/walks/${text}`, name: "d/f" }]
  const [leaf, root] = linesOf((await ask("add?cid-version=1", { parts })).body)
  return [leaf.Hash, root.Hash]
}

const stores: ReadonlyArray<Row> = [
  {
    name: "pin/verify: pins that are complete",
    run: async (given) => {
      const [, root] = await pinned(given, "verify")
      return [await linesAbout(given, "pin/verify", [root]), await linesAbout(given, "pin/verify?verbose=true", [root])]
    }
  },
  {
    name: "refs/local: the blocks of a pin",
    run: async (given) => linesAbout(given, "refs/local", [(await pinned(given, "local"))[0]])
  },
  {
    name: "block/rm: blocks that are pinned",
    run: async (given) => {
      const [leaf, root] = await pinned(given, "removed")
      return [await given.see(`block/rm?arg=${root}`), await given.see(`block/rm?arg=${leaf}&force=true`)]
    }
  },
  {
    name: "block/rm: a block that is not pinned",
    run: async ({ ask, see }) => {
      const [put] = linesOf((await ask("block/put", { parts: [{ body: "kubo/walks/unpinned" }] })).body)
      return see(`block/rm?arg=${put.Key}`)
    }
  },
  ...["repo/stat", "repo/stat?size-only=true"].map((path): Row => ({
    name: path,
    run: async ({ ask }) => {
      const { body, status } = await ask(path)
      const { NumObjects, RepoPath, RepoSize, StorageMax, Version, ...others } = linesOf(body)[0]
      const types = [NumObjects, RepoSize, StorageMax].map((value) => typeof value)
      return { status, types, isSome: NumObjects > 0, path: typeof RepoPath, Version, others }
    }
  }))
]

const CIDS = {
  v0: "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH",
  v1: "bafybeif7ztnhq65lumvvtr4ekcwd2ifwgm3awq4zfr3srh462rwyinlb4y",
  raw: "zb2rhe5P4gXftAwvA4eXQ5HJwsER2owDyS9sKaQRRVQPn93bA",
  inlined: "bafkqaaqha4",
  blake: "bafk2bzaceaqcxw46uzkyd2jmczoogof6pnkqt4dpiv3pwkunsv4g5rkkmecie",
  key: "bafzaajaiaejcb6s4x6lwnrxpgtz5lqzz5ss7o7qyrvlrjzlcrrqjyevgf4ihsbpe",
  none: "nonsense"
}

const cids: ReadonlyArray<Row> = [
  ...Object.entries(CIDS).flatMap(([what, cid]) => [
    call(`cid/inspect of ${what}`, `cid/inspect?arg=${cid}`),
    call(`cid/base32 of ${what}`, `cid/base32?arg=${cid}`),
    ...[
      "",
      "v=0",
      "v=1",
      "b=base16",
      "b=u",
      "mc=dag-cbor",
      "v=0&b=base58btc",
      "f=%25b%20%25B%20%25v%20%25V%20%25c%20%25C%20%25h%20%25H%20%25L%20%25%25",
      "f=%25m%20%25M%20%25d%20%25D%20%25s%20%25S%20%25P"
    ].map((options) => call(`cid/format of ${what}: ${options || "no option"}`, `cid/format?arg=${cid}&${options}`))
  ]),
  call("cid/format of two", `cid/format?arg=${CIDS.v0}&arg=${CIDS.none}&arg=${CIDS.raw}&v=1`),
  ...["f=x", "f=%25x", "f=%25", "v=2", "mc=nonsense", "v=0&mc=raw", "v=0&b=base32", "b=nonsense"].map((options) =>
    call(`cid/format with ${options}`, `cid/format?arg=${CIDS.v1}&${options}`)
  ),
  call("cid/format of nothing", "cid/format"),
  ...["cid/bases", "cid/codecs", "cid/codecs?supported=true", "cid/hashes"].map((path): Row => ({
    name: path,
    run: async ({ ask }) => {
      const { body, status } = await ask(path)
      return {
        status,
        codes: linesOf(body)[0]
          .map((code: object) => JSON.stringify(code))
          .toSorted()
      }
    }
  }))
]

export const rows: ReadonlyArray<Row> = [...WALKS, ...stores, ...cids]
