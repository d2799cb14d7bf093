import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagPb from "@ipld/dag-pb"
import { Block, BlockSource, Cid, DagSelection } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Fiber, Result, Stream } from "effect"
import { exporter } from "ipfs-unixfs-exporter"
import { fixedSize } from "ipfs-unixfs-importer/chunker"
import { balanced } from "ipfs-unixfs-importer/layout"

import * as Imported from "../support/imported.ts"

const block = (code: number, bytes: Uint8Array): Block.Block => ({
  cid: Result.getOrThrow(Block.cidOf(code, bytes)),
  bytes
})
const raw = (text: string) => block(Block.RAW, new TextEncoder().encode(text))
const cbor = (value: unknown) => block(Block.DAG_CBOR, dagCbor.encode(value))

const texts = (blocks: Iterable<{ readonly cid: Cid.Cid }>) => Array.from(blocks, ({ cid }) => Cid.toText(cid))

const select = (blocks: Iterable<Block.Block>, root: Cid.Cid, options?: DagSelection.DagSelectionOptions) =>
  Effect.map(Stream.runCollect(DagSelection.blocks(BlockSource.fromBlocks(blocks), root, options)), texts)

/** Returns the expected blocks, depth first. It uses IPLD's own codecs and plain recursion. */
const inOrder = (blocks: Iterable<Block.Block>, root: Cid.Cid, duplicates: boolean): ReadonlyArray<string> => {
  const byKey = new Map(Array.from(blocks, ({ bytes, cid }) => [Cid.key(cid), bytes]))
  const out: Array<string> = []
  const visit = (cid: string): void => {
    if (!duplicates && out.includes(cid)) return
    out.push(cid)
    const { code } = Cid.fromTextUnsafe(cid)
    const bytes = byKey.get(Cid.key(Cid.fromTextUnsafe(cid)))!
    if (code === Block.DAG_PB) for (const { Hash } of dagPb.decode(bytes).Links) visit(String(Hash))
    if (code === Block.DAG_CBOR) for (const link of dagCbor.decode<ReadonlyArray<unknown>>(bytes)) visit(String(link))
  }
  visit(Cid.toText(root))
  return out
}

/** Returns the blocks that the exporter of js-ipfs reads for a range of a file or for the entries of a directory. */
const exported = async (
  { root, store }: Imported.Imported,
  range?: { readonly offset: number; readonly length: number }
) => {
  const asked = new Set<string>()
  const spy = {
    get: (cid: Parameters<typeof store.get>[0], options: Parameters<typeof store.get>[1]) => {
      asked.add(String(cid))
      return store.get(cid, options)
    }
  }
  const entry = await exporter(String(root), spy)
  if (entry.type === "directory") for await (const _ of entry.entries()) void _
  else if (entry.type === "file") for await (const _ of entry.content(range)) void _
  return asked
}

const content = (seed: number, size: number): Uint8Array => Random.bytes(Random.make(seed), size)

const LEAF = 100

/** Settings for leaves of 100 bytes under levels of at most four links. */
const FILE = {
  ...Imported.V0,
  chunker: fixedSize({ chunkSize: LEAF }),
  layout: balanced({ maxChildrenPerNode: 4 })
} as const

describe("DagSelection.blocks", () => {
  it.effect("gives what the exporter reads of a file or of a range of it, and nothing else", () =>
    Effect.gen(function* () {
      const random = Random.make(1)
      const bytes = content(2, 4050)
      bytes.copyWithin(2000, 0, 1600)
      const file = yield* Effect.promise(() => Imported.file(bytes, FILE))
      const ranges = [
        [0, 4049],
        [0, 0],
        [99, 100],
        [4049, 4049],
        ...Array.from({ length: Random.sized(100) }, () => {
          const from = Random.int(random, 4050)
          return [from, from + Random.int(random, 4050 - from)] as const
        })
      ] as ReadonlyArray<readonly [number, number]>
      for (const [from, to] of ranges) {
        // The exporter also reads a part that begins where the range ends. So such a range ends one byte earlier here,
        // in the same leaf.
        const end = (to + 1) % LEAF === 0 ? to - 1 : to
        const start = Math.min(from, end)
        const expected = yield* Effect.promise(() => exported(file, { offset: start, length: end - start + 1 }))
        for (const range of [
          { from, to },
          { from: from - 4050, to },
          { from, to: to - 4050 }
        ]) {
          const selected = yield* select(file.blocks, file.root, { scope: "entity", bytes: range })
          assert.lengthOf(new Set(selected), selected.length)
          assert.deepStrictEqual(new Set(selected), expected, `${range.from}:${range.to}`)
        }
      }
      const whole = yield* select(file.blocks, file.root, { scope: "entity" })
      assert.deepStrictEqual(whole, inOrder(file.blocks, file.root, false))
      assert.deepStrictEqual(yield* select(file.blocks, file.root, { scope: "entity", bytes: { from: 0 } }), whole)
    })
  )

  it.effect(
    "gives the root alone for a range without bytes, and the rest of the file for one that ends beyond it",
    () =>
      Effect.gen(function* () {
        const file = yield* Effect.promise(() => Imported.file(content(1, 1000), FILE))
        const of = (from: number, to?: number) =>
          select(file.blocks, file.root, { scope: "entity", bytes: { from, to } })
        for (const [from, to] of [
          [1000, 1000],
          [5000, undefined],
          [0, -1001],
          [-1, 5]
        ] as const) {
          assert.deepStrictEqual(yield* of(from, to), [Cid.toText(file.root)])
        }
        assert.deepStrictEqual(yield* of(950, 1_000_000), yield* of(950))
        assert.deepStrictEqual(yield* of(-5000), yield* of(0))
        assert.deepStrictEqual(yield* of(-1, -1), yield* of(999))
      })
  )

  it.effect("gives the shards of a directory without its entries, and one block of a plain one", () =>
    Effect.gen(function* () {
      const files = Array.from({ length: 300 }, (_, i) => [`d/${i}`, new TextEncoder().encode(`${i}`)] as const)
      for (const shardSplitThresholdBytes of [100, 1_000_000]) {
        const directory = yield* Effect.promise(() =>
          Imported.files(files, { ...Imported.V0, shardSplitThresholdBytes, wrapWithDirectory: false })
        )
        const selected = yield* select(directory.blocks, directory.root, { scope: "entity" })
        if (shardSplitThresholdBytes > 100) assert.deepStrictEqual(selected, [Cid.toText(directory.root)])
        else {
          assert.isAbove(selected.length, 10)
          const expected = directory.blocks.filter(({ bytes }) => dagPb.decode(bytes).Links.length > 0)
          assert.deepStrictEqual(
            new Set(selected.map((cid) => Cid.key(Cid.fromTextUnsafe(cid)))),
            new Set(expected.map(({ cid }) => Cid.key(cid)))
          )
        }
      }
    })
  )

  it.effect("goes depth first, and gives a block at its first place, whatever is loaded in advance", () =>
    Effect.gen(function* () {
      const random = Random.make(4)
      for (let run = 0; run < Random.sized(100); run++) {
        const made: Array<Block.Block> = [raw("0"), raw("1"), raw("2")]
        for (let i = 0; i < 10; i++) {
          const links = Array.from({ length: Random.int(random, 5) }, () => made[Random.int(random, made.length)]!.cid)
          made.push(cbor([...links, made.at(-1)!.cid].toReversed()))
        }
        const root = made.at(-1)!.cid
        const source = BlockSource.fromBlocks(made)
        const slow: BlockSource.BlockSource<Effect.Error<ReturnType<typeof source>>> = (cid) =>
          Effect.andThen(Effect.repeat(Effect.yieldNow, { times: Random.int(random, 5) }), source(cid))
        const once = yield* Stream.runCollect(DagSelection.blocks(slow, root))
        assert.deepStrictEqual(texts(once), inOrder(made, root, false))
        const all = inOrder(made, root, true).slice(0, 200)
        const again = Stream.take(DagSelection.blocks(slow, root, { duplicates: true }), all.length)
        assert.deepStrictEqual(texts(yield* Stream.runCollect(again)), all)
      }
    })
  )

  it.effect("leaves out blocks that were given before, follows them, and follows blocks inside their CIDs", () =>
    Effect.gen(function* () {
      const leaf = raw("a leaf")
      const inner = dagCbor.encode([leaf.cid])
      const inside = Cid.make(Block.DAG_CBOR, 0, inner)
      const root = cbor([inside, raw("another").cid])
      const blocks = [leaf, root, raw("another")]
      assert.deepStrictEqual(yield* select(blocks, root.cid), texts([root, leaf, raw("another")]))
      const given = [root.cid, leaf.cid]
      assert.deepStrictEqual(yield* select(blocks, root.cid, { given }), texts([raw("another")]))
      assert.deepStrictEqual(
        yield* select(blocks, root.cid, { given, duplicates: true }),
        texts([root, leaf, raw("another")])
      )
      assert.deepStrictEqual(yield* select(blocks, root.cid, { scope: "block" }), texts([root]))
      assert.deepStrictEqual(yield* select(blocks, root.cid, { scope: "entity" }), texts([root]))
    })
  )

  it.effect("refuses each block that does not match its CID, after those before it", () =>
    Effect.gen(function* () {
      const file = yield* Effect.promise(() => Imported.file(content(2, 2000), FILE))
      const order = inOrder(file.blocks, file.root, false)
      for (const [index, bad] of order.entries()) {
        const source = BlockSource.fromBlocks(file.blocks)
        const liar: BlockSource.BlockSource<Effect.Error<ReturnType<typeof source>>> = (cid) =>
          Effect.map(source(cid), (bytes) =>
            Cid.toText(cid) === bad ? bytes.map((byte, i) => (i === bytes.length - 1 ? byte ^ 1 : byte)) : bytes
          )
        const got: Array<string> = []
        const read = Stream.runForEach(DagSelection.blocks(liar, file.root), ({ cid }) =>
          Effect.sync(() => got.push(Cid.toText(cid)))
        )
        assert.strictEqual((yield* Effect.flip(read))._tag, "RefutedError")
        assert.deepStrictEqual(got, order.slice(0, index))
      }
    })
  )

  it.effect("stops at its limits: a DAG whose places multiply, and one that is too deep for a file", () =>
    Effect.gen(function* () {
      const doubled: Array<Block.Block> = [raw("x")]
      for (let i = 0; i < 40; i++) doubled.push(cbor([doubled.at(-1)!.cid, doubled.at(-1)!.cid]))
      const root = doubled.at(-1)!.cid
      assert.lengthOf(yield* select(doubled, root), 41)
      const tooMany = yield* Effect.flip(select(doubled, root, { duplicates: true, maxBlocks: 1000 }))
      assert.deepStrictEqual([tooMany._tag, "bound" in tooMany && tooMany.bound], ["LimitExceeded", "maxBlocks"])
      const file = yield* Effect.promise(() => Imported.file(content(3, 2000), FILE))
      const tooDeep = yield* Effect.flip(select(file.blocks, file.root, { scope: "entity", maxDepth: 2 }))
      assert.deepStrictEqual([tooDeep._tag, "bound" in tooDeep && tooDeep.bound], ["LimitExceeded", "maxDepth"])
    })
  )

  it.effect("loads no more than 16 blocks before their turn, and ends its loads with its reader", () =>
    Effect.gen(function* () {
      const leaves = Array.from({ length: 100 }, (_, i) => raw(`${i}`))
      const root = cbor(leaves.map(({ cid }) => cid))
      const source = BlockSource.fromBlocks([...leaves, root])
      let open = 0
      let most = 0
      const counting: BlockSource.BlockSource<Effect.Error<ReturnType<typeof source>>> = (cid) =>
        Cid.equals(cid, root.cid)
          ? source(cid)
          : Effect.suspend(() => {
              most = Math.max(most, ++open)
              return Effect.never
            }).pipe(Effect.onInterrupt(() => Effect.sync(() => open--)))
      const fiber = yield* Effect.forkChild(Stream.runDrain(DagSelection.blocks(counting, root.cid)))
      yield* Effect.repeat(Effect.yieldNow, { times: 200 })
      assert.isTrue(open > 0 && open <= 16)
      yield* Fiber.interrupt(fiber)
      assert.strictEqual(open, 0)
      assert.isAtMost(most, 16)
    })
  )
})
