/** Every command of `IpfsApi`: the calls to the node, and the answer on the wire. */
import { assert, describe, it } from "@effect/vitest"
import * as Service from "@plumbline/gateway/support/service"
import { Cid, CidForms, DagCodec, DagPbObject, IpfsApi, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Deferred, Effect, Fiber, Result, Stream } from "effect"
import { TestClock } from "effect/testing"

import * as Ipfs from "../support/ipfs.ts"
import { bytesOf, EMPTY, HELLO, RAW } from "../support/ipfs.ts"

/** A dag-pb block: the empty directory. */
const DIRECTORY = Uint8Array.of(0x0a, 0x02, 0x08, 0x01)

/** A node that records its calls, and has one object of each kind. */
const recording = () => {
  const asked: Array<unknown> = []
  const said =
    <A>(name: string, answer: A) =>
    (...parameters: ReadonlyArray<unknown>): A => {
      asked.push([name, ...parameters.filter((parameter) => parameter !== undefined)])
      return answer
    }
  const file = { cid: HELLO, type: "file", size: 6 } as const
  const content = Stream.make(bytesOf("hel"), bytesOf("lo\n"))
  const node = Ipfs.nodeOf({
    cat: said("cat", Effect.succeed({ size: 6, bytes: content })),
    get: said("get", Stream.make<[IpfsNode.ArchiveEntry]>({ ...file, path: "hello.txt", content })),
    ls: said(
      "ls",
      Stream.make<Array<IpfsNode.ListedEntry>>(
        { ...file, name: "hello.txt", mode: 0o600, mtime: 1, mtimeNsecs: 20 },
        { cid: EMPTY, type: "directory", size: 0, name: "d", mode: 0o1755 },
        { cid: RAW, type: "symlink", size: 0, name: "s", target: "hello.txt" }
      )
    ),
    stat: said(
      "stat",
      Effect.succeed({ ...file, cumulativeSize: 14, blocks: 0, mode: 0o644, mtime: 1, mtimeNsecs: 2 })
    ),
    blockGet: said("blockGet", Effect.succeed(DIRECTORY)),
    blockStat: said("blockStat", Effect.succeed({ cid: HELLO, size: 14 })),
    dagGet: said("dagGet", Effect.succeed(bytesOf('{"a":1}'))),
    dagResolve: said("dagResolve", Effect.succeed({ cid: EMPTY, remainder: "" })),
    blockRm: said("blockRm", Effect.succeed(HELLO)),
    refs: said("refs", Stream.make<Array<IpfsNode.Ref>>({ from: EMPTY, to: HELLO, name: "a" })),
    refsLocal: Stream.make(RAW),
    dagBlocks: said(
      "dagBlocks",
      Stream.make<Array<IpfsNode.BlockStat>>({ cid: EMPTY, size: 4 }, { cid: HELLO, size: 14 })
    ),
    pinVerify: Stream.make<Array<IpfsNode.VerifiedPin>>(
      { cid: HELLO, bad: [] },
      { cid: EMPTY, bad: [{ cid: String(RAW), error: "gone" }] }
    ),
    repoStat: Effect.succeed({ blocks: 3, bytes: 100, limit: 1000 }),
    dagExport: said("dagExport", Stream.make(Uint8Array.of(1), Uint8Array.of(2))),
    pinAdd: said("pinAdd", Effect.succeed(HELLO)),
    pinRm: said("pinRm", Effect.succeed(HELLO)),
    pinLs: said(
      "pinLs",
      Stream.make<Array<IpfsNode.Pin>>(
        { cid: HELLO, type: "recursive", name: "n" },
        { cid: EMPTY, type: "indirect", name: "", through: HELLO }
      )
    ),
    pinUpdate: said("pinUpdate", Effect.succeed([HELLO, EMPTY] as const)),
    version: Effect.succeed({ version: "1", commit: "c", repo: "18", system: "amd64/linux", golang: "none" }),
    id: Effect.succeed({ id: "12D3", publicKey: "CAE", addresses: [], agentVersion: "a/1", protocols: ["/p"] }),
    add: (entries, options) => {
      asked.push(["add", options])
      return Stream.flatMap(Stream.isStream(entries) ? entries : Stream.fromIterable(entries), (entry) =>
        Stream.make<Array<IpfsNode.AddedEntry | IpfsNode.AddProgress>>(
          { _tag: "Progress", name: entry.path ?? "", bytes: 6 },
          { _tag: "Added", name: entry.path ?? "", cid: HELLO, size: 14, mode: 0o600, mtime: 1, mtimeNsecs: 2 }
        )
      )
    },
    blockPut: (bytes, options) => {
      asked.push(["blockPut", String(Buffer.from(bytes)), options])
      return Effect.succeed({ cid: RAW, size: bytes.length })
    },
    dagPut: (bytes, options) => {
      asked.push(["dagPut", String(Buffer.from(bytes)), options])
      return Effect.succeed(EMPTY)
    },
    dagImport: (car, options) =>
      Effect.map(Effect.orDie(Stream.runCollect(Stream.orDie(car))), (pieces) => {
        asked.push(["dagImport", String(Buffer.concat(pieces)), options])
        return { roots: [{ cid: HELLO, pinError: "" }], blocks: 2, bytes: 34 }
      })
  })
  return { asked, node }
}

const hello = String(HELLO)
const empty = String(EMPTY)
const data = { content: "DATA" }

interface Case {
  readonly command: IpfsApi.CommandName
  readonly query?: string
  readonly parts?: ReadonlyArray<Ipfs.Part>
  /** The expected calls to the node. */
  readonly asked?: ReadonlyArray<unknown>
  /** The expected body: text, or the JSON values of its lines. */
  readonly answer: string | ReadonlyArray<unknown>
  readonly headers: Readonly<Record<string, string | undefined>>
}

const JSON_VALUE = { "content-type": "application/json", "x-chunked-output": undefined, "x-stream-output": undefined }
const JSON_LINES = { ...JSON_VALUE, "x-chunked-output": "1" }
const BYTES = (type: string, length?: string) => ({
  "content-type": type,
  "x-chunked-output": undefined,
  "x-stream-output": "1",
  "x-content-length": length
})

describe("names that are not UTF-8", () => {
  // the form in which Kubo 0.43 shows the bytes x, 0xff, y
  const SHOWN = "x\\ufffdy"
  const nameBytes = Uint8Array.of(0x78, 0xff, 0x79)

  it.live("are shown in JSON, as Kubo shows them", () =>
    Effect.gen(function* () {
      const link = Buffer.concat([
        Uint8Array.of(0x0a, HELLO.bytes.length),
        HELLO.bytes,
        Uint8Array.of(0x12, 3),
        nameBytes,
        Uint8Array.of(0x18, 0)
      ])
      const block = Buffer.concat([Uint8Array.of(0x12, link.length), link, DIRECTORY])
      const service = yield* Ipfs.start({
        ls: () =>
          Stream.make<[IpfsNode.ListedEntry]>({
            cid: HELLO,
            size: 0,
            type: "symlink",
            name: "x\ufffdy",
            nameBytes,
            target: "x\ufffdy",
            targetBytes: nameBytes
          }),
        dagResolve: () => Effect.succeed({ cid: EMPTY, remainder: "" }),
        blockGet: () => Effect.succeed(block)
      })
      const said = (command: string) =>
        Effect.map(Ipfs.ask(service, `${command}?arg=${empty}`), ({ body, status }) => {
          assert.strictEqual(status, 200, body)
          return JSON.parse(body)
        })
      const ls = (yield* said("ls")).Objects[0].Links[0]
      assert.deepStrictEqual([ls.Name, ls.Target], [JSON.parse(`"${SHOWN}"`), JSON.parse(`"${SHOWN}"`)])
      assert.deepStrictEqual(Object.keys(ls).sort(), ["Hash", "ModTime", "Mode", "Name", "Size", "Target", "Type"])
      const { Links } = yield* said("object/get")
      assert.deepStrictEqual(Links, [{ Name: JSON.parse(`"${SHOWN}"`), Hash: hello, Size: 0 }])
    }).pipe(Effect.scoped)
  )

  it.live("and a mark at the beginning make no node of object/put", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({})
      // each character is sent as one byte
      for (const content of ['\xef\xbb\xbf{"Data":"a"}', '{"Data":"\xff"}']) {
        const { body, status } = yield* Ipfs.upload(service, "object/put", { content })
        assert.strictEqual(status, 500)
        assert.include(body, "not a node as JSON in UTF-8")
      }
      const { body, status } = yield* Ipfs.upload(service, "object/put?datafieldenc=base64", {
        content: '{"Data":"_"}'
      })
      assert.strictEqual(status, 500)
      assert.include(body, "Data is not base64")
    }).pipe(Effect.scoped)
  )
})

describe("a node as JSON with very many links", () => {
  const put = (Links: ReadonlyArray<unknown>) =>
    Effect.gen(function* () {
      const sent: Array<Uint8Array> = []
      const service = yield* Ipfs.start({
        blockPut: (bytes) => Effect.sync(() => (sent.push(bytes), { cid: HELLO, size: 4 }))
      })
      // each character is sent as one byte
      const content = Buffer.from(JSON.stringify({ Data: "d", Links })).toString("latin1")
      const answer = yield* Ipfs.upload(service, "object/put", { content })
      return { ...answer, sent }
    })

  it.live("is refused before its values are made, or before one of its links is read", () =>
    Effect.gen(function* () {
      const values = yield* put(Array.from({ length: 140_000 }, () => ({})))
      assert.deepStrictEqual([values.status, values.sent.length], [500, 0])
      assert.include(values.body, "beyond maxValues, which is 262144")
      const links = yield* put(Array.from({ length: 65_537 }, () => 0))
      assert.deepStrictEqual([links.status, links.sent.length], [500, 0])
      assert.include(links.body, "more than 65536 links")
    }).pipe(Effect.scoped)
  )

  it.live("has its links sorted by the bytes of their names, and equal names in the order that was sent", () =>
    Effect.gen(function* () {
      const names = ["b", "\uffee", "\u{1f600}", "a", "", "é", "ab"]
      const Links = Array.from({ length: 3000 }, (_, n) => ({ Name: names[(n * 31) % 7]!, Hash: hello, Size: n }))
      const { sent, status } = yield* put(Links)
      assert.strictEqual(status, 200)
      const hex = ({ Name }: { readonly Name?: string | undefined }) => Buffer.from(Name!).toString("hex")
      const expected = Links.toSorted((a, b) => (hex(a) < hex(b) ? -1 : hex(a) > hex(b) ? 1 : a.Size - b.Size))
      assert.deepStrictEqual(Result.getOrThrow(DagPbObject.get(EMPTY, sent[0]!, "text")), {
        data: "d",
        links: expected.map(({ Name, Size }) => ({ cid: Cid.toText(HELLO), name: Name, size: Size }))
      })
      const flawed = yield* put([...Links, { Name: "x", Hash: "no CID" }])
      assert.deepStrictEqual([flawed.status, flawed.sent.length], [500, 0])
    }).pipe(Effect.scoped)
  )
})

describe("a directory of many entries", () => {
  it.live("is listed in the order of the bytes of its names", () =>
    Effect.gen(function* () {
      const marks = ["\uffee", "\u{1f600}", "a", "é"]
      const names = Array.from({ length: 3000 }, (_, n) => `${marks[n % 4]}${(n * 7919) % 3000}`)
      const service = yield* Ipfs.start({
        ls: () => Stream.fromIterable(names.map((name) => ({ name, cid: HELLO, type: "file" as const, size: 1 })))
      })
      const { body, status } = yield* Ipfs.ask(service, `ls?arg=${empty}`)
      assert.strictEqual(status, 200)
      const hex = (name: string) => Buffer.from(name).toString("hex")
      assert.deepStrictEqual(
        JSON.parse(body).Objects[0].Links.map(({ Name }: { readonly Name: string }) => hex(Name)),
        names.map(hex).sort()
      )
    }).pipe(Effect.scoped)
  )
})

describe("dag/resolve", () => {
  it.live("says what is left of a path behind a slash, as Kubo does", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ dagResolve: () => Effect.succeed({ cid: EMPTY, remainder: "a/b/1" }) })
      const { body } = yield* Ipfs.ask(service, `dag/resolve?arg=${empty}/a/b/1`)
      assert.strictEqual(body, `{"Cid":{"/":"${empty}"},"RemPath":"/a/b/1"}\n`)
    }).pipe(Effect.scoped)
  )
})

// The expected answers are Kubo's.
const cases: ReadonlyArray<Case> = [
  {
    command: "add",
    query: "pin=false&w=1&cid-version=1&mode=0640&s=size-10&progress=true&n=t",
    parts: [{ content: "hello\n", headers: Ipfs.file("a.txt") }],
    asked: [
      [
        "add",
        {
          pin: false,
          wrapWithDirectory: true,
          cidVersion: 1,
          mode: 0o640,
          chunker: "size-10",
          progress: true,
          onlyHash: true
        }
      ]
    ],
    answer: [
      { Name: "a.txt", Bytes: 6 },
      { Name: "a.txt", Hash: hello, Size: "14", Mode: "0600", Mtime: 1, MtimeNsecs: 2 }
    ],
    headers: JSON_LINES
  },
  { command: "add", query: "silent=true", parts: [data], answer: "", headers: JSON_LINES },
  {
    command: "cat",
    query: `arg=${hello}&offset=1&l=4`,
    asked: [["cat", hello, { offset: 1, length: 4 }]],
    answer: "hello\n",
    headers: BYTES("text/plain", "6")
  },
  {
    command: "get",
    query: `arg=${hello}/hello.txt&C=1`,
    asked: [["get", `${hello}/hello.txt`]],
    answer: "",
    headers: BYTES("application/gzip")
  },
  {
    command: "ls",
    query: `arg=${hello}`,
    asked: [["ls", hello, { resolve: true }]],
    answer: [
      {
        Objects: [
          {
            Hash: hello,
            Links: [
              {
                Name: "d",
                Hash: empty,
                Size: 0,
                Type: 1,
                Target: "",
                Mode: 0x8010_01ed,
                ModTime: "0001-01-01T00:00:00Z"
              },
              {
                Name: "hello.txt",
                Hash: hello,
                Size: 6,
                Type: 2,
                Target: "",
                Mode: 0o600,
                ModTime: "1970-01-01T00:00:01.00000002Z"
              },
              {
                Name: "s",
                Hash: String(RAW),
                Size: 0,
                Type: 4,
                Target: "hello.txt",
                Mode: 0,
                ModTime: "0001-01-01T00:00:00Z"
              }
            ]
          }
        ]
      }
    ],
    headers: JSON_VALUE
  },
  {
    command: "ls",
    query: `arg=${hello}&s&size=false&resolve-type=false`,
    asked: [["ls", hello, { resolve: false }]],
    answer: [
      {
        Objects: [
          {
            Hash: hello,
            Links: [
              {
                Name: "hello.txt",
                Hash: hello,
                Size: 6,
                Type: 2,
                Target: "",
                Mode: 0o600,
                ModTime: "1970-01-01T00:00:01.00000002Z"
              }
            ]
          }
        ]
      },
      {
        Objects: [
          {
            Hash: hello,
            Links: [
              {
                Name: "d",
                Hash: empty,
                Size: 0,
                Type: 1,
                Target: "",
                Mode: 0x8010_01ed,
                ModTime: "0001-01-01T00:00:00Z"
              }
            ]
          }
        ]
      },
      {
        Objects: [
          {
            Hash: hello,
            Links: [
              {
                Name: "s",
                Hash: String(RAW),
                Size: 0,
                Type: 4,
                Target: "hello.txt",
                Mode: 0,
                ModTime: "0001-01-01T00:00:00Z"
              }
            ]
          }
        ]
      }
    ],
    headers: JSON_LINES
  },
  {
    command: "files/stat",
    query: `arg=/ipfs/${hello}`,
    asked: [["stat", `/ipfs/${hello}`]],
    answer: [
      { Hash: hello, Size: 6, CumulativeSize: 14, Blocks: 0, Type: "file", Mode: "0644", Mtime: 1, MtimeNsecs: 2 }
    ],
    headers: JSON_VALUE
  },
  {
    command: "block/get",
    query: `arg=${empty}`,
    asked: [["blockGet", empty]],
    answer: "\n\u0002\b\u0001",
    headers: BYTES("application/vnd.ipld.raw")
  },
  {
    command: "block/stat",
    query: `arg=${hello}`,
    asked: [["blockStat", hello]],
    answer: [{ Key: hello, Size: 14 }],
    headers: JSON_VALUE
  },
  {
    command: "block/put",
    query: "format=v0&mhtype=sha2-256&mhlen=-1&pin=T",
    parts: [data, { content: "MORE" }],
    asked: [
      ["blockPut", "DATA", { format: "v0", mhtype: "sha2-256", mhlen: -1, pin: true }],
      ["blockPut", "MORE", { format: "v0", mhtype: "sha2-256", mhlen: -1, pin: true }]
    ],
    answer: [
      { Key: String(RAW), Size: 4 },
      { Key: String(RAW), Size: 4 }
    ],
    headers: JSON_LINES
  },
  {
    command: "dag/get",
    query: `arg=${hello}/a&output-codec=dag-cbor`,
    asked: [["dagGet", `${hello}/a`, "dag-cbor"]],
    answer: '{"a":1}',
    headers: BYTES("text/plain")
  },
  {
    command: "dag/put",
    query: "store-codec=dag-json&pin=true",
    parts: [data],
    asked: [["dagPut", "DATA", { storeCodec: "dag-json", pin: true }]],
    answer: [{ Cid: { "/": empty } }],
    headers: JSON_LINES
  },
  {
    command: "dag/resolve",
    query: `arg=${hello}`,
    asked: [["dagResolve", hello]],
    answer: [{ Cid: { "/": empty }, RemPath: "" }],
    headers: JSON_VALUE
  },
  {
    command: "dag/export",
    query: `arg=${hello}`,
    asked: [["dagExport", hello]],
    answer: "\u0001\u0002",
    headers: BYTES("application/vnd.ipld.car")
  },
  {
    command: "dag/import",
    query: "stats=true",
    parts: [data, data],
    asked: [
      ["dagImport", "DATA", { pinRoots: true }],
      ["dagImport", "DATA", { pinRoots: true }]
    ],
    answer: [
      { Root: { Cid: { "/": hello }, PinErrorMsg: "" } },
      { Root: { Cid: { "/": hello }, PinErrorMsg: "" } },
      { Stats: { BlockCount: 4, BlockBytesCount: 68 } }
    ],
    headers: JSON_LINES
  },
  {
    command: "object/get",
    query: `arg=${empty}`,
    asked: [
      ["dagResolve", empty],
      ["blockGet", empty]
    ],
    answer: [{ Links: [], Data: "CAE=" }],
    headers: JSON_VALUE
  },
  {
    command: "object/get",
    query: `arg=${empty}&data-encoding=text`,
    answer: [{ Links: [], Data: "\b\u0001" }],
    headers: JSON_VALUE
  },
  {
    command: "object/get",
    query: `arg=${empty}&encoding=protobuf`,
    answer: "\n\u0002\b\u0001",
    headers: BYTES("application/protobuf")
  },
  { command: "object/data", query: `arg=${empty}`, answer: "\b\u0001", headers: BYTES("text/plain") },
  {
    command: "object/stat",
    query: `arg=${empty}`,
    answer: [{ Hash: empty, NumLinks: 0, BlockSize: 4, LinksSize: 2, DataSize: 2, CumulativeSize: 4 }],
    headers: JSON_VALUE
  },
  {
    command: "object/put",
    query: "inputenc=protobuf&pin=true",
    parts: [{ content: "\n\u0002\b\u0001" }],
    asked: [["blockPut", "\n\u0002\b\u0001", { format: "v0", pin: true }]],
    answer: [{ Hash: String(RAW) }],
    headers: JSON_VALUE
  },
  {
    command: "object/put",
    parts: [
      {
        content: JSON.stringify({
          Data: "d",
          Links: [
            { Name: "b", Hash: hello, Size: 14 },
            { Name: "a", Hash: empty, Size: 4 }
          ]
        })
      }
    ],
    // the links are sorted by name
    asked: [
      [
        "blockPut",
        Buffer.from(
          Result.getOrThrow(
            DagCodec.encode("dag-pb", {
              Data: bytesOf("d"),
              Links: [
                { Hash: EMPTY, Name: "a", Tsize: 4 },
                { Hash: HELLO, Name: "b", Tsize: 14 }
              ]
            })
          )
        ).toString(),
        { format: "v0", pin: undefined }
      ]
    ],
    answer: [{ Hash: String(RAW) }],
    headers: JSON_VALUE
  },
  {
    command: "pin/add",
    query: `arg=${hello}&arg=${empty}&r=false&name=x`,
    asked: [
      ["pinAdd", hello, { name: "x", recursive: false }],
      ["pinAdd", empty, { name: "x", recursive: false }]
    ],
    answer: [{ Pins: [hello, hello] }],
    headers: JSON_VALUE
  },
  { command: "pin/add", query: `arg=${hello}&progress=true`, answer: [{ Pins: [hello] }], headers: JSON_LINES },
  {
    command: "pin/rm",
    query: `arg=${hello}`,
    asked: [["pinRm", hello, { recursive: undefined }]],
    answer: [{ Pins: [hello] }],
    headers: JSON_VALUE
  },
  {
    command: "pin/ls",
    query: "type=recursive",
    asked: [["pinLs", [], { type: "recursive", name: undefined }]],
    answer: [{ Keys: { [hello]: { Type: "recursive", Name: "" }, [empty]: { Type: "indirect", Name: "" } } }],
    headers: JSON_VALUE
  },
  {
    command: "pin/ls",
    query: `arg=${hello}&arg=${empty}&stream=true&names=true`,
    answer: [
      { Cid: hello, Type: "recursive", Name: "n" },
      { Cid: empty, Type: `indirect through ${hello}` }
    ],
    headers: JSON_LINES
  },
  {
    command: "pin/update",
    query: `arg=${hello}&arg=${empty}&unpin=0`,
    asked: [["pinUpdate", hello, empty, { unpin: false }]],
    answer: [{ Pins: [hello, empty] }],
    headers: JSON_VALUE
  },
  {
    command: "version",
    answer: [{ Version: "1", Commit: "c", Repo: "18", System: "amd64/linux", Golang: "none" }],
    headers: JSON_VALUE
  },
  {
    command: "block/rm",
    query: `arg=${hello}&force=true`,
    asked: [
      ["dagResolve", hello],
      ["blockRm", empty, { force: true }]
    ],
    answer: [{ Hash: empty }],
    headers: JSON_LINES
  },
  {
    command: "refs",
    query: `arg=${hello}&recursive=true&format=<src>/<linkname>=<dst>`,
    asked: [
      ["dagResolve", hello],
      ["refs", empty, { maxDepth: Infinity, unique: undefined }]
    ],
    answer: [{ Ref: `${empty}/a=${hello}`, Err: "" }],
    headers: JSON_LINES
  },
  { command: "refs/local", answer: [{ Ref: String(RAW), Err: "" }], headers: JSON_LINES },
  {
    command: "resolve",
    query: `arg=${hello}/a`,
    asked: [["dagResolve", `${hello}/a`]],
    answer: [{ Path: `/ipfs/${empty}` }],
    headers: JSON_VALUE
  },
  {
    command: "dag/stat",
    query: `arg=${hello}`,
    asked: [
      ["dagResolve", hello],
      ["dagBlocks", empty]
    ],
    answer: [
      { TotalSize: 4, DagStats: [{ Cid: empty, Size: 4, NumBlocks: 1 }] },
      { TotalSize: 18, DagStats: [{ Cid: empty, Size: 18, NumBlocks: 2 }] },
      { UniqueBlocks: 2, TotalSize: 18, Ratio: 1, DagStats: [{ Cid: empty, Size: 18, NumBlocks: 2 }] }
    ],
    headers: JSON_LINES
  },
  {
    command: "pin/verify",
    query: "verbose=true",
    answer: [
      { Cid: hello, Ok: true },
      { Cid: empty, BadNodes: [{ Cid: String(RAW), Err: "gone" }] }
    ],
    headers: JSON_LINES
  },
  { command: "pin/verify", query: "quiet=true", answer: [{ Cid: empty }], headers: JSON_LINES },
  {
    command: "repo/stat",
    answer: [{ RepoSize: 100, StorageMax: 1000, NumObjects: 3, RepoPath: "", Version: "fs-repo@18" }],
    headers: JSON_VALUE
  },
  {
    command: "repo/stat",
    query: "size-only=true",
    answer: [{ RepoSize: 100, StorageMax: 1000, NumObjects: 0, RepoPath: "", Version: "" }],
    headers: JSON_VALUE
  },
  {
    command: "cid/format",
    query: `arg=${hello}&f=%25P`,
    answer: [{ CidStr: hello, Formatted: "cidv0-dag-pb-sha2-256-32", ErrorMsg: "" }],
    headers: JSON_LINES
  },
  {
    command: "cid/base32",
    query: `arg=${hello}`,
    answer: [{ CidStr: hello, Formatted: String(HELLO.toV1()), ErrorMsg: "" }],
    headers: JSON_LINES
  },
  {
    command: "cid/inspect",
    query: "arg=bafkqaaqha4",
    answer: [
      {
        cid: "bafkqaaqha4",
        version: 1,
        multibase: { prefix: "b", name: "base32" },
        multicodec: { code: 0x55, name: "raw" },
        multihash: { code: 0, name: "identity", length: 2, digest: "0707" },
        cidV1: "bafkqaaqha4"
      }
    ],
    headers: JSON_VALUE
  },
  ...(
    [
      ["cid/bases", CidForms.bases],
      ["cid/codecs", CidForms.codecs],
      ["cid/hashes", CidForms.hashes]
    ] as const
  ).map(([command, codes]) => ({
    command,
    answer: [
      codes.map(({ code, name }) => ({
        Code: code,
        Name: name
      }))
    ],
    headers: JSON_VALUE
  })),
  {
    command: "id",
    answer: [{ ID: "12D3", PublicKey: "CAE", Addresses: [], AgentVersion: "a/1", Protocols: ["/p"] }],
    headers: JSON_VALUE
  }
]

/** The headers of every answer. */
const COMMON = {
  "access-control-allow-headers": "X-Stream-Output, X-Chunked-Output, X-Content-Length",
  "access-control-expose-headers": "X-Stream-Output, X-Chunked-Output, X-Content-Length",
  "access-control-allow-origin": undefined,
  trailer: "X-Stream-Error",
  vary: "Origin",
  "transfer-encoding": "chunked",
  "x-stream-error": undefined
}

describe("a command", () => {
  it("is in this table, whichever it is", () => {
    const all = Object.keys(IpfsApi.commands).sort()
    assert.deepStrictEqual([...new Set(cases.map(({ command }) => command))].sort(), all)
  })

  it.live.each(cases)("$command?$query", ({ answer, asked, command, headers, parts, query = "" }) =>
    Effect.gen(function* () {
      const fake = recording()
      const service = yield* Ipfs.start(() => fake.node)
      const path = `${command}?${query}`
      const got = yield* parts === undefined ? Ipfs.ask(service, path) : Ipfs.upload(service, path, ...parts)
      assert.strictEqual(got.status, 200, got.body)
      const expected = { ...COMMON, ...headers }
      assert.deepStrictEqual(
        Object.fromEntries(Object.keys(expected).map((name) => [name, got.headers[name]])),
        expected
      )
      // The tests of archives check compressed bodies.
      if (headers["content-type"] !== "application/gzip") {
        const lines =
          typeof answer === "string"
            ? got.body
            : got.body
                .split("\n")
                .slice(0, -1)
                .map((line) => JSON.parse(line))
        assert.deepStrictEqual<unknown>(lines, answer)
      }
      if (asked !== undefined) assert.deepStrictEqual(fake.asked, asked)
    }).pipe(Effect.scoped)
  )
})

describe("CIDs in answers", () => {
  const cidOf = (query: string) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ blockStat: () => Effect.succeed({ cid: HELLO, size: 1 }) })
      const { body, status } = yield* Ipfs.ask(service, `block/stat?arg=${hello}&${query}`)
      return status === 200 ? Cid.fromTextUnsafe(JSON.parse(body).Key).toString() : `${status} ${body}`
    }).pipe(Effect.scoped)

  // The expected texts of the CID come from the library multiformats, not from the service.
  it.live.each([
    ["", hello],
    ["cid-base=base32", HELLO.toV1().toString()],
    ["cid-base=b", HELLO.toV1().toString()],
    ["cid-base=base32&upgrade-cidv0-in-output=false", hello],
    ["upgrade-cidv0-in-output=true", HELLO.toV1().toString()],
    ["cid-base=base58btc", hello],
    ["cid-base=nonsense", "400 unsupported multibase encoding: nonsense\n"]
  ])("are written as ?%s asks", ([query, expected]) =>
    Effect.map(cidOf(query!), (text) => assert.strictEqual(text, expected))
  )

  it.live("are written in every base that Kubo writes, and version 0 as it is where the base has it", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ blockStat: () => Effect.succeed({ cid: HELLO, size: 1 }) })
      for (const [base, letter] of [
        ["base36", "k"],
        ["B", "B"],
        ["base16", "f"],
        ["base2", "0"],
        ["u", "u"],
        ["base256emoji", "\u{1f680}"]
      ] as const) {
        const { body } = yield* Ipfs.ask(service, `block/stat?arg=${hello}&cid-base=${base}`)
        const { Key } = JSON.parse(body)
        assert.isTrue(Key.startsWith(letter), Key)
        assert.isTrue(Cid.equals(Cid.fromTextUnsafe(Key), HELLO.toV1()))
      }
      const { body } = yield* Ipfs.ask(service, `block/stat?arg=${hello}&cid-base=z`)
      assert.strictEqual(JSON.parse(body).Key, hello)
    }).pipe(Effect.scoped)
  )
})

describe("what would change the answer and is not done", () => {
  const queries: ReadonlyArray<readonly [path: string, what: string]> = [
    ["add?nocopy=true", "the option nocopy"],
    ["add?to-files=/x", "the option to-files"],
    ["add?max-directory-links=3", "the option max-directory-links"],
    ["add?empty-dirs=false", "the option empty-dirs=false"],
    ["dag/import?local-only=true", "the option local-only"],
    ["dag/import?allow-big-block=true", "the option allow-big-block"],
    [`dag/export?arg=${hello}&local-only=true`, "the option local-only"],
    [`ls?arg=${hello}&long=true`, "the option long"],
    [`files/stat?arg=/ipfs/${hello}&with-local=true`, "the option with-local"],
    ["id?arg=somebody", "the option peerid"],
    ["id?peerid-base=base36", "the option peerid-base"]
  ]
  it.live.each(queries)("is refused: %s", ([path, what]) =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start(() => recording().node)
      const got = yield* path.startsWith("add") || path.startsWith("dag/import")
        ? Ipfs.upload(service, path, data)
        : Ipfs.ask(service, path)
      assert.strictEqual(got.status, 500)
      assert.deepStrictEqual(JSON.parse(got.body), {
        Message: `this node does not support ${what}`,
        Code: 0,
        Type: "error"
      })
    }).pipe(Effect.scoped)
  )
})

describe("cat of several files", () => {
  const texts: Readonly<Record<string, string>> = { a: "hello", b: "", c: " world" }
  const cat: IpfsNode.IpfsNodeCommands["cat"] = (path, { length = Infinity, offset = 0 } = {}) =>
    Effect.sync(() => {
      const part = texts[path]!.slice(offset).slice(0, length)
      return { size: part.length, bytes: part === "" ? Stream.empty : Stream.make(bytesOf(part)) }
    })
  it.live("is one after the other, and a range goes over all of them", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({ cat })
      const whole = "hello world"
      for (let offset = 0; offset <= whole.length + 1; offset++) {
        for (const length of [0, 1, 4, 20]) {
          const { body, headers } = yield* Ipfs.ask(service, `cat?arg=a&arg=b&arg=c&offset=${offset}&length=${length}`)
          const expected = whole.slice(offset, offset + length)
          assert.deepStrictEqual([body, headers["x-content-length"]], [expected, String(expected.length)])
        }
      }
    }).pipe(Effect.scoped)
  )
})

describe("pin/add with progress", () => {
  it.effect("says every half a second that it is still at work, and then the pins or why not", () =>
    Effect.gen(function* () {
      for (const isGood of [true, false]) {
        const begun = yield* Deferred.make<void>()
        const open = yield* Deferred.make<void>()
        const refused = Ipfs.fails(new IpfsNodeError.NotFound({ cid: hello }))
        const service = yield* Ipfs.start({
          pinAdd: () =>
            Deferred.succeed(begun, undefined).pipe(
              Effect.andThen(Deferred.await(open)),
              Effect.andThen(isGood ? Effect.succeed(HELLO) : refused)
            )
        })
        const request = Ipfs.head(`pin/add?arg=${hello}&progress=true`, { "Content-Length": "0", Connection: "close" })
        const asked = yield* Effect.forkChild(Service.raw(service, request))
        yield* Deferred.await(begun)
        yield* TestClock.adjust("1200 millis")
        yield* Deferred.succeed(open, undefined)
        const answer = yield* Fiber.join(asked)
        assert.match(answer, /^HTTP\/1\.1 200 /u)
        assert.strictEqual(answer.match(/\{"Progress":0,"Bytes":0\}\n/gu)?.length, 2)
        if (isGood) assert.include(answer, `{"Pins":["${hello}"]}\n`)
        else assert.match(answer, /X-Stream-Error: block was not found locally/u)
      }
    }).pipe(Effect.scoped)
  )
})

describe("lists that are not streams", () => {
  it.live("have a bound, and say so", () =>
    Effect.gen(function* () {
      const pins = Stream.range(1, 5).pipe(Stream.map((): IpfsNode.Pin => ({ cid: HELLO, type: "direct", name: "" })))
      const service = yield* Ipfs.start({ pinLs: () => pins }, { ipfs: { limits: { listed: 4 } } })
      const { body, status } = yield* Ipfs.ask(service, "pin/ls")
      assert.strictEqual(status, 500)
      assert.include(body, "more than 4 values: ask for a stream")
      const streamed = yield* Ipfs.ask(service, "pin/ls?stream=true")
      assert.strictEqual(streamed.body.split("\n").length, 6)
    }).pipe(Effect.scoped)
  )

  it.live("know the types of pins", () =>
    Effect.gen(function* () {
      const service = yield* Ipfs.start({})
      const { body, status } = yield* Ipfs.ask(service, "pin/ls?type=all,direct")
      assert.strictEqual(status, 500)
      assert.include(
        JSON.parse(body).Message,
        "invalid type 'all,direct', must be one of {direct, indirect, recursive, all}"
      )
    }).pipe(Effect.scoped)
  )
})
