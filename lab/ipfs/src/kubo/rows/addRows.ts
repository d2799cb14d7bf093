/** Rows that add content, in every layout that an option selects. */
import { CID } from "multiformats/cid"

import { keyStream } from "../../suite/content.ts"
import { linesOf, type Part } from "../askNode.ts"
import { call, type Row } from "../comparedRow.ts"

const file = (size: number, name?: string, more: Partial<Part> = {}): Part => ({
  body: keyStream(`kubo/${size}`, size),
  ...(name === undefined ? {} : { name }),
  ...more
})

const folder = (name: string, more: Partial<Part> = {}): Part => ({
  body: "",
  name,
  type: "application/x-directory",
  ...more
})

const link = (name: string, target: string | Uint8Array, more: Partial<Part> = {}): Part => ({
  body: target,
  name,
  type: "application/symlink",
  ...more
})

const TREE = [folder("d"), file(300_000, "d/large"), folder("d/in"), file(10, "d/in/small"), link("d/to", "in/small")]

const SIZES = [0, 1, 31, 32, 33, 127, 128, 129, 262_144, 262_145, 3_000_000]

const LAYOUTS = [
  "",
  "raw-leaves=true",
  "cid-version=1",
  "cid-version=1&raw-leaves=false",
  "trickle=true",
  "trickle=true&raw-leaves=true",
  "trickle=true&cid-version=1&max-file-links=3",
  "max-file-links=2",
  "inline=true",
  "inline=true&inline-limit=128",
  "inline=true&cid-version=1&inline-limit=128",
  "inline=true&raw-leaves=true&inline-limit=1"
]

const HASHES = [
  "sha2-256",
  "sha2-512",
  "sha3-224",
  "sha3-256",
  "sha3-384",
  "sha3-512",
  "keccak-256",
  "keccak-512",
  "blake2b-256",
  "blake2s-256",
  "blake3",
  "SHA2-256",
  "sha1",
  "md5",
  "identity",
  "murmur3-x64-64",
  "nonsense"
]

const CHUNKERS = [
  "default",
  "size-1",
  "size-1000",
  "size-262144",
  "size-1048576",
  "size-2096896",
  "size-2096897",
  "size-0",
  "size-",
  "size--5",
  "size-12-13",
  "size",
  "rabin",
  "rabin-",
  "rabin-0",
  "rabin-20",
  "rabin-47",
  "rabin-48",
  "rabin-1000",
  "rabin-65536",
  "rabin-262144",
  "rabin-1048576",
  "rabin-1397931",
  "rabin-1397932",
  "rabin-16-32-64",
  "rabin-17-100-1000",
  "rabin-15-32-64",
  "rabin-100-100-200",
  "rabin-100-200-200",
  "rabin-1000-5000-20000",
  "rabin-131072-262144-524288",
  "rabin-min:1000-avg:5000-max:20000",
  "rabin-foo:1000-avg:5000-max:20000",
  "rabin-1000-5000",
  "buzhash",
  "nonsense"
]

/** Options and parts with modes and times. */
const ATTRIBUTES = [
  "mode=420",
  "mode=493",
  "mode=0",
  "mode=384",
  "mode=4095",
  "mode=33188",
  "mode=2147484141",
  "mtime=1700000000",
  "mtime=1700000000&mtime-nsecs=5",
  "mtime=0",
  "mtime=-1",
  "mtime=-1&mtime-nsecs=7",
  "mtime-nsecs=5",
  "mtime=1&mtime-nsecs=1000000000",
  "mtime=1&mtime-nsecs=999999999",
  "mtime=1&mtime-nsecs=-1",
  "mode=-1",
  "mode=420&mtime=1700000000",
  "mode=384&raw-leaves=true",
  "mode=384&cid-version=1",
  "mode=384&trickle=true",
  "mode=384&inline=true",
  "preserve-mode=true",
  "preserve-mtime=true",
  "preserve-mode=true&preserve-mtime=true",
  "preserve-mode=true&raw-leaves=true",
  "preserve-mode=true&cid-version=1",
  "preserve-mode=true&mode=256",
  "preserve-mtime=true&mtime=5",
  "preserve-mode=true&mtime=5",
  "preserve-mtime=true&mode=256",
  ""
]

const said = "?mode=0640&mtime=1600000000&mtime-nsecs=9"
const usual = { file: "?mode=0644", folder: "?mode=0755" }

/** Uploads with different attributes, with the usual attributes, and without attributes. */
const GIVEN: Readonly<Record<string, ReadonlyArray<Part>>> = {
  "a small file": [file(10, "f")],
  "a file of two chunks": [file(300_000, "f")],
  "a file with attributes": [file(10, "f", { field: `file${said}` })],
  "a file with the usual mode": [file(10, "f", { field: `file${usual.file}` })],
  "a file with mode 0755": [file(10, "f", { field: `file${usual.folder}` })],
  "a file with a mode without a zero": [file(10, "f", { field: "file?mode=600" })],
  "a file with the bits of Go's mode": [file(10, "f", { field: "file?mode=040000755" })],
  "a directory with Go's mode": [folder("e", { field: "file?mode=020004000755" })],
  "a file with a time of zero": [file(10, "f", { field: "file?mtime=0" })],
  "a file with a time before 1970": [file(10, "f", { field: "file?mtime=-5&mtime-nsecs=1" })],
  "a tree": TREE,
  "a tree with attributes": TREE.map((part) => ({ ...part, field: `file${said}` })),
  "a tree with the usual modes": TREE.map((part) => ({
    ...part,
    field: `file${part.type === "application/x-directory" ? usual.folder : usual.file}`
  })),
  "a tree whose directories are not sent": [file(10, "d/in/small", { field: `file${said}` })],
  "a symlink": [link("l", "target")],
  "a symlink with attributes": [link("l", "target", { field: `file${said}` })],
  "a directory": [folder("e")],
  "a directory with attributes": [folder("e", { field: `file${said}` })]
}

const attributes = Object.entries(GIVEN).flatMap(([what, parts]) =>
  ATTRIBUTES.map((options) => call(`add ${what}: ${options || "no option"}`, `add?${options}`, parts))
)

/** Makes a row that stores content, and reads it again to compare it. */
const stored = (name: string, options: string, parts: ReadonlyArray<Part>): Row => ({
  name,
  run: async ({ ask, see }) => {
    const added = linesOf((await ask(`add?${options}`, { parts })).body)
    const root = added.at(-1)?.Hash as string
    return {
      stat: await see(`files/stat?arg=/ipfs/${root}`),
      ls: await see(`ls?arg=${root}`),
      get: await see(`get?arg=${root}`)
    }
  }
})

/** Returns the paths and links of an archive as bytes in hex, from extended headers if there are any. */
const entriesOf = (archive: Buffer): ReadonlyArray<string> => {
  const found: Array<string> = []
  let said: Readonly<Record<string, string>> = {}
  for (let at = 0; at + 512 <= archive.length && archive[at] !== 0;) {
    const head = archive.subarray(at, at + 512)
    const text = (from: number, to: number) => head.subarray(from, to).toString("latin1").replace(/\0.*$/su, "")
    const size = Number.parseInt(text(124, 136), 8)
    const content = archive.subarray(at + 512, at + 512 + size).toString("latin1")
    const type = text(156, 157)
    if (type === "x") {
      said = Object.fromEntries(
        [...content.matchAll(/\d+ (path|linkpath)=([^\n]*)\n/gu)].map(([, key, value]) => [key!, value!])
      )
    } else {
      const [path, target] = [said["path"] ?? text(0, 100), said["linkpath"] ?? text(157, 257)]
      found.push([type, path, target].map((one) => Buffer.from(one, "latin1").toString("hex")).join(" "))
      said = {}
    }
    at += 512 + Math.ceil(size / 512) * 512
  }
  return found
}

/** Uploads whose parts do not follow each other, as a client that finds files by a pattern sends them. */
const ORDERS: Readonly<Record<string, ReadonlyArray<Part>>> = {
  "a directory, a file, a file of the directory": [folder("files"), file(10, "a.txt"), file(11, "files/h.txt")],
  "a file of a directory, a file, another file of the directory": [file(10, "d/f"), file(11, "a"), file(12, "d/g")],
  "the same below one directory": [folder("x"), folder("x/d"), file(10, "x/a"), file(11, "x/d/h")],
  "directories in turns": [file(10, "d/e/1"), file(11, "c/1"), file(12, "d/e/2"), file(13, "c/2"), folder("d/b")],
  "directories below one directory in turns": [
    file(10, "x/z/1"),
    file(11, "x/c/1"),
    file(12, "x/z/2"),
    file(13, "x/c/2"),
    folder("x/b")
  ],
  "a directory twice": [folder("d"), file(10, "d/f"), folder("d"), file(11, "d/g")],
  "a file without a name between the files of a directory": [file(10, "d/f"), file(11), file(12, "d/g")],
  "the same file in two trees": [file(10, "d/f"), file(11, "a"), file(12, "d/f")]
}

const many = (count: number, bytes: number): ReadonlyArray<Part> =>
  Array.from({ length: count }, (_, index) => ({
    body: keyStream(`kubo/many/${index}`, bytes),
    name: `many/${"n".repeat(20)}${index}`
  }))

export const rows: ReadonlyArray<Row> = [
  ...SIZES.flatMap((size) =>
    LAYOUTS.map((layout) => call(`add ${size} bytes: ${layout || "no option"}`, `add?${layout}`, [file(size)]))
  ),
  ...HASHES.flatMap((hash) => [
    call(`add 300000 bytes: hash=${hash}`, `add?hash=${hash}`, [file(300_000, "f")]),
    call(`add 10 bytes: hash=${hash}, cid-version=0`, `add?hash=${hash}&cid-version=0`, [file(10, "f")])
  ]),
  call("add 10 bytes: cid-version=2", "add?cid-version=2", [file(10)]),
  call("add 10 bytes: cid-version=-1", "add?cid-version=-1", [file(10)]),
  call("add: inline-limit=129", "add?inline=true&inline-limit=129", [file(10)]),
  call("add: inline-limit=-1", "add?inline=true&inline-limit=-1", [file(10)]),
  ...CHUNKERS.flatMap((chunker) => [
    call(`add 3000000 bytes: chunker=${chunker}`, `add?only-hash=true&chunker=${chunker}`, [
      file(chunker === "size-1" || chunker.startsWith("rabin-1") ? 30_000 : 3_000_000)
    ]),
    call(`add 20 bytes: chunker=${chunker}`, `add?only-hash=true&chunker=${chunker}`, [file(20)])
  ]),
  call("add zeros: chunker=rabin", "add?only-hash=true&chunker=rabin", [{ body: new Uint8Array(3_000_000) }]),
  call("add zeros: chunker=rabin, raw leaves", "add?chunker=rabin&raw-leaves=true", [
    { body: new Uint8Array(900_000) }
  ]),
  call("add nothing: chunker=rabin", "add?chunker=rabin", [file(0)]),
  call("add: rabin and trickle", "add?chunker=rabin-1000&trickle=true&max-file-links=5", [file(300_000)]),
  ...[
    "",
    "wrap-with-directory=true",
    "cid-version=1",
    "raw-leaves=true&wrap-with-directory=true",
    "only-hash=true"
  ].flatMap((options) => [
    call(`add a tree: ${options || "no option"}`, `add?${options}`, TREE),
    call(`add a file with a name: ${options || "no option"}`, `add?${options}`, [file(10, "name.txt")]),
    call(`add a file without a name: ${options || "no option"}`, `add?${options}`, [file(10)]),
    call(`add an empty directory: ${options || "no option"}`, `add?${options}`, [folder("empty")]),
    call(`add two files: ${options || "no option"}`, `add?${options}`, [file(10, "a"), file(11, "b")]),
    call(`add a symlink: ${options || "no option"}`, `add?${options}`, [link("l", "t")])
  ]),
  call("add: directories that are not sent", "add", [file(10, "x/y/z")]),
  call("add: a directory by its slashes and a file beside it", "add", [
    file(10, "x/a"),
    file(11, "x/b"),
    file(12, "c")
  ]),
  ...Object.entries(ORDERS).flatMap(([what, parts]) =>
    ["", "wrap-with-directory=true", "cid-version=1"].map((options) =>
      call(`add ${what}: ${options || "no option"}`, `add?${options}`, parts)
    )
  ),
  call("add: names to be cleaned", "add", [file(10, "./x/../y/./a")]),
  call("add: a name twice", "add?wrap-with-directory=true", [file(10, "a"), file(11, "a")]),
  call("add: progress", "add?progress=true", [file(600_000, "p")]),
  call("add: progress of an empty file", "add?progress=true", [file(0, "p")]),
  call("add: silent", "add?silent=true", [file(10, "s")]),
  call("add: quiet", "add?quiet=true", [file(10, "s")]),
  call("add: quieter", "add?quieter=true", TREE),
  call("add: cid-base", "add?cid-base=base36", [file(10, "s")]),
  call("add: cid-base of version 1", "add?cid-base=base58btc&cid-version=1", [file(10, "s")]),
  call("add: upgrade-cidv0-in-output", "add?upgrade-cidv0-in-output=true", [file(10, "s")]),
  call("add: empty-dirs=false", "add?empty-dirs=false", [folder("d"), folder("d/e"), file(10, "d/f")]),
  call("add: max-directory-links", "add?max-directory-links=3&cid-version=1", many(10, 10)),
  call("add: max-hamt-fanout", "add?max-hamt-fanout=8", many(10, 10)),
  call("add: max-hamt-fanout that is not a power of two", "add?max-hamt-fanout=9", many(2, 10)),
  call("add: pin-name without pin", "add?pin=false&pin-name=x", [file(10, "s")]),
  call("add: pin-name too long", `add?pin-name=${"x".repeat(256)}`, [file(10, "s")]),
  call("add: to-files", "add?to-files=/", [file(10, "s")]),
  call("add: nocopy", "add?nocopy=true", [file(10, "s")]),
  call("add: a sharded directory", "add?pin=false", many(6000, 3)),
  ...attributes,
  stored(
    "the attributes of a tree, as they are read",
    "preserve-mode=true&preserve-mtime=true",
    GIVEN["a tree with attributes"]!
  ),
  stored("mode= and mtime= of a tree, as they are read", "mode=384&mtime=1700000000", TREE),
  stored("mode=420 of a tree, as it is read", "mode=420", TREE),
  stored("a tree, as it is read", "", TREE),
  stored("a symlink, as it is read", "mode=384&mtime=1700000000", [link("l", "t")]),
  stored("a symlink, whose target begins with a mark, as it is read", "", [link("l", "\ufefft")]),
  stored("a symlink, whose target is not UTF-8, as it is read", "", [link("l", Uint8Array.of(0x74, 0xff))]),
  {
    name: "names and targets that are not UTF-8, as they are read in ls and in an archive",
    run: async ({ ask, see }) => {
      const hashOf = async (part: Part) => linesOf((await ask("add", { parts: [part] })).body).at(-1)?.Hash as string
      // the names and hashes of the entries, sorted by the bytes of the names
      const at = [
        ["x\xffy", await hashOf(link("l", Uint8Array.of(0xef, 0xbb, 0xbf, 0xff)))],
        ["\xef\xbb\xbfm", await hashOf(file(10, "f"))],
        ["\xff".repeat(120), await hashOf(file(11, "f"))]
      ] as const
      const links = at.map(([name, hash]) => {
        const { bytes } = CID.parse(hash)
        const inside = [0x0a, bytes.length, ...bytes, 0x12, name.length, ...Buffer.from(name, "latin1"), 0x18, 0]
        return [
          0x12,
          ...(inside.length < 128 ? [] : [(inside.length % 128) + 128]),
          inside.length >> (inside.length < 128 ? 0 : 7),
          ...inside
        ]
      })
      const parts = [{ body: Uint8Array.from([...links.flat(), 0x0a, 2, 8, 1]) }]
      const root = linesOf((await ask("block/put?cid-codec=dag-pb", { parts })).body)[0]?.Key as string
      const { body } = await ask(`get?arg=${root}`)
      return { ls: await see(`ls?arg=${root}`), archive: entriesOf(body) }
    }
  }
]
