/** Adds and reads files and directories. Compares the content with the input, and with `ipfs-unixfs-exporter`. */
import { readFileSync, rmSync } from "node:fs"

import { assert, it } from "@effect/vitest"
import { Cid, type IpfsNode } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"
import { exporter, type ReadableStorage, recursive } from "ipfs-unixfs-exporter"
import { base32upper } from "multiformats/bases/base32"

import {
  addAll,
  addOne,
  arrayOf,
  blockFiles,
  bytesAt,
  keyStream,
  random,
  reasonOf,
  type Fresh,
  utf8
} from "../support/ipfs.ts"

/** Returns the files of a node in the form that the exporter expects. */
export const storageOf = (dir: string): ReadableStorage => {
  const files = new Map(blockFiles(dir).map((file) => [file.replace(/^.*\//, ""), file]))
  return {
    *get(cid) {
      yield readFileSync(files.get(`${base32upper.baseEncode(cid.multihash.bytes)}.data`)!)
    }
  }
}

/** A tree with every kind of entry. */
export const tree: ReadonlyArray<IpfsNode.AddEntry> = [
  { path: "top/a.txt", content: utf8("a") },
  { path: "top/sub/b.bin", content: keyStream("b")(600_000) },
  { path: "top/sub/deep/c", content: new Uint8Array(0) },
  { type: "symlink", path: "top/link", target: "sub/deep/c" },
  { type: "directory", path: "top/none" },
  { path: "top/naïve ☃.txt", content: utf8("snow") }
]

/** Defines the shared tests for a kind of node. */
export const ipfsContent = (fresh: Fresh): void => {
  it.live("a file is read as it was given, whole and in ranges, and the exporter reads the same", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { dir, node } = yield* fresh
        const size = 3_000_001
        const given = keyStream("ranges")(size)
        for (const options of [
          {},
          { trickle: true },
          { profile: "unixfs-v1-2025" as const },
          { chunker: "rabin-262144" }
        ]) {
          const cid = yield* addOne(node, random("ranges", size), options)
          assert.isTrue(Buffer.from(given).equals(yield* bytesAt(node, cid)))
          const entry = yield* Effect.promise(() => exporter(cid, storageOf(dir)))
          const exported = entry.type === "file" ? yield* Effect.promise(() => arrayOf(entry.content())) : []
          assert.isTrue(Buffer.from(given).equals(Buffer.concat(exported)))
          for (const [offset, length] of [
            [0, 1],
            [262_143, 2],
            [262_144, 262_144],
            [1, size],
            [size - 1, 5],
            [size, 5],
            [size + 7, 5],
            [9, 0]
          ] as const) {
            const part = given.subarray(offset, offset + length)
            assert.isTrue(
              Buffer.from(part).equals(yield* bytesAt(node, cid, { offset, length })),
              `${offset}+${length}`
            )
            assert.strictEqual((yield* node.cat(cid, { offset, length })).size, part.length)
          }
        }
      })
    )
  )

  it.live("names and targets come back byte for byte, with marks at their beginning and where they are not UTF-8", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const BAD = Uint8Array.of(0x78, 0xff, 0x79)
        const MARK = "\ufeffa.txt"
        const targets = [Uint8Array.of(0xef, 0xbb, 0xbf, 0x66, 0xff), utf8("\ufeff..")]
        const [bad, marked] = yield* Effect.forEach(targets, (target) =>
          Effect.map(addAll(node, [{ type: "symlink", path: "l", target }]), ([added]) => added!.cid)
        )
        const file = Cid.fromTextUnsafe(yield* addOne(node, "content"))
        // A directory by another program, written as dag-pb, with links in the order of their bytes.
        const link = (name: Uint8Array, { bytes }: Cid.Cid) => {
          const field = [0x0a, bytes.length, ...bytes, 0x12, name.length, ...name, 0x18, 0]
          return [0x12, field.length, ...field]
        }
        const directory = (...links: ReadonlyArray<ReadonlyArray<number>>) =>
          Effect.map(
            node.blockPut(Uint8Array.from([...links.flat(), 0x0a, 2, 8, 1]), { cidCodec: "dag-pb" }),
            ({ cid }) => cid
          )
        const inner = yield* directory(link(utf8("l"), bad!), link(utf8("m"), marked!))
        const outer = yield* directory(link(BAD, inner), link(Uint8Array.of(0xfe), file), link(utf8(MARK), file))

        const nameOf = ({ name, nameBytes }: IpfsNode.ListedEntry) => hex(nameBytes ?? utf8(name))
        const targetOf = ({ target, targetBytes }: Pick<IpfsNode.ContentInfo, "target" | "targetBytes">) =>
          hex(targetBytes ?? utf8(target ?? ""))
        const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")
        const listed = yield* Stream.runCollect(node.ls(String(outer)))
        assert.sameMembers(listed.map(nameOf), [hex(BAD), "fe", hex(utf8(MARK))])
        assert.sameMembers(
          listed.map(({ name }) => name),
          ["x\ufffdy", "\ufffd", MARK]
        )
        const below = yield* Stream.runCollect(node.ls(String(inner)))
        assert.deepStrictEqual(below.map(targetOf), targets.map(hex))
        assert.strictEqual(targetOf(yield* node.stat(String(bad))), hex(targets[0]!))
        const found = yield* Stream.runCollect(node.get(String(outer)))
        const root = utf8(String(outer))
        assert.sameMembers(
          found.map((one) => `${hex(one.pathBytes ?? utf8(one.path))} ${targetOf(one)}`),
          [
            [root],
            [root, BAD],
            [root, BAD, utf8("l")],
            [root, BAD, utf8("m")],
            [root, Uint8Array.of(0xfe)],
            [root, utf8(MARK)]
          ].map((names, at) => `${names.map(hex).join("2f")} ${at === 2 || at === 3 ? hex(targets[at - 2]!) : ""}`)
        )
      })
    )
  )

  it.live("a tree is told, listed and archived as it was given", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { dir, node } = yield* fresh
        const added = yield* addAll(node, tree)
        assert.deepStrictEqual(
          added.map(({ name }) => name),
          [
            "top/a.txt",
            "top/sub/b.bin",
            "top/sub/deep/c",
            "top/link",
            "top/naïve ☃.txt",
            // directories come last, in the order of their bytes, as from Kubo
            "top/none",
            "top/sub/deep",
            "top/sub",
            "top"
          ]
        )
        const root = String(added.at(-1)?.cid)

        const listed = yield* Stream.runCollect(node.ls(`/ipfs/${root}`))
        assert.deepStrictEqual(
          listed.map(({ name, size, target, type }) => ({ name, size, target, type })),
          [
            { name: "a.txt", size: 1, target: undefined, type: "file" },
            { name: "link", size: 0, target: "sub/deep/c", type: "symlink" },
            { name: "naïve ☃.txt", size: 4, target: undefined, type: "file" },
            { name: "none", size: 0, target: undefined, type: "directory" },
            { name: "sub", size: 0, target: undefined, type: "directory" }
          ]
        )
        const parts = yield* Stream.runCollect(node.ls(`${root}/sub/b.bin`))
        assert.deepStrictEqual(
          parts.map(({ name, size, type }) => [name, size, type]),
          [
            ["", 262_144, "file"],
            ["", 262_144, "file"],
            ["", 75_712, "file"]
          ]
        )

        const found = yield* node.get(`${root}/sub`).pipe(
          Stream.mapEffect(({ content, path, size, type }) =>
            Effect.map(Stream.runCollect(content), (pieces) => ({
              path,
              size,
              type,
              read: Buffer.concat(pieces).length
            }))
          ),
          Stream.runCollect
        )
        assert.deepStrictEqual(found, [
          { path: "sub", size: 0, type: "directory", read: 0 },
          { path: "sub/b.bin", size: 600_000, type: "file", read: 600_000 },
          { path: "sub/deep", size: 0, type: "directory", read: 0 },
          { path: "sub/deep/c", size: 0, type: "file", read: 0 }
        ])

        // the exporter finds the same CIDs in the same order
        const ours = yield* Effect.map(Stream.runCollect(node.get(root)), (all) =>
          all.map(({ cid, path }) => [path, String(cid)])
        )
        const theirs = yield* Effect.promise(() => arrayOf(recursive(root, storageOf(dir))))
        assert.deepStrictEqual(
          ours,
          theirs.map(({ cid, path }) => [path, String(cid)])
        )
      })
    )
  )

  it.live("stat tells the size that the parent's link tells", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const added = yield* addAll(node, tree)
        for (const { cid, name, size } of added) {
          const stat = yield* node.stat(String(cid))
          assert.strictEqual(stat.cumulativeSize, size, name)
        }
        const { blocks, size, type } = yield* node.stat(`${String(added.at(-1)?.cid)}/sub/b.bin`)
        assert.deepStrictEqual([blocks, size, type], [3, 600_000, "file"])
      })
    )
  )

  it.live("a directory around everything comes last, without a name, and is the only pin", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const added = yield* addAll(node, [{ path: "hello.txt", content: utf8("hello world") }], {
          wrapWithDirectory: true
        })
        assert.deepStrictEqual(
          added.map(({ name }) => name),
          ["hello.txt", ""]
        )
        const pins = yield* Stream.runCollect(node.pinLs([], { type: "recursive" }))
        assert.deepStrictEqual(
          pins.map(({ cid }) => String(cid)),
          [String(added[1]?.cid)]
        )
        assert.strictEqual((yield* bytesAt(node, `${String(added[1]?.cid)}/hello.txt`)).length, 11)
      })
    )
  )

  it.live("modes and times are stored if that is asked for, and only then, beside the content", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const entry = { path: "f", content: utf8("content"), mode: 0o640, mtime: 1_700_000_000, mtimeNsecs: 5 }
        const [plain] = yield* addAll(node, [entry])
        assert.strictEqual(String(plain?.cid), yield* addOne(node, "content"))
        const plainStat = yield* node.stat(String(plain?.cid))
        assert.deepStrictEqual([plainStat.mode, plainStat.mtime], [undefined, undefined])
        const [kept] = yield* addAll(node, [entry], { preserveMode: true, preserveMtime: true })
        assert.deepStrictEqual([kept?.mode, kept?.mtime, kept?.mtimeNsecs], [0o640, 1_700_000_000, 5])
        const stat = yield* node.stat(String(kept?.cid))
        assert.deepStrictEqual([stat.mode, stat.mtime, stat.mtimeNsecs], [0o640, 1_700_000_000, 5])
        assert.deepStrictEqual(yield* bytesAt(node, String(kept?.cid)), utf8("content"))
        const [forced] = yield* addAll(node, [entry], { mode: 0o400, mtime: -1 })
        const forcedStat = yield* node.stat(String(forced?.cid))
        assert.deepStrictEqual([forcedStat.mode, forcedStat.mtime], [0o400, -1])
        assert.deepStrictEqual(yield* bytesAt(node, String(forced?.cid)), utf8("content"))
      })
    )
  )

  it.live("modes and times of directories and symlinks are stored", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { dir, node } = yield* fresh
        const added = yield* addAll(
          node,
          [
            { type: "directory", path: "d", mode: 0o700, mtime: 9 },
            { path: "d/f", content: utf8("f"), mode: 0o600 },
            { type: "symlink", path: "d/to", target: "f", mtime: 8 }
          ],
          { preserveMode: true, preserveMtime: true }
        )
        assert.deepStrictEqual(
          added.map(({ mode, mtime, name }) => [name, mode, mtime]),
          [
            ["d/f", 0o700, 9],
            ["d/to", 0o700, 9],
            ["d", 0o700, 9]
          ]
        )
        const root = yield* Effect.promise(() => exporter(String(added.at(-1)?.cid), storageOf(dir)))
        assert.deepStrictEqual(root.type === "directory" ? [root.unixfs.mode, root.unixfs.mtime?.secs] : [], [
          0o700,
          9n
        ])
        const link = yield* node.stat(`${String(added.at(-1)?.cid)}/to`)
        assert.deepStrictEqual([link.type, link.target, link.mtime], ["symlink", "f", 8])
      })
    )
  )

  it.live("a file without a name is in the directory around everything under its CID", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const [file, around] = yield* addAll(node, [{ content: utf8("f") }], { wrapWithDirectory: true })
        assert.deepStrictEqual([file?.name, around?.name], [String(file?.cid), ""])
        assert.deepStrictEqual(yield* bytesAt(node, `${String(around?.cid)}/${String(file?.cid)}`), utf8("f"))
      })
    )
  )

  it.live("progress tells how far each file is, and ends with its size", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const told = yield* Stream.runCollect(
          node.add(
            [
              { path: "big", content: random("p", 1_000_000) },
              { path: "none", content: utf8("") }
            ],
            { progress: true }
          )
        )
        const big = told.flatMap((out) => (out._tag === "Progress" && out.name === "big" ? [out.bytes] : []))
        assert.deepStrictEqual(
          big,
          [...big].sort((a, b) => a - b)
        )
        assert.isAtLeast(big.length, 3)
        assert.strictEqual(big.at(-1), 1_000_000)
        assert.deepStrictEqual(
          told.map((out) => `${out._tag} ${out.name}`).filter((text, i, all) => text !== all[i - 1]),
          ["Progress big", "Added big", "Progress none", "Added none"]
        )
      })
    )
  )

  it.live("what cannot be meant or done is refused by its name, and nothing is kept", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { behind, node } = yield* fresh
        const file = [{ path: "f", content: utf8("f") }]
        const refused = (options: IpfsNode.AddOptions, entries: ReadonlyArray<IpfsNode.AddEntry> = file) =>
          Effect.map(reasonOf(addAll(node, entries, options)), (reason) => reason._tag)
        for (const options of [{ hash: "md5" }, { hash: "identity" }, { chunker: "buzhash" }]) {
          assert.strictEqual(yield* refused(options), "NotSupported")
        }
        for (const options of [
          { cidVersion: 2 },
          { cidVersion: 0, hash: "sha2-512" },
          { inline: true, inlineLimit: 129 },
          { chunker: "size-0" },
          { chunker: "size-3000000" },
          { chunker: "size" },
          { chunker: "rabin-1-2" },
          { chunker: "rabin-16-8-32" },
          { mtime: 1.5 },
          { mtime: 1, mtimeNsecs: 1_000_000_000 },
          { mtime: 1, rawLeaves: true },
          { maxHamtFanout: 100 },
          { maxFileLinks: 1 }
        ]) {
          assert.strictEqual(yield* refused(options), "InvalidRequest", JSON.stringify(options))
        }
        for (const path of ["../f", "a//b", "/f", "a/.", "a\0b"]) {
          assert.strictEqual(yield* refused({}, [{ path, content: utf8("f") }]), "InvalidRequest", path)
        }
        assert.strictEqual((yield* behind.repoStat).recursivePins, 0)

        const cid = yield* addOne(node, "f")
        const [directory] = yield* addAll(node, [{ type: "directory", path: "d" }])
        const d = String(directory?.cid)
        assert.strictEqual((yield* reasonOf(node.cat(d))).message, "this dag node is a directory")
        assert.strictEqual((yield* reasonOf(node.cat(cid, { offset: -1 }))).message, "cannot specify negative offset")
        assert.strictEqual((yield* reasonOf(node.cat(`${d}/x`))).message, `no link named "x" under ${d}`)
        assert.strictEqual((yield* reasonOf(node.cat(`${cid}/x`)))._tag, "WrongKind")
        assert.strictEqual((yield* reasonOf(node.cat("nothing")))._tag, "InvalidRequest")
        assert.strictEqual((yield* reasonOf(node.cat("/ipns/example.org")))._tag, "NotSupported")
        const unknown = "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"
        assert.strictEqual(
          (yield* reasonOf(node.cat(unknown))).message,
          `block was not found locally (offline): ipld: could not find ${unknown}`
        )
      })
    )
  )

  it.live("a name that is there twice is refused", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const f = (path: string) => ({ path, content: utf8(path) })
        for (const paths of [
          ["d/f", "d/f"],
          ["d/f", "d/f/g"],
          ["d/f/g", "d/f"]
        ]) {
          assert.strictEqual((yield* reasonOf(addAll(node, paths.map(f))))._tag, "InvalidRequest")
        }
        assert.deepStrictEqual(yield* Stream.runCollect(node.pinLs([])), [])
      })
    )
  )

  it.live("what the source of the content fails with is passed on, and nothing is pinned", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { node } = yield* fresh
        const cut = Stream.concat(random("cut", 900_000), Stream.fail("cut" as const))
        assert.strictEqual(yield* Effect.flip(addAll(node, [{ path: "d/f", content: cut }])), "cut")
        const ended = Stream.concat(Stream.succeed({ path: "d/g", content: utf8("g") }), Stream.fail("ended" as const))
        assert.strictEqual(yield* Effect.flip(addAll(node, ended)), "ended")
        assert.deepStrictEqual(yield* Stream.runCollect(node.pinLs([])), [])
      })
    )
  )

  it.live("a slow reader makes the disk slow: a few blocks are read ahead, not the file", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { dir, node } = yield* fresh
        const cid = yield* addOne(node, random("slow", 400 * 4096), { chunker: "size-4096" })
        const { bytes } = yield* node.cat(cid)
        let pieces = 0
        const reading = Stream.runForEach(
          Stream.rechunk(bytes, 1),
          Effect.fnUntraced(function* () {
            if (pieces++ > 0) return
            // long enough for the node to read the whole content
            yield* Effect.repeat(Effect.delay(Effect.void, "1 millis"), { times: 200 })
            for (const file of blockFiles(dir)) rmSync(file)
          })
        )
        assert.strictEqual((yield* reasonOf(reading))._tag, "NotFound")
        assert.isBelow(pieces, 40)
      })
    )
  )

  it.live("a hundred adds at once give what they give one by one", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { behind, node } = yield* fresh
        const sizes = Array.from({ length: 100 }, (_, i) => i * 5_003)
        const add = (size: number) => addOne(node, random("many", size))
        const together = yield* Effect.forEach(sizes, add, { concurrency: "unbounded" })
        const oneByOne = yield* Effect.forEach(sizes, (size) => addOne(node, random("many", size), { onlyHash: true }))
        assert.deepStrictEqual(together, oneByOne)
        assert.strictEqual((yield* behind.repoStat).recursivePins, 100)
        const read = yield* Effect.forEach(together, (cid) => bytesAt(node, cid), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          read.map(({ length }) => length),
          sizes
        )
      })
    )
  )
}
