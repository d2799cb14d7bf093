/** Measures the cost of archiving directories that are nested thousands of levels deep. */
import { assert, it } from "@effect/vitest"
import { Car, Cid, DirectoryCid, FileCid } from "@plumbline/ipfs-client"
import { Effect, type Fiber, Result, Scheduler, Stream } from "effect"

import { fresh } from "../support/ipfs.ts"

/** Makes a directory with a file and a directory, nested `levels` deep; returns it with all of its blocks. */
const deep = Effect.fnUntraced(function* (levels: number) {
  const file = Stream.make(new TextEncoder().encode("leaf"))
  const leaf = yield* FileCid.ofStream(file)
  const blocks = [...(yield* Stream.runCollect(FileCid.blocks(file)))]
  let root: FileCid.FileRoot = leaf
  for (let level = 0; level < levels; level++) {
    const made = Result.getOrThrow(
      DirectoryCid.make([
        ["a", leaf],
        ["d", root]
      ])
    )
    blocks.push(...made.blocks)
    root = { ...made, size: 0 }
  }
  return { root: root.cid, blocks }
})

/** Counts the steps of all fibers. */
class Counting extends Scheduler.MixedScheduler {
  steps = 0

  override shouldYield(fiber: Fiber.Fiber<unknown, unknown>): boolean {
    this.steps++
    return super.shouldYield(fiber)
  }
}

it.live("each is said once, before what is in it, in as few steps at the bottom as at the top", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { node } = yield* fresh
      const levels = 200
      const { blocks, root } = yield* deep(levels)
      yield* node.dagImport(Car.encode([root], Stream.fromIterable(blocks)), { pinRoots: false })
      const paths: Array<string> = []
      const steps: Array<number> = []
      const counting = new Counting()
      yield* Stream.runForEach(node.get(Cid.toText(root)), (found) =>
        Effect.sync(() => {
          paths.push(found.path)
          steps.push(counting.steps)
        })
      ).pipe(Effect.provideService(Scheduler.Scheduler, counting))
      assert.strictEqual(paths.length, 2 * levels + 1)
      let at: string = Cid.toText(root)
      for (let level = 0; level < levels; level++) {
        assert.deepStrictEqual(paths.slice(2 * level, 2 * level + 2), [at, `${at}/a`])
        at += "/d"
      }
      assert.strictEqual(paths.at(-1), at)
      // If each entry were passed up through every level, the last tenth of the entries, which are deepest, would take
      // several times as many steps as the second tenth.
      const took = (from: number, to: number) => steps[to * 2 * levels]! - steps[from * 2 * levels]!
      assert.isAbove(took(0.1, 0.2), 2 * 0.1 * levels)
      assert.isBelow(took(0.9, 1), 1.2 * took(0.1, 0.2))
    })
  )
)
