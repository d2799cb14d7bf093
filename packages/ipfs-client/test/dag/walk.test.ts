import { assert, describe, it } from "@effect/vitest"
import * as dagCbor from "@ipld/dag-cbor"
import * as dagJson from "@ipld/dag-json"
import * as dagPb from "@ipld/dag-pb"
import { Block, BlockSource, Cid, Dag } from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"

import * as Imported from "../support/imported.ts"

const block = (code: number, bytes: Uint8Array): Block.Block => ({
  cid: Result.getOrThrow(Block.cidOf(code, bytes)),
  bytes
})
const raw = (text: string) => block(Block.RAW, new TextEncoder().encode(text))
const cbor = (value: unknown) => block(Block.DAG_CBOR, dagCbor.encode(value))

const steps = (blocks: ReadonlyArray<Block.Block>, root: Block.Block, options?: Dag.WalkOptions) =>
  Stream.runCollect(Dag.walk(BlockSource.fromBlocks(blocks), root.cid, options))

const texts = (walk: ReadonlyArray<Dag.WalkStep>) => walk.map(({ cid }) => Cid.toText(cid))

describe("Dag.walk", () => {
  it.effect("gives each block once, depth first, and the links of the importer with names, sizes and places", () =>
    Effect.gen(function* () {
      const content = new TextEncoder().encode("the same content twice")
      const paths = ["d/a/x", "d/a/y", "d/b/x"].map((path) => [path, content] as const)
      const { blocks, root } = yield* Effect.promise(() => Imported.files(paths, Imported.V0))
      const source = BlockSource.fromBlocks(blocks)
      const walk = yield* Stream.runCollect(Dag.walk(source, root))
      // three directories, and one block for the three equal files
      assert.lengthOf(walk, 4)
      assert.strictEqual(new Set(texts(walk)).size, 4)
      const known = new Map(walk.map((step) => [Cid.toText(step.cid), step]))
      for (const { bytes, cid, codec, depth, links, parent } of walk) {
        assert.strictEqual(codec, "dag-pb")
        const expected = dagPb.decode(bytes).Links
        assert.deepStrictEqual(
          links.map(({ cid, name, size }) => [String(cid), name, size]),
          expected.map(({ Hash, Name, Tsize }) => [String(Hash), Name, Tsize])
        )
        for (const { cid, inBlock } of links) {
          const { length, offset } = inBlock!
          assert.deepStrictEqual(bytes.slice(offset, offset + length), Uint8Array.from(cid.multihash.digest))
        }
        if (parent === null) assert.isTrue(Cid.equals(cid, root) && depth === 0)
        else {
          const above = known.get(Cid.toText(parent.cid))!
          assert.isTrue(Cid.equals(above.links[parent.link]!.cid, cid))
          assert.strictEqual(depth, above.depth + 1)
        }
      }
    })
  )

  it.effect("goes depth first, whatever is loaded in advance", () =>
    Effect.gen(function* () {
      const [one, two, three] = [raw("one"), raw("two"), raw("three")]
      const [left, right] = [cbor([one.cid, two.cid]), cbor([two.cid, three.cid])]
      const root = cbor({ left: left.cid, right: right.cid })
      const order = [root, left, one, two, right, three]
      for (const concurrency of [1, 8]) {
        assert.deepStrictEqual(
          texts(yield* steps(order.toReversed(), root, { concurrency })),
          order.map(({ cid }) => Cid.toText(cid))
        )
      }
    })
  )

  it.effect(
    "has no place for links that are text, finds two equal links at two places, and stops at foreign codecs",
    () =>
      Effect.gen(function* () {
        const leaf = raw("leaf")
        const json = block(Block.DAG_JSON, dagJson.encode({ to: leaf.cid }))
        const foreign = block(0x300000, dagCbor.encode({ to: leaf.cid }))
        const root = cbor([json.cid, foreign.cid, json.cid])
        const [first, second, third, fourth] = yield* steps([leaf, json, foreign, root], root)
        const [one, , again] = first!.links
        assert.isAbove(again!.inBlock!.offset, one!.inBlock!.offset)
        assert.strictEqual(second!.codec, "dag-json")
        assert.deepStrictEqual(
          second!.links.map(({ inBlock, name }) => [inBlock, name]),
          [[null, undefined]]
        )
        assert.isTrue(Cid.equals(third!.cid, leaf.cid))
        assert.deepStrictEqual([fourth!.codec, fourth!.links], [undefined, []])
      })
  )

  it.effect("fails at the block that is wrong or missing, after the steps before it", () =>
    Effect.gen(function* () {
      const [one, two] = [raw("one"), raw("two")]
      const root = cbor([one.cid, two.cid])
      const taken: Array<string> = []
      const walked = (source: BlockSource.BlockSource<unknown>) =>
        Dag.walk(source, root.cid).pipe(
          Stream.runForEach(({ cid }) => Effect.sync(() => taken.push(Cid.toText(cid)))),
          Effect.flip
        )
      const honest = BlockSource.fromBlocks([root, one])
      const lying = (cid: Cid.Cid) => (Cid.equals(cid, two.cid) ? Effect.succeed(one.bytes) : honest(cid))
      assert.propertyVal(yield* walked(lying), "_tag", "RefutedError")
      assert.deepStrictEqual(taken, [Cid.toText(root.cid), Cid.toText(one.cid)])
      assert.propertyVal(yield* walked(honest), "_tag", "MissingBlocks")
    })
  )

  it.effect("is bounded in blocks and in depth, and loads no more than is taken", () =>
    Effect.gen(function* () {
      const blocks = [raw("end")]
      for (let i = 0; i < 40; i++) blocks.unshift(cbor([blocks[0]!.cid]))
      const bound = (options: Dag.WalkOptions) => Effect.flip(steps(blocks, blocks[0]!, options))
      assert.deepInclude(yield* bound({}), { _tag: "LimitExceeded", bound: "maxDepth", limit: 32 })
      assert.deepInclude(yield* bound({ maxBlocks: 5 }), { _tag: "LimitExceeded", bound: "maxBlocks", limit: 5 })
      assert.lengthOf(yield* steps(blocks, blocks[0]!, { maxDepth: 41, maxBlocks: 41 }), 41)
      let asked = 0
      const all = BlockSource.fromBlocks(blocks)
      const counted = (cid: Cid.Cid) => Effect.suspend(() => (asked++, all(cid)))
      const few = yield* Stream.runCollect(Stream.take(Dag.walk(counted, blocks[0]!.cid), 3))
      assert.lengthOf(few, 3)
      assert.isAtMost(asked, 4)
    })
  )
})
