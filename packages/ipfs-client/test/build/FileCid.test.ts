import { createCipheriv, createHash } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import * as dagPb from "@ipld/dag-pb"
import { Block, BlockSource, Cid, FileCid, Multihash, UnixFs } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result, Stream } from "effect"
import { UnixFS } from "ipfs-unixfs"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { balanced, trickle } from "ipfs-unixfs-importer/layout"

import * as FileNodes from "../../src/build/fileNodes.ts"
import * as Imported from "../support/imported.ts"

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Kubo's test files: the keystream of ChaCha20 with the hash of a seed as its key (test/cli/testutils). */
const keystream = (seed: string, size: number): Uint8Array =>
  createCipheriv("chacha20", createHash("sha256").update(seed).digest(), Buffer.alloc(16)).update(Buffer.alloc(size))

const cidOf = (content: Uint8Array, options?: FileCid.FileCidOptions): Effect.Effect<string> =>
  Effect.map(FileCid.ofStream(Stream.make(content), options), ({ cid }) => Cid.toText(cid))

const pieces = (random: Random.Random, bytes: Uint8Array, most: number): Stream.Stream<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const size = Random.int(random, most + 1)
    parts.push(bytes.subarray(at, at + size))
    at += size
  }
  return Stream.fromIterable(parts)
}

/** Kubo's CIDs, from its sharness tests and cid_profiles_test.go. */
const KUBO = [
  ["", "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH"],
  ["hello\n", "QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN"],
  ["hello world\n", "QmT78zSuBmuS4z925WZfrqQ1qHaJ56DQaTfyMUF7F8ff5o"],
  ["hello world", "Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"]
] as const

const LARGE = [
  ["chunk-v0-seed", 262_144, "QmWmRj3dFDZdb6ABvbmKhEL6TmPbAfBZ1t5BxsEyJrcZhE"],
  ["chunk-v0-seed", 262_145, "QmYyLxtzZyW22zpoVAtKANLRHpDjZtNeDjQdJrcQNWoRkJ"],
  ["v0-seed", 45_613_056, "QmUbBALi174SnogsUzLpYbD4xPiBSFANF4iztWCsHbMKh2"],
  ["v0-seed", 45_613_057, "QmV81WL765sC8DXsRhE5fJv2rwhS4icHRaf3J9Zk5FdRnW"]
] as const

const OTHERS = [
  ["hello world", FileCid.KUBO_V1, "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e"],
  ["", { ...FileCid.KUBO_V1, cidVersion: 0 }, "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"],
  [
    "hello world",
    { ...FileCid.UNIXFS_V0_2015, cidVersion: 1 },
    "bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa"
  ],
  [
    "hello world",
    { ...FileCid.KUBO_V1, hash: "sha2-512" },
    "bafkrgqbqt3gerhas23vuzrapkdeqf4vu2dwxp3srdj6hvg6nhsug2tgyn6mj3u23yx7utftq3i2ckw2fwdh5qmhid5qf3t35yvkc5e5ottlw6"
  ],
  [
    "Hello Venus!\n",
    { ...FileCid.KUBO_V1, hash: "blake2b-256" },
    "bafk2bzacebxnke2fb5mgzxyjuuavvcfht4fd3gvn4klkujz6k72wboynhuvfw"
  ]
] as const satisfies ReadonlyArray<readonly [string, FileCid.FileCidOptions, string]>

describe("FileCid", () => {
  it.effect("gives the CIDs that Kubo gives", () =>
    Effect.gen(function* () {
      for (const [text, cid] of KUBO) assert.strictEqual(yield* cidOf(utf8(text)), cid)
      for (const [text, options, cid] of OTHERS) assert.strictEqual(yield* cidOf(utf8(text), options), cid)
      for (const [seed, size, cid] of LARGE) assert.strictEqual(yield* cidOf(keystream(seed, size)), cid)
      assert.strictEqual(
        yield* cidOf(keystream("chunk-v1-seed", 1_048_576), FileCid.UNIXFS_V1_2025),
        "bafkreiacndfy443ter6qr2tmbbdhadvxxheowwf75s6zehscklu6ezxmta"
      )
    })
  )

  it.effect("gives the CIDs and the blocks that the importer gives, in trees of every shape", () =>
    Effect.gen(function* () {
      const random = Random.make(16)
      for (let i = 0; i < Random.runs(Random.sized(80)); i++) {
        const chunkSize = 1 + Random.int(random, 30)
        const maxLinks = 2 + Random.int(random, 4)
        const cidVersion = i % 2 === 0 ? 0 : 1
        const rawLeaves = i % 3 === 0
        const content = Random.bytes(random, Random.int(random, i < 20 ? 70 : 900))
        const options = { ...FileCid.UNIXFS_V0_2015, cidVersion, rawLeaves, chunkSize, maxLinks } as const
        const imported = yield* Effect.promise(() =>
          Imported.file(content, {
            cidVersion,
            rawLeaves,
            chunker: fixedSize({ chunkSize }),
            layout: balanced({ maxChildrenPerNode: maxLinks })
          })
        )
        const root = yield* FileCid.ofStream(pieces(random, content, Random.pick(random, [1, 10, 1000])), options)
        assert.strictEqual(root.cid.toString(), imported.root.toString())
        assert.strictEqual(root.size, content.length)
        const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(content), options))
        assert.strictEqual(blocks.at(-1)!.cid.toString(), imported.root.toString(), "the root is last")
        const keys = (blocks: ReadonlyArray<Block.Block>) => [...new Set(blocks.map(({ cid }) => Cid.key(cid)))].sort()
        assert.deepStrictEqual(keys(blocks), keys(imported.blocks))
        assert.strictEqual(
          root.totalSize,
          blocks.reduce((sum, { bytes }) => sum + bytes.length, 0)
        )
        for (const { bytes, cid } of blocks) assert.isTrue(Result.isSuccess(Block.check(cid, bytes)))
        const read = yield* Stream.runCollect(UnixFs.cat(BlockSource.fromBlocks(blocks), root.cid))
        assert.isTrue(Buffer.concat(read).equals(content))
      }
    })
  )

  it.effect("gives the trickle trees that the importer gives, and Kubo's CID of one", () =>
    Effect.gen(function* () {
      // sharness t0040, `ipfs add --trickle`
      const kubo = "QmUkUQgxXeggyaD5Ckv8ZqfW8wHBX6cYyeiyqvVZYzq5Bi"
      assert.strictEqual(yield* cidOf(utf8("Hello Worlds!\n"), { ...FileCid.UNIXFS_V0_2015, trickle: true }), kubo)
      const random = Random.make(18)
      for (let i = 0; i < Random.runs(Random.sized(60)); i++) {
        const maxLinks = 2 + Random.int(random, 3)
        const rawLeaves = i % 3 === 0
        const content = Random.bytes(random, 1 + Random.int(random, i < 20 ? 70 : 900))
        const options = { ...FileCid.UNIXFS_V0_2015, rawLeaves, chunkSize: 7, maxLinks, trickle: true } as const
        const imported = yield* Effect.promise(() =>
          Imported.file(content, {
            cidVersion: 0,
            rawLeaves,
            leafType: "raw",
            reduceSingleLeafToSelf: false,
            chunker: fixedSize({ chunkSize: 7 }),
            layout: trickle({ maxChildrenPerNode: maxLinks })
          })
        )
        const blocks = yield* Stream.runCollect(FileCid.blocks(pieces(random, content, 100), options))
        const read = yield* Stream.runCollect(UnixFs.cat(BlockSource.fromBlocks(blocks), blocks.at(-1)!.cid))
        assert.isTrue(Buffer.concat(read).equals(content))
        assert.strictEqual(
          String(blocks.at(-1)!.cid),
          String(imported.root),
          `${content.length} bytes, ${maxLinks} links`
        )
      }
      const empty = yield* cidOf(new Uint8Array(0), { ...FileCid.UNIXFS_V0_2015, trickle: true })
      assert.strictEqual(empty, "QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH")
    })
  )

  it.effect("says mode and time in the root and nowhere else, and keeps the bytes", () =>
    Effect.gen(function* () {
      const mtime = { seconds: -5n, nanoseconds: 7 }
      for (const size of [0, 1, 10, 11, 100]) {
        for (const options of [FileCid.UNIXFS_V0_2015, FileCid.KUBO_V1, { ...FileCid.UNIXFS_V0_2015, trickle: true }]) {
          const content = new Uint8Array(size).fill(7)
          const small = { ...options, chunkSize: 10, maxLinks: 3 }
          const blocks = yield* Stream.runCollect(
            FileCid.blocks(Stream.make(content), { ...small, mode: 0o750, mtime })
          )
          const source = BlockSource.fromBlocks(blocks)
          const root = blocks.at(-1)!
          const read = yield* Stream.runCollect(UnixFs.cat(source, root.cid))
          assert.isTrue(Buffer.concat(read).equals(content))
          const told = UnixFS.unmarshal(dagPb.decode(root.bytes).Data!)
          assert.deepStrictEqual([told.type, told.mode, told.mtime], ["file", 0o750, { secs: -5n, nsecs: 7 }])
          // All other blocks are the same as without the attributes.
          const plain = yield* Stream.runCollect(FileCid.blocks(Stream.make(content), small))
          const keys = (blocks: ReadonlyArray<Block.Block>) => blocks.slice(0, -1).map(({ cid }) => Cid.toText(cid))
          assert.deepStrictEqual(keys(blocks), keys(plain))
          assert.strictEqual(Cid.toText(plain.at(-1)!.cid), yield* cidOf(content, small))
        }
      }
    })
  )

  it.effect("keeps small blocks within their CIDs", () =>
    Effect.gen(function* () {
      // sharness t0046
      const options = { ...FileCid.UNIXFS_V0_2015, rawLeaves: true, inlineLimit: 32 } as const
      assert.strictEqual(yield* cidOf(utf8("jkD98jkD975hkD8\n"), options), "bafkqaedknncdsodknncdsnzvnbvuioak")
      const blocks = yield* Stream.runCollect(
        FileCid.blocks(Stream.make(new Uint8Array(100)), { ...options, chunkSize: 32, maxLinks: 2 })
      )
      assert.deepStrictEqual(
        blocks.map(({ bytes, cid }) => [bytes.length, cid.multihash.code]),
        blocks.map(({ bytes }) => [bytes.length, bytes.length > 32 ? Multihash.SHA2_256 : Multihash.IDENTITY])
      )
      const held = blocks.filter(({ cid }) => Multihash.inlined(cid) === undefined)
      assert.strictEqual(
        Buffer.concat(yield* Stream.runCollect(UnixFs.cat(BlockSource.fromBlocks(held), held.at(-1)!.cid))).length,
        100
      )
    })
  )

  it.effect("takes content that is cut already", () =>
    Effect.gen(function* () {
      const chunks = [3, 9, 1].map((size) => new Uint8Array(size).fill(size))
      const blocks = yield* Stream.runCollect(FileCid.blocksOfChunks(Stream.fromIterable(chunks), FileCid.KUBO_V1))
      assert.deepStrictEqual(
        blocks.slice(0, 3).map(({ bytes }) => [...bytes]),
        chunks.map((chunk) => [...chunk])
      )
      assert.strictEqual(blocks.length, 4)
    })
  )

  it("writes sizes beyond 2 and 4 GiB", () => {
    const { cid } = FileNodes.parent([], (bytes) => Cid.makeV0(Multihash.digestOf("sha2-256", bytes)))
    for (const size of [2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 45]) {
      const { bytes, size: whole } = FileNodes.parent(
        [
          { cid, size, totalSize: size + 9 },
          { cid, size: 1, totalSize: 10 }
        ],
        () => cid
      )
      const { Data, Links } = dagPb.decode(bytes)
      const told = UnixFS.unmarshal(Data!)
      assert.strictEqual(whole, size + 1)
      assert.deepStrictEqual(told.blockSizes, [BigInt(size), 1n])
      assert.strictEqual(told.fileSize(), BigInt(size + 1))
      assert.deepStrictEqual(
        Links.map(({ Tsize }) => Tsize),
        [size + 9, 10]
      )
    }
  })

  it.effect("makes blocks that check out under each hash function", () =>
    Effect.gen(function* () {
      for (const hash of Object.keys(Multihash.codes) as Array<Multihash.MultihashName>) {
        const options: FileCid.FileCidOptions = { ...FileCid.KUBO_V1, hash, chunkSize: 10_000, maxLinks: 2 }
        const blocks = yield* Stream.runCollect(FileCid.blocks(Stream.make(new Uint8Array(45_000)), options))
        for (const { bytes, cid } of blocks) {
          assert.strictEqual(cid.multihash.code, Multihash.codes[hash])
          assert.isTrue(Result.isSuccess(Block.check(cid, bytes)))
        }
      }
    })
  )

  it.effect("reads no further than a few chunks ahead of what is taken", () =>
    Effect.gen(function* () {
      let read = 0
      const file = Stream.range(1, 100_000).pipe(
        Stream.rechunk(1),
        Stream.map(() => {
          read += 1000
          return new Uint8Array(1000)
        })
      )
      const options = { ...FileCid.KUBO_V1, chunkSize: 1000 }
      yield* FileCid.blocks(file, options).pipe(Stream.take(3), Stream.runDrain)
      assert.isAtMost(read, 20_000)
    })
  )

  it.effect("hands on what the stream fails with", () =>
    Effect.gen(function* () {
      const file = Stream.concat(Stream.make(new Uint8Array(10)), Stream.fail("broken" as const))
      assert.strictEqual(yield* Effect.flip(FileCid.ofStream(file)), "broken")
    })
  )
})

/** Options for building a file. With each of them, at least one block is emitted only at the end of the stream. */
const HOLDING: ReadonlyArray<readonly [name: string, options: FileCid.FileCidOptions]> = [
  ["a balanced tree", { ...FileCid.UNIXFS_V0_2015, chunkSize: 10, maxLinks: 3 }],
  ["a tree of raw leaves", { ...FileCid.KUBO_V1, chunkSize: 10, maxLinks: 3 }],
  ["a tree for reading from the beginning", { ...FileCid.KUBO_V1, chunkSize: 10, maxLinks: 3, trickle: true }],
  ["a root with a mode", { ...FileCid.KUBO_V1, chunkSize: 10, maxLinks: 3, mode: 0o644 }]
]

describe("a source that ends before the end of the file", () => {
  /** Returns the CIDs of the blocks that the stream emits, and the exit with which it ends. */
  const come = <E>(file: Stream.Stream<Uint8Array, E>, options: FileCid.FileCidOptions) =>
    Effect.gen(function* () {
      const blocks: Array<Block.Block> = []
      const exit = yield* FileCid.blocks(file, options).pipe(
        Stream.runForEach((block) => Effect.sync(() => blocks.push(block))),
        Effect.exit
      )
      return { exit, cids: blocks.map(({ cid }) => Cid.toText(cid)) }
    })

  const content = keystream("cut", 200)
  const sources = (bytes: Uint8Array) =>
    [
      ["fails", Stream.concat(Stream.make(bytes), Stream.fail("broken"))],
      ["dies", Stream.concat(Stream.make(bytes), Stream.die("broken"))],
      ["is interrupted", Stream.concat(Stream.make(bytes), Stream.fromEffect(Effect.interrupt))]
    ] as const

  it.effect.each(HOLDING)("gives no root of the part that came, and no last chunk of it: %s", ([, options]) =>
    Effect.gen(function* () {
      for (const size of [0, 1, 9, 10, 11, 29, 30, 31, 95, 200]) {
        const cut = content.subarray(0, size)
        const whole = yield* come(Stream.make(cut), options)
        assert.strictEqual(whole.exit._tag, "Success")
        // full chunks are blocks of the complete file too, so a longer file has the same blocks
        const longer = yield* come(Stream.make(keystream("cut", 1000)), options)
        for (const [name, source] of sources(cut)) {
          const { cids, exit } = yield* come(source, options)
          assert.strictEqual(exit._tag, "Failure", name)
          const root = whole.cids.at(-1)!
          if (size % 10 !== 0 || size > 10) assert.notInclude(cids, root, `${name} after ${size} bytes`)
          assert.deepStrictEqual(cids, longer.cids.slice(0, cids.length), `${name} after ${size} bytes`)
        }
      }
    })
  )
})
