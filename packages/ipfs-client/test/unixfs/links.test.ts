/** Tests paths through blocks of dag-pb that are not UnixFS. The blocks are made by `@ipld/dag-pb`. */
import { assert, it } from "@effect/vitest"
import * as DagPb from "@ipld/dag-pb"
import { Effect, Result } from "effect"

import { Block, BlockSource, Cid, type NodePath, NodeReads, UnixFs } from "../../src/index.ts"

const leaf = new TextEncoder().encode("leaf")
const leafCid = Result.getOrThrow(Block.cidOf(Block.RAW, leaf))
const blockOf = (bytes: Uint8Array): Block.Block => ({
  cid: Result.getOrThrow(Block.cidOf(Block.DAG_PB, bytes)),
  bytes
})

const link = (Name: string) => ({ Name, Hash: leafCid, Tsize: 4 })

/** Nodes without Data, with Data that is not protobuf, and with Data of a type that UnixFS does not have. */
const NODES: Readonly<Record<string, Block.Block>> = {
  "without Data": blockOf(DagPb.encode({ Links: [link("m"), link("n")] })),
  "with other Data": blockOf(DagPb.encode({ Data: Uint8Array.of(1, 2, 3), Links: [link("n")] })),
  "with another type": blockOf(DagPb.encode({ Data: Uint8Array.of(8, 9), Links: [link("n")] }))
}

for (const [what, node] of Object.entries(NODES)) {
  it.effect(`a node ${what} is passed by the names of its links, and holds nothing else`, () =>
    Effect.gen(function* () {
      const source = BlockSource.fromBlocks([node, { cid: leafCid, bytes: leaf }])
      assert.isTrue(Cid.equals(yield* UnixFs.resolve(source, node.cid, ["n"]), leafCid))
      const missing = yield* Effect.flip(UnixFs.resolve(source, node.cid, ["o"]))
      assert.strictEqual(missing._tag, "NoSuchEntry")
      assert.strictEqual((yield* Effect.flip(UnixFs.stat(source, node.cid)))._tag, "MalformedBlock")

      const blocks: NodePath.NodeBlocks = (cid) => Effect.orDie(source(cid))
      const reads = NodeReads.make(blocks)
      const root = Cid.toText(node.cid)
      assert.deepStrictEqual(yield* reads.blockGet(`${root}/n`), leaf)
      assert.strictEqual((yield* reads.dagResolve(`ipfs://${root}/n`)).remainder, "")
    })
  )
}

it.effect("a path that goes on below a file has the error of Kubo", () =>
  Effect.gen(function* () {
    const file = blockOf(DagPb.encode({ Data: Uint8Array.of(8, 2), Links: [] }))
    const reads = NodeReads.make(() => Effect.succeed(file.bytes))
    const { reason } = yield* Effect.flip(reads.dagGet(`${Cid.toText(file.cid)}/x`))
    assert.strictEqual(reason._tag, "WrongKind")
    assert.match(reason.message, /^func called on wrong kind: "LookupBySegment" called on a data.Bytes node/)
  })
)

it.effect("a node that is not UnixFS is no shard, and a wrong block on the way is refuted", () =>
  Effect.gen(function* () {
    const node = NODES["without Data"]!
    const source: BlockSource.BlockSource = () => Effect.succeed(node.bytes.map((byte, at) => (at === 0 ? 1 : byte)))
    assert.strictEqual((yield* Effect.flip(UnixFs.resolve(source, node.cid, ["n"])))._tag, "RefutedError")
  })
)
