/** Collections remove unpinned content, on the operator's command or at intervals. */
import { assert, describe, it } from "@effect/vitest"
import * as Databases from "@plumbline/gateway/support/databases"
import { Block, type IpfsNode, IpfsNodeError } from "@plumbline/ipfs-client"
import { Effect, Logger, Stream } from "effect"
import { TestClock } from "effect/testing"

import * as Memory from "../support/ipfsMemoryNode.ts"
import { open, over, project } from "../support/ipfsProjects.ts"

const raw = (state: Memory.State, fill: number) => String(Memory.put(state, Block.RAW, new Uint8Array(10).fill(fill)))

describe.each(Databases.kinds)("a collection over $name", (kind) => {
  const test = it.effect.skipIf(kind.skipped)

  test("removes what no project has, and says how much that was", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const [one, two] = [raw(state, 1), raw(state, 2)]
        raw(state, 3)
        const projects = yield* open(state, yield* kind.fresh)
        yield* projects.node(project("a")).pinAdd(one)
        yield* projects.node(project("b")).pinAdd(two)
        assert.strictEqual(yield* projects.collect, 1)
        yield* projects.node(project("a")).pinRm(one)
        assert.strictEqual(yield* projects.collect, 1)
        assert.deepStrictEqual([...state.blocks.keys()], [two])
      })
    ))

  test("is done by one of several processes at each interval, also when they start anew in between", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const state = Memory.empty()
        const whole = Memory.make(state)
        let collections = 0
        const node: IpfsNode.IpfsNodeCommands = {
          ...whole,
          gc: Stream.suspend(() => {
            collections++
            return collections === 2
              ? Stream.fail(
                  new IpfsNodeError.IpfsNodeError({
                    reason: new IpfsNodeError.Failed({ doing: "collecting", detail: "EIO" })
                  })
                )
              : whole.gc
          })
        }
        const database = yield* kind.fresh
        const start = over(node, database, { collectEvery: "40 minutes" })
        yield* Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.all([start, start])
            yield* passes(24)
            assert.strictEqual(collections, 0)
          })
        )
        yield* Effect.all([start, start])
        yield* passes(12)
        assert.strictEqual(collections, 0)
        // after a failed collection, further collections follow
        for (const done of [1, 2, 3]) {
          const minutes = yield* passesUntil(() => collections >= done)
          assert.isAtLeast(minutes, done === 1 ? 1 : 20)
          assert.strictEqual(collections, done)
        }
      })
    ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set())))
})

/** Advances the clock by a minute, and waits for the work of that minute: the database needs real time. */
const minute = Effect.andThen(
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 15))),
  TestClock.adjust("1 minute")
)

const passes = (minutes: number) => Effect.repeat(minute, { times: minutes - 1 })

/** Advances the clock until `is` returns true. Returns the number of minutes. */
const passesUntil = (is: () => boolean) =>
  Effect.gen(function* () {
    for (let minutes = 0; ; minutes++) {
      if (is()) return minutes
      assert.isBelow(minutes, 2000)
      yield* minute
    }
  })
