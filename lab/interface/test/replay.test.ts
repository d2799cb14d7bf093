/**
 * The replay of an attack on a bridge, in a short form of `pnpm lab replay`: two of three nodes tell the same forged event,
 * and the third is flooded.
 */
import { sized } from "@plumbline/seeded/Random"
import { Duration, Effect } from "effect"
import { assert, describe, it } from "vitest"

import * as Replay from "../src/replay/replay.ts"
import * as Scene from "../src/replay/scene.ts"
import * as Stage from "../src/replay/stage.ts"
import * as VirtualClock from "../src/replay/virtualClock.ts"

/** The calls, and the requests, of a read with proofs, as a multiple of those of a vote. */
const MOST = 1.2

for (const open of [Scene.ethereum, Scene.rollup]) {
  it(`no forged event is accepted, and the one honest node is heard (${open === Scene.ethereum ? "Ethereum" : "OP stack"})`, async () => {
    const program = Effect.flatMap(open, (scene) =>
      Effect.map(Replay.run(scene, { lies: sized(300), reads: Math.max(100, sized(400)), seed: 7 }), (replayed) => ({
        scene,
        ...replayed
      }))
    )
    const { passed, scene, tallies, unanswered } = await Effect.runPromise(Stage.quiet(Effect.scoped(program)))
    assert.deepStrictEqual(passed, [])
    assert.deepStrictEqual(unanswered, [])
    const [gateway, library, vote, first] = tallies
    for (const { checks, honest, steady, told } of [gateway!, library!]) {
      assert.isAtLeast(told, sized(300))
      assert.isAbove(honest, told / 2)
      assert.isAbove(checks.size, 3)
      assert.strictEqual(steady.answered, steady.reads)
      for (const of of ["calls", "requests"] as const) {
        assert.isAtMost(steady[of] / steady.reads, (MOST * vote!.steady[of]) / vote!.steady.reads, of)
      }
    }
    // the trust is the chain's own, and not only the hash in a question
    assert.isAbove(gateway!.anchors.get(scene.anchor) ?? 0, 0)
    // the lies are good enough for a vote, and the judge sees them
    for (const { accepted, told } of [vote!, first!]) assert.isAbove(accepted, told / 2)
  })
}

it("has one outcome for one seed", async () => {
  const run = Effect.flatMap(Scene.rollup, (scene) => Replay.run(scene, { lies: 10, reads: 50, seed: 7 }))
  const [first, second] = await Effect.runPromise(Stage.quiet(Effect.scoped(Effect.all([run, run]))))
  assert.isAbove(first.tallies[0]!.millis, 0)
  assert.deepStrictEqual(first, second)
})

describe("the clock of the replay", () => {
  it("moves only when it is told to, and wakes each sleeper once", async () => {
    const clock = VirtualClock.make(1000)
    const woken: Array<string> = []
    const sleep = (name: string, millis: number) =>
      Effect.runFork(
        Effect.andThen(
          clock.sleep(Duration.millis(millis)),
          Effect.sync(() => woken.push(name))
        )
      )
    sleep("second", 20)
    sleep("first", 10)
    await Promise.resolve()
    assert.deepStrictEqual([woken, clock.currentTimeMillisUnsafe()], [[], 1000])
    assert.isTrue(clock.jump())
    assert.strictEqual(clock.currentTimeMillisUnsafe(), 1010)
    clock.advance(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepStrictEqual(woken, ["first", "second"])
    assert.isFalse(clock.jump())
  })
})
