/** Tests the commands of the embedded node that walk DAGs, list its blocks and remove them. */
import { assert, it } from "@effect/vitest"
import { Effect, Stream } from "effect"

import { addAll, fresh, reasonOf, utf8 } from "../support/ipfs.ts"

it.live("a block is removed unless a pin reaches it, and is then gone", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const [file, root] = yield* addAll(node, [{ path: "d/f", content: utf8("pinned") }])
      const messageOf = (path: string) => Effect.map(reasonOf(node.blockRm(path)), ({ message }) => message)
      assert.strictEqual(yield* messageOf(String(root!.cid)), "pinned: recursive")
      assert.strictEqual(yield* messageOf(String(file!.cid)), `pinned via ${String(root!.cid)}`)
      const { cid } = yield* node.blockPut(utf8("free"))
      assert.include((yield* Stream.runCollect(node.refsLocal)).map(String), String(cid))
      assert.strictEqual(String(yield* node.blockRm(String(cid))), String(cid))
      assert.strictEqual((yield* reasonOf(node.blockGet(String(cid))))._tag, "NotFound")
      assert.strictEqual((yield* reasonOf(node.blockRm(String(cid))))._tag, "NotFound")
      assert.strictEqual(String(yield* node.blockRm(String(cid), { force: true })), String(cid))
      assert.lengthOf(yield* Stream.runCollect(node.refsLocal), 2)
      assert.lengthOf(yield* Stream.runCollect(node.dagBlocks(String(root!.cid))), 2)
      const links = yield* Stream.runCollect(node.refs(String(root!.cid)))
      assert.deepStrictEqual(
        links.map(({ name }) => name),
        ["f"]
      )
      const verified = yield* Stream.runCollect(node.pinVerify)
      assert.deepStrictEqual(
        verified.map(({ bad, cid }) => [String(cid), bad.length]),
        [[String(root!.cid), 0]]
      )
    })
  )
)
