/** Imports of many small blocks: other work of the process runs meanwhile. */
import { assert, it } from "@effect/vitest"
import { Block, Car } from "@plumbline/ipfs-client"
import { Effect, Result, Stream } from "effect"

import { fresh, utf8 } from "../support/ipfs.ts"

it.live("an import of many small blocks gives way to other work every few of them", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const count = 1024
      const blocks = Array.from({ length: count }, (_, i): Block.Block => {
        const bytes = utf8(`block ${i}`)
        return { cid: Result.getOrThrow(Block.cidOf(Block.RAW, bytes)), bytes }
      })
      const [{ cid }] = blocks as [Block.Block]
      const car = Buffer.concat(yield* Stream.runCollect(Car.encode([cid], Stream.fromIterable(blocks))))
      let turns = 0
      let isDone = false
      const turn = (): void => {
        turns++
        if (!isDone) setImmediate(turn)
      }
      setImmediate(turn)
      const imported = yield* node.dagImport(Stream.make(car), { pinRoots: false })
      isDone = true
      assert.strictEqual(imported.blocks, count)
      assert.isAtLeast(turns, count / 256)
      assert.strictEqual((yield* node.blockStat(String(blocks.at(-1)!.cid))).size, blocks.at(-1)!.bytes.length)
    })
  )
)
