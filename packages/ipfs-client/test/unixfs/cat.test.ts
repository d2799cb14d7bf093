import { assert, describe, it } from "@effect/vitest"
import * as dagPb from "@ipld/dag-pb"
import { Block, BlockSource, Cid, UnixFs, UnixFsData } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Effect, Fiber, Result, Stream } from "effect"
import { exporter } from "ipfs-unixfs-exporter"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { balanced } from "ipfs-unixfs-importer/layout"

import * as Imported from "../support/imported.ts"

/** Settings with small chunks and few links, so that small files become deep trees. */
const small = (chunkSize: number, maxChildrenPerNode: number, rawLeaves: boolean) => ({
  cidVersion: rawLeaves ? (1 as const) : (0 as const),
  rawLeaves,
  chunker: fixedSize({ chunkSize }),
  layout: balanced({ maxChildrenPerNode })
})

const read = <E>(stream: Stream.Stream<Uint8Array, E>): Effect.Effect<Buffer, E> =>
  Effect.map(Stream.runCollect(stream), (chunks) => Buffer.concat(chunks))

const oracle = async (
  { root, store }: Imported.Imported,
  range: { readonly offset: number; readonly length?: number }
): Promise<Buffer> => {
  const entry = await exporter(root, store)
  assert.include(["file", "raw"], entry.type)
  const parts: Array<Uint8Array> = []
  if (entry.type === "file" || entry.type === "raw") {
    for await (const part of entry.content(range)) {
      parts.push(part)
    }
  }
  return Buffer.concat(parts)
}

/** Returns a dag-pb block of a file with these children and these claimed sizes. */
const inner = (
  children: ReadonlyArray<readonly [Block.Block, size: number]>,
  lie: Partial<UnixFsData.UnixFsData> = {}
): Block.Block => {
  const blockSizes = children.map(([, size]) => size)
  const fileSize = blockSizes.reduce((sum, size) => sum + size, 0)
  const data = UnixFsData.encode({ kind: "file", fileSize, blockSizes, ...lie })
  const links = children.map(([{ cid }, size]) => dagPb.createLink("", size, cid))
  const bytes = dagPb.encode(dagPb.createNode(data, links))
  return { cid: Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes)), bytes }
}

const leaf = (bytes: Uint8Array): Block.Block => ({ cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes })

const failureOf = (
  root: Block.Block,
  others: ReadonlyArray<Block.Block>,
  options?: UnixFs.FileRange & UnixFs.UnixFsOptions
) => Effect.flip(read(UnixFs.cat(BlockSource.fromBlocks([root, ...others]), root.cid, options)))

describe("UnixFs.cat", () => {
  it.effect("reads what the importer wrote, and any range of it", () =>
    Effect.gen(function* () {
      const random = Random.make(6)
      for (let i = 0; i < Random.runs(40); i++) {
        const content = Random.bytes(random, Random.int(random, 600))
        const options = small(1 + Random.int(random, 40), 2 + Random.int(random, 5), i % 2 === 0)
        const imported = yield* Effect.promise(() => Imported.file(content, options))
        const source = BlockSource.fromBlocks(imported.blocks)
        const concurrency = 1 + Random.int(random, 20)
        const whole = yield* read(UnixFs.cat(source, imported.root, { concurrency }))
        assert.isTrue(whole.equals(content))
        const { size } = yield* UnixFs.stat(source, imported.root)
        assert.strictEqual(size, content.length)
        for (let j = 0; j < 8; j++) {
          const offset = Random.int(random, content.length + 20)
          const length = Random.pick(random, [undefined, 0, 1, Random.int(random, content.length + 20)])
          const part = yield* read(UnixFs.cat(source, imported.root, { offset, length, concurrency }))
          assert.isTrue(part.equals(content.subarray(offset, length === undefined ? undefined : offset + length)))
          if (offset < content.length && length !== 0) {
            const expected = yield* Effect.promise(() =>
              oracle(imported, length === undefined ? { offset } : { offset, length })
            )
            assert.isTrue(part.equals(expected))
          }
        }
      }
    })
  )

  it.effect("asks for the blocks of the range and for no other", () =>
    Effect.gen(function* () {
      const content = Random.bytes(Random.make(7), 4096)
      const imported = yield* Effect.promise(() => Imported.file(content, small(64, 4, true)))
      const { asked, source } = Imported.spied(imported.blocks)
      const part = yield* read(UnixFs.cat(source, imported.root, { offset: 1000, length: 10 }))
      assert.isTrue(part.equals(content.subarray(1000, 1010)))
      // the tree has 64 leaves, and each node has four children, so the path is: the root, two nodes, one leaf
      assert.strictEqual(asked.length, 4)
    })
  )

  it.effect("has the next blocks on their way, as many as the bound says", () =>
    Effect.gen(function* () {
      const content = Random.bytes(Random.make(8), 1000)
      const imported = yield* Effect.promise(() => Imported.file(content, small(10, 174, true)))
      const blocks = BlockSource.fromBlocks(imported.blocks)
      const go = yield* Deferred.make<void>()
      let now = 0
      let most = 0
      const source: typeof blocks = (cid) =>
        Effect.gen(function* () {
          now++
          most = Math.max(most, now)
          if (now === 5) yield* Deferred.succeed(go, undefined)
          // The root is answered immediately. All other blocks wait until five of them are requested.
          if (!Cid.equals(cid, imported.root)) yield* Deferred.await(go)
          now--
          return yield* blocks(cid)
        })
      const whole = yield* read(UnixFs.cat(source, imported.root, { concurrency: 5 }))
      assert.isTrue(whole.equals(content))
      assert.strictEqual(most, 5)
    })
  )

  it.effect("interrupts what is on its way when the reader has enough", () =>
    Effect.gen(function* () {
      const imported = yield* Effect.promise(() =>
        Imported.file(Random.bytes(Random.make(9), 100), small(10, 174, true))
      )
      const blocks = BlockSource.fromBlocks(imported.blocks)
      const others = yield* Deferred.make<void>()
      let started = 0
      let interrupted = 0
      const source: typeof blocks = (cid) =>
        Effect.gen(function* () {
          if (Cid.equals(cid, imported.root)) return yield* blocks(cid)
          if (++started === 1) {
            yield* Deferred.await(others)
            return yield* blocks(cid)
          }
          const told = started === 4 ? Deferred.succeed(others, undefined) : Effect.void
          return yield* Effect.onInterrupt(Effect.andThen(told, Effect.never), () => Effect.sync(() => interrupted++))
        })
      const part = yield* read(Stream.take(UnixFs.cat(source, imported.root, { concurrency: 4 }), 1))
      assert.strictEqual(part.length, 10)
      assert.strictEqual(interrupted, 3)
    })
  )

  it.effect("refutes every block that is changed, cut, or another, and gives no byte of it", () =>
    Effect.gen(function* () {
      const random = Random.make(10)
      const content = Random.bytes(random, 200)
      const imported = yield* Effect.promise(() => Imported.file(content, small(20, 3, false)))
      const blocks = imported.blocks
      for (let i = 0; i < blocks.length; i++) {
        const { bytes, cid } = blocks[i]!
        const other = blocks[(i + 1) % blocks.length]!.bytes
        const at = Random.int(random, bytes.length)
        for (const lie of [bytes.with(at, bytes[at]! ^ 0x80), bytes.subarray(0, -1), other, new Uint8Array(0)]) {
          const source = BlockSource.fromBlocks([...blocks, { cid, bytes: lie }])
          const given: Array<Uint8Array> = []
          const failure = yield* UnixFs.cat(source, imported.root).pipe(
            Stream.runForEach((chunk) => Effect.sync(() => given.push(chunk))),
            Effect.flip
          )
          assert.strictEqual(failure._tag, "RefutedError")
          assert.strictEqual(
            Cid.key(Cid.fromTextUnsafe("subject" in failure ? (failure.subject ?? "") : "")),
            Cid.key(cid)
          )
          const honest = Buffer.concat(given)
          assert.isTrue(honest.equals(content.subarray(0, honest.length)))
        }
      }
    })
  )

  it.effect("says which block the source does not have", () =>
    Effect.gen(function* () {
      const imported = yield* Effect.promise(() => Imported.file(new Uint8Array(50), small(10, 174, true)))
      const failure = yield* Effect.flip(read(UnixFs.cat(BlockSource.fromBlocks([]), imported.root)))
      assert.strictEqual(failure._tag, "MissingBlocks")
    })
  )

  it.effect("refuses parents that lie about the bytes below them", () =>
    Effect.gen(function* () {
      const part = leaf(new Uint8Array(10))
      const lies = [
        inner([[part, 11]]),
        inner([[part, 9]]),
        inner([[part, 10]], { fileSize: 11 }),
        inner([[part, 10]], { blockSizes: [] }),
        inner([[part, 10]], { blockSizes: [10, 10] }),
        inner([
          [part, Number.MAX_SAFE_INTEGER],
          [part, 10]
        ]),
        inner([[inner([[part, 10]]), 20]]),
        inner([[inner([[part, 10]], { kind: "directory" }), 10]]),
        inner([[leaf(new Uint8Array(0)), 10]])
      ]
      for (const [i, root] of lies.entries()) {
        const others = [part, leaf(new Uint8Array(0)), inner([[part, 10]]), inner([[part, 10]], { kind: "directory" })]
        const failure = yield* failureOf(root, others)
        assert.include(["MalformedBlock", "WrongKind"], failure._tag, `lie ${i}`)
      }
    })
  )

  it.effect("reads parts that are said to be empty, and refuses one that is not", () =>
    Effect.gen(function* () {
      const [hello, world, empty] = ["hello", "world", ""].map((text) => leaf(new TextEncoder().encode(text))) as [
        Block.Block,
        Block.Block,
        Block.Block
      ]
      // the file that Kubo 0.43 reads as "helloworld"
      const lying = inner([
        [hello, 5],
        [world, 0]
      ])
      const others = [hello, world, empty]
      for (const range of [{}, { length: 5 }, { length: 6 }, { offset: 5 }, { offset: 2 }, { offset: 5, length: 1 }]) {
        const failure = yield* failureOf(lying, others, range)
        assert.strictEqual(failure._tag, "MalformedBlock", JSON.stringify(range))
      }
      // If a range ends before the wrong block, the reader does not request that block.
      const begun = UnixFs.cat(BlockSource.fromBlocks([lying, hello]), lying.cid, { length: 4 })
      assert.strictEqual((yield* read(begun)).toString(), "hell")
      const honest = inner([
        [empty, 0],
        [hello, 5],
        [empty, 0],
        [inner([]), 0],
        [world, 5],
        [empty, 0]
      ])
      const whole = BlockSource.fromBlocks([honest, inner([]), ...others])
      assert.strictEqual((yield* read(UnixFs.cat(whole, honest.cid))).toString(), "helloworld")
      // The block is below a part of the file. The part and its parent both say that the part is empty.
      const below = inner([
        [hello, 5],
        [inner([[world, 0]]), 0]
      ])
      assert.strictEqual((yield* failureOf(below, [inner([[world, 0]]), ...others]))._tag, "MalformedBlock")
      // If a block is missing, the read fails, even if the block is empty.
      assert.strictEqual((yield* failureOf(honest, [hello, world]))._tag, "MissingBlocks")
    })
  )

  it.effect("refuses a part of a file with a name, and a message whose data is written as a number", () =>
    Effect.gen(function* () {
      const part = leaf(Uint8Array.of(1, 2))
      const data = UnixFsData.encode({ kind: "file", fileSize: 2, blockSizes: [2] })
      const named = dagPb.encode(dagPb.createNode(data, [dagPb.createLink("name", 2, part.cid)]))
      const root = { cid: Result.getOrThrow(Block.cidOf(Block.DAG_PB, named)), bytes: named }
      assert.strictEqual((yield* failureOf(root, [part]))._tag, "MalformedBlock")
      // Field 2 (the data) has the wrong wire type: four fixed bytes. Go's protobuf ignores such a field, and would
      // read an empty file.
      const fixed = dagPb.encode(dagPb.createNode(Uint8Array.of(8, 2, 0x15, 1, 2, 3, 4), []))
      const odd = { cid: Result.getOrThrow(Block.cidOf(Block.DAG_PB, fixed)), bytes: fixed }
      assert.strictEqual((yield* failureOf(odd, []))._tag, "MalformedBlock")
    })
  )

  it.effect("is stopped by its bounds, not by a tree that repeats itself", () =>
    Effect.gen(function* () {
      // Each level links a hundred times to the level below, so the tree has far too many parts to visit.
      const empty = leaf(new Uint8Array(0))
      const levels: Array<Block.Block> = [inner(Array.from({ length: 100 }, () => [empty, 0] as const))]
      for (let i = 0; i < 29; i++) levels.unshift(inner(Array.from({ length: 100 }, () => [levels[0]!, 0] as const)))
      const { asked, source } = Imported.spied([...levels, empty])
      assert.strictEqual((yield* read(UnixFs.cat(source, levels[0]!.cid))).length, 0)
      assert.strictEqual(asked.length, levels.length + 1, "each part without bytes is asked for once")

      let deep = leaf(new Uint8Array(1))
      const chain = [deep]
      for (let i = 0; i < 40; i++) chain.push((deep = inner([[deep, 1]])))
      const tooDeep = yield* failureOf(deep, chain)
      assert.isTrue(tooDeep._tag === "LimitExceeded" && tooDeep.bound === "maxDepth")
      assert.strictEqual((yield* read(UnixFs.cat(BlockSource.fromBlocks(chain), deep.cid, { maxDepth: 41 }))).length, 1)

      const one = leaf(new Uint8Array(1))
      const wide = inner(Array.from({ length: 50 }, () => [one, 1] as const))
      const tooWide = yield* failureOf(wide, [one], { maxWidth: 49 })
      assert.isTrue(tooWide._tag === "LimitExceeded" && tooWide.bound === "maxWidth")
      const tooMany = yield* failureOf(wide, [one], { maxBlocks: 50 })
      assert.isTrue(tooMany._tag === "LimitExceeded" && tooMany.bound === "maxBlocks")
      const tooLarge = yield* failureOf(wide, [one], { maxBlockSize: wide.bytes.length - 1 })
      assert.strictEqual(tooLarge._tag, "UnprovenError")
    })
  )

  it.effect("reads bytes that stand in the CID, and bytes beside links", () =>
    Effect.gen(function* () {
      const inlined = Cid.make(Block.RAW, 0, Uint8Array.of(7, 8, 9))
      const none = BlockSource.fromBlocks([])
      assert.deepStrictEqual([...(yield* read(UnixFs.cat(none, inlined, { offset: 1 })))], [8, 9])
      const part = leaf(Uint8Array.of(3, 4))
      const mixed = inner([[part, 2]], { data: Uint8Array.of(1, 2), fileSize: 4 })
      const source = BlockSource.fromBlocks([mixed, part])
      assert.deepStrictEqual([...(yield* read(UnixFs.cat(source, mixed.cid)))], [1, 2, 3, 4])
      assert.deepStrictEqual([...(yield* read(UnixFs.cat(source, mixed.cid, { offset: 1, length: 2 })))], [2, 3])
    })
  )

  it.effect("reads no directory and no other codec as a file", () =>
    Effect.gen(function* () {
      const directory = inner([], { kind: "directory" })
      const failure = yield* failureOf(directory, [])
      assert.isTrue(failure._tag === "WrongKind" && failure.got === "directory")
      const bytes = Uint8Array.of(0x80)
      const other = { cid: Result.getOrThrow(Block.cidOf(Block.DAG_CBOR, bytes)), bytes }
      assert.strictEqual((yield* failureOf(other, []))._tag, "UnprovenError")
      const fiber = yield* Effect.forkChild(failureOf(leaf(new Uint8Array(1)), [], { maxDepth: 0 }))
      assert.strictEqual((yield* Fiber.join(fiber))._tag, "LimitExceeded")
    })
  )
})
