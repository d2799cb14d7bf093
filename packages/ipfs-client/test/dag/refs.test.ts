/** Tests lists of links and counts of blocks: the order and the numbers of Kubo 0.43.0, over honest and lying sources. */
import { assert, it } from "@effect/vitest"
import * as DagPb from "@ipld/dag-pb"
import { Effect, Result, Stream } from "effect"

import * as DagRefs from "../../src/dag/dagRefs.ts"
import { Block, BlockSource, Cid, type IpfsClient, NodeReads, ProvenIpfsClient } from "../../src/index.ts"

const cidOf = (code: number, bytes: Uint8Array): Cid.Cid => Result.getOrThrow(Block.cidOf(code, bytes))
const leaf = new TextEncoder().encode("leaf")
const leafCid = cidOf(Block.RAW, leaf)

const nodeOf = (...links: ReadonlyArray<readonly [name: string, cid: Cid.Cid]>): Block.Block => {
  const bytes = DagPb.encode({ Data: Uint8Array.of(8, 1), Links: links.map(([Name, Hash]) => ({ Name, Hash })) })
  return { cid: cidOf(Block.DAG_PB, bytes), bytes }
}

// the root links to the leaf twice, once through a directory
const inner = nodeOf(["x", leafCid])
const root = nodeOf(["a", leafCid], ["d", inner.cid])
const blocks = [root, inner, { cid: leafCid, bytes: leaf }]
const source = BlockSource.fromBlocks(blocks)

const names = (options: DagRefs.RefsOptions, from: BlockSource.BlockSource<unknown> = source) =>
  Effect.map(Stream.runCollect(DagRefs.refs(from, root.cid, options)), (refs) => refs.map(({ name }) => name).join(" "))

it.effect("links are listed as Kubo lists them, by depth and once or each time", () =>
  Effect.gen(function* () {
    assert.strictEqual(yield* names({}), "a d")
    assert.strictEqual(yield* names({ maxDepth: Infinity }), "a d x")
    assert.strictEqual(yield* names({ maxDepth: Infinity, unique: true }), "a d")
    assert.strictEqual(yield* names({ maxDepth: 0 }), "")
    assert.strictEqual(DagRefs.depthOf({}), 1)
    assert.strictEqual(DagRefs.depthOf({ recursive: true }), Infinity)
    assert.strictEqual(DagRefs.depthOf({ recursive: true, maxDepth: 3 }), 3)
    const ref = { from: root.cid, to: leafCid, name: "$&" }
    assert.strictEqual(
      DagRefs.written(ref, "<linkname> <src><src> <x>", () => "c"),
      "$& cc <x>"
    )
  })
)

it.effect(
  "a list of links ends with an error at a block that is wrong or missing, and after the last permitted block",
  () =>
    Effect.gen(function* () {
      const wrong: BlockSource.BlockSource<unknown> = (cid) =>
        Cid.equals(cid, leafCid) ? Effect.succeed(Uint8Array.of(1)) : source(cid)
      assert.strictEqual(((yield* Effect.flip(names({}, wrong))) as { _tag: string })._tag, "RefutedError")
      const missing = BlockSource.fromBlocks([root])
      assert.strictEqual(((yield* Effect.flip(names({}, missing))) as { _tag: string })._tag, "MissingBlocks")

      // forty blocks, each with two links to the one below, have 2^40 paths
      const chain = Array.from({ length: 40 }).reduce<ReadonlyArray<Block.Block>>(
        (below) => [nodeOf(["a", below[0]!.cid], ["b", below[0]!.cid]), ...below],
        [inner]
      )
      const bomb = BlockSource.fromBlocks([...chain, ...blocks])
      const all = (unique: boolean) =>
        Stream.runCount(DagRefs.refs(bomb, chain[0]!.cid, { maxDepth: Infinity, unique, maxBlocks: 1000 }))
      const exceeded = yield* Effect.flip(all(false))
      assert.strictEqual(exceeded._tag, "LimitExceeded")
      assert.strictEqual(yield* all(true), 41)
    })
)

it.effect("the proven client lists, counts and resolves from checked blocks", () =>
  Effect.gen(function* () {
    const over = (from: BlockSource.BlockSource<unknown>) =>
      ProvenIpfsClient.make({
        blockGet: (cid: Cid.Cid | Cid.CidText) => from(typeof cid === "string" ? Cid.fromTextUnsafe(cid) : cid)
      } as Partial<IpfsClient.Client> as IpfsClient.AnyClient)
    const ipfs = over(source)
    const refs = yield* Stream.runCollect(ipfs.refs(root.cid, { recursive: true, edges: true }))
    assert.strictEqual(refs[0], `${Cid.toText(root.cid)} -> ${Cid.toText(leafCid)}`)
    assert.strictEqual(yield* ipfs.resolve(`${Cid.toText(root.cid)}/d/x` as Cid.CidText), `/ipfs/${String(leafCid)}`)
    const size = root.bytes.length + inner.bytes.length + leaf.length
    const [counts] = yield* Stream.runCollect(ipfs.dagStat([root.cid, inner.cid]))
    const below = inner.bytes.length + leaf.length
    assert.deepStrictEqual([counts?.uniqueBlocks, counts?.totalSize, counts?.sharedSize], [3, size, below])
    const liar = over((cid) => Effect.map(source(cid), (bytes) => bytes.map((byte) => byte ^ 1)))
    for (const call of [
      Stream.runDrain(liar.refs(root.cid)),
      Stream.runDrain(liar.dagStat(root.cid)),
      liar.resolve(`${Cid.toText(root.cid)}/d` as Cid.CidText)
    ]) {
      assert.strictEqual((yield* Effect.flip(call))._tag, "RefutedError")
    }
  })
)

it.effect("an export has the blocks inside CIDs, as Kubo's has", () =>
  Effect.gen(function* () {
    const within = Cid.make(Block.RAW, 0, Uint8Array.of(7, 7))
    const top = nodeOf(["i", within])
    const reads = NodeReads.make(() => Effect.succeed(top.bytes))
    const counted = yield* Stream.runCollect(reads.dagBlocks(Cid.toText(top.cid)))
    assert.deepStrictEqual(
      counted.map(({ cid, size }) => [String(cid), size]),
      [
        [String(top.cid), top.bytes.length],
        [String(within), 2]
      ]
    )
  })
)
