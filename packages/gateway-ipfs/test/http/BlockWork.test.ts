/** Work of commands on blocks: it takes turns with the work of other projects, and costs reading commands. */
import { assert, describe, it } from "@effect/vitest"
import type { Project } from "@plumbline/gateway/accounts/Account"
import * as Allowlist from "@plumbline/gateway/accounts/Allowlist"
import { StepScheduler as ProjectTurns } from "@plumbline/gateway/support/internals"
import { WorkScheduler } from "@plumbline/ipfs-client"
import { Effect, Exit, Fiber } from "effect"

import * as AnswerText from "../../src/http/answerText.ts"
import * as BlockWork from "../../src/http/blockWork.ts"

const project = (id: string): Project => ({
  id,
  account: "a",
  name: id,
  suspended: false,
  secretRequired: false,
  allowlist: Allowlist.none,
  limits: { ipfsReadsPerSecond: 100 }
})

/** Turns with a simulated clock, in which each step takes two milliseconds, and a log of steps and payments. */
const world = () => {
  const queue: Array<() => void> = []
  const log: Array<string> = []
  let clock = 0
  const turns = new ProjectTurns(
    () => clock,
    (callback) => void queue.push(callback)
  )
  const paid: Array<readonly [string, number]> = []
  const shared: BlockWork.SharedTurns = {
    turns,
    more: ({ id }, credits) => Effect.sync(() => void paid.push([id, credits]))
  }
  const work = (name: string, steps: number): Effect.Effect<string> =>
    WorkScheduler.run(function* () {
      for (let i = 1; i <= steps; i++) {
        clock += 2
        log.push(name)
        if (i < steps) yield
      }
      return name
    })
  /** Runs all turns, and returns the longest time in one of them. */
  const drain = async (): Promise<number> => {
    let longest = 0
    for (let idle = 0; idle < 3;) {
      const begun = clock
      const due = queue.splice(0)
      for (const callback of due) callback()
      longest = Math.max(longest, clock - begun)
      await new Promise((resolve) => setImmediate(resolve))
      idle = due.length === 0 ? idle + 1 : 0
    }
    return longest
  }
  return { shared, paid, log, work, drain }
}

/** Takes all steps at once. */
const now = <A>(steps: WorkScheduler.Steps<A>): A => {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

describe("work on blocks", () => {
  it("of twenty commands at once never takes longer than a turn, and other projects have their share of it", async () => {
    const { drain, log, shared, work } = world()
    const noisy = Array.from({ length: 20 }, (_, i) =>
      Effect.runPromise(BlockWork.paid(work(`noisy ${i}`, 50), project("noisy"), shared))
    )
    const quiet = Effect.runPromise(BlockWork.paid(work("quiet", 5), project("quiet"), shared))
    const longest = await drain()
    // a turn ends after the step that uses up its ten milliseconds
    assert.isAtMost(longest, 12)
    await Promise.all([...noisy, quiet])
    assert.strictEqual(log.length, 20 * 50 + 5)
    // the other project gets every second step, so it ends among the first steps
    assert.isBelow(log.lastIndexOf("quiet"), 30)
    // one job of a project ends before the next begins, so only one has its values in memory
    const order = log.filter((name) => name !== "quiet")
    for (let i = 0; i < 20; i++) assert.strictEqual(new Set(order.slice(50 * i, 50 * i + 50)).size, 1)
  })

  it("costs a reading command for each step after the first ones, as many at once as the limit permits", async () => {
    const { drain, paid, shared, work } = world()
    const large = Effect.runPromise(BlockWork.paid(work("large", 251), project("p"), shared))
    await drain()
    await large
    assert.deepStrictEqual(paid, [
      ["p:ipfs:reads", 100],
      ["p:ipfs:reads", 100],
      ["p:ipfs:reads", 50]
    ])
    // small blocks cost nothing, however many they are
    const many = Effect.forEach(Array.from({ length: 1000 }), () => work("small", 1))
    const small = Effect.runPromise(BlockWork.paid(many, project("p"), shared))
    await drain()
    await small
    assert.strictEqual(paid.length, 3)
  })

  it("stops when its caller leaves", async () => {
    const { drain, log, shared, work } = world()
    const first = Effect.runFork(BlockWork.paid(work("first", 100), project("p"), shared))
    await Promise.resolve()
    const before = log.length
    first.interruptUnsafe()
    await drain()
    assert.isTrue(Exit.hasInterrupts(await Effect.runPromise(Fiber.await(first))))
    assert.isAtMost(log.length, before + 1)
  })
})

describe("the text of an answer in parts", () => {
  it("is the text of the whole answer, wherever its long lists are", () => {
    const list = (count: number, of: (n: number) => unknown) => Array.from({ length: count }, (_, n) => of(n))
    const values: ReadonlyArray<unknown> = [
      { pins: list(1000, (n) => ({ n, text: `"[]{},${n}` })), more: "[]" },
      {
        objects: [
          { cid: "a", links: list(700, (n) => n) },
          { cid: "b", links: list(600, () => []) }
        ],
        end: []
      },
      { a: list(257, () => ({})), b: { c: { d: list(600, (n) => [n]) } } },
      list(513, (n) => ({ ["]"]: n })),
      { short: list(256, (n) => n) },
      { bytes: new Uint8Array(1000) },
      "text",
      null
    ]
    for (const value of values) {
      let parts = 0
      const text = now(
        AnswerText.write(value, (part) => {
          parts++
          return JSON.stringify(part)
        })
      )
      assert.strictEqual(text, JSON.stringify(value))
      assert.isAtLeast(parts, 1)
    }
  })

  it("is the text of the whole answer for encoders that write a list as an object, or leave an empty one out", () => {
    const value = { keys: Array.from({ length: 1000 }, (_, n) => ({ cid: `c${n}`, type: "t" })) }
    const asObject = (given: unknown) => {
      const { keys } = given as typeof value
      return JSON.stringify({ Keys: Object.fromEntries(keys.map(({ cid, type }) => [cid, { type }])) })
    }
    assert.strictEqual(now(AnswerText.write(value, asObject)), asObject(value))
    const leavingOut = (given: unknown) => {
      const { keys } = given as typeof value
      return JSON.stringify(keys.length === 0 ? { x: 1 } : { x: 1, keys })
    }
    assert.strictEqual(now(AnswerText.write(value, leavingOut)), leavingOut(value))
  })
})
