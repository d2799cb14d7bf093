/** Tests that the commands about whole stores show each project only its own content, and remove nothing of another. */
import { assert, it } from "@effect/vitest"
import * as Databases from "@plumbline/gateway/support/databases"
import { Block, Cid } from "@plumbline/ipfs-client"
import { Effect, Stream } from "effect"

import * as Memory from "../support/ipfsMemoryNode.ts"
import { messageOf, over, project } from "../support/ipfsProjects.ts"

const [sqlite] = Databases.kinds

it.effect("a project sees and counts its own pins, and removes no block that is shared", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const state = Memory.empty()
      const projects = yield* over(Memory.make(state), yield* sqlite!.fresh)
      const [a, b] = [projects.node(project("a"), { stored: 1000 }), projects.node(project("b"))]
      const leaf = Memory.put(state, Block.RAW, new Uint8Array(100))
      const other = Memory.put(state, Block.RAW, new Uint8Array(7))
      const root = Memory.put(state, Block.DAG_CBOR, Memory.listOf([leaf]))
      yield* a.pinAdd(String(root))
      yield* b.pinAdd(String(other))

      const local = (node: typeof a) =>
        Effect.map(Stream.runCollect(node.refsLocal), (cids) => cids.map((cid) => Cid.key(cid)).toSorted())
      assert.deepStrictEqual(yield* local(a), [leaf, root].map((cid) => Cid.key(cid)).toSorted())
      assert.deepStrictEqual(yield* local(b), [Cid.key(other)])
      assert.deepStrictEqual(yield* b.repoStat, { bytes: 7, blocks: 1, limit: undefined })
      const { blocks, limit } = yield* a.repoStat
      assert.deepStrictEqual([blocks, limit], [1, 1000])

      const remove = (node: typeof a, cid: Cid.Cid) => messageOf(node.blockRm(String(cid)))
      assert.strictEqual(yield* remove(a, root), "pinned: recursive")
      assert.strictEqual(yield* remove(a, leaf), `pinned via ${String(root)}`)
      // the words for a block of another project are those for a block of no project
      const unpinned = Memory.put(state, Block.RAW, new Uint8Array(9))
      assert.strictEqual(yield* remove(a, other), yield* remove(a, unpinned))
      assert.isTrue(state.blocks.has(String(other)) && state.blocks.has(String(unpinned)))

      const verified = (node: typeof a) =>
        Effect.map(Stream.runCollect(node.pinVerify), (pins) =>
          pins.map(({ bad, cid }) => [String(cid), ...bad.map(({ cid }) => cid)])
        )
      assert.deepStrictEqual(yield* verified(b), [[String(other)]])
      state.blocks.delete(String(leaf))
      assert.deepStrictEqual(yield* verified(a), [[String(root), String(leaf)]])
      assert.deepStrictEqual(yield* verified(b), [[String(other)]])
    })
  )
)
