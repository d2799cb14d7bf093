/** Tests how work on packets takes turns. The test controls the clock and the event loop. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"

import { type SteppedJob, StepScheduler } from "../../src/pipeline/stepScheduler.ts"

const defectOf = (exit: Exit.Exit<string>): string =>
  exit._tag === "Failure" ? String(Cause.squash(exit.cause)) : "no failure"

/** Makes turns with a simulated clock. A job is a list of steps, and each step takes the given milliseconds. */
const world = () => {
  const queue: Array<() => void> = []
  const log: Array<string> = []
  let clock = 0
  const turns = new StepScheduler(
    () => clock,
    (callback) => void queue.push(callback)
  )
  const job = (name: string, ...steps: ReadonlyArray<number>): SteppedJob<string> => {
    const left = [...steps]
    return {
      step: () => {
        clock += left.shift()!
        log.push(name)
        return left.length === 0 ? name : undefined
      }
    }
  }
  return {
    /** Runs a job. Returns true if it was done at once. */
    run: (project: string, name: string, ...steps: ReadonlyArray<number>): boolean => {
      const work = turns.run(project, job(name, ...steps))
      const isDone = Exit.isExit(work)
      void Effect.runPromise(work)
      return isDone
    },
    /** Runs a job that throws after these milliseconds. Resolves to the defect with which it ended. */
    exit: (project: string, millis: number, defect: Error): Promise<string> => {
      const step = () => {
        clock += millis
        throw defect
      }
      return Effect.runPromise(Effect.map(Effect.exit(turns.run(project, { step })), defectOf))
    },
    /** Returns the work that was done in the next turn of the event loop. */
    turn: (): ReadonlyArray<string> => {
      log.length = 0
      for (const callback of queue.splice(0)) callback()
      return [...log]
    },
    spend: (millis: number): void => turns.spend(millis),
    onSpent: (callback: () => void): void => turns.onSpent(callback),
    /** Adds input that waits for a turn. The input then takes the given milliseconds of the turn. */
    input: (name: string, millis: number): void =>
      turns.wait(() => {
        log.push(name)
        turns.spend(millis)
      }),
    log,
    isIdle: () => queue.length === 0
  }
}

describe("turns", () => {
  it("do at once what there is time for, and let the rest wait for the event loop", () => {
    const { isIdle, log, run, turn } = world()
    assert.isTrue(run("p", "a", 3))
    assert.isTrue(run("p", "b", 3, 3))
    assert.isFalse(run("p", "c", 2, 2, 2))
    assert.isFalse(run("q", "d", 1))
    assert.deepStrictEqual(log, ["a", "b", "b", "c"])
    assert.deepStrictEqual(turn(), ["c", "d", "c"])
    turn()
    assert.isTrue(isIdle())
  })

  it("end behind the step in which their time is used up", () => {
    const { run, turn } = world()
    assert.isFalse(run("p", "a", 40, 40, 40))
    assert.deepStrictEqual(turn(), ["a"])
    assert.deepStrictEqual(turn(), ["a"])
    assert.deepStrictEqual(turn(), [])
  })

  it("take one project after the other, and the packets of each in their order", () => {
    const { run, turn } = world()
    run("p", "first", 10)
    for (const name of ["p1", "p2", "p3"]) assert.isFalse(run("p", name, 4, 4))
    for (const name of ["q1", "q2"]) assert.isFalse(run("q", name, 4))
    const done = [...turn(), ...turn(), ...turn(), ...turn()]
    // p came first, but p and q take turns: when q's two packets (of one step each) are done, p has run two steps.
    assert.deepStrictEqual(done.slice(0, 5), ["p1", "q1", "p1", "q2", "p2"])
    assert.deepStrictEqual(done.slice(5), ["p2", "p3", "p3"])
  })

  it("begin no packet at once while another waits", () => {
    const { run, turn } = world()
    run("p", "a", 40, 1)
    turn()
    turn()
    assert.isTrue(run("p", "b", 1))
    run("p", "c", 40, 1)
    assert.isFalse(run("q", "d", 1))
    assert.deepStrictEqual(turn(), ["c", "d"])
  })

  it("share their time with input that was received", () => {
    const { isIdle, onSpent, run, spend, turn } = world()
    let spent = 0
    onSpent(() => spent++)
    spend(4)
    assert.strictEqual(spent, 0)
    spend(6)
    assert.strictEqual(spent, 1)
    assert.isFalse(run("p", "a", 1))
    assert.deepStrictEqual(turn(), ["a"])
    turn()
    assert.isTrue(isIdle())
    assert.isFalse(run("p", "b", 40, 1))
    assert.strictEqual(spent, 2)
  })

  it("give every second turn to input that waits", () => {
    const { input, isIdle, run, turn } = world()
    run("p", "a", 40, 40, 40)
    input("x", 10)
    assert.deepStrictEqual(turn(), ["x"])
    input("y", 10)
    assert.deepStrictEqual(turn(), ["a"])
    assert.deepStrictEqual(turn(), ["y"])
    assert.deepStrictEqual(turn(), ["a"])
    input("z", 10)
    input("and its neighbour", 10)
    assert.deepStrictEqual(turn(), ["z", "and its neighbour"])
    turn()
    turn()
    assert.isTrue(isIdle())
  })

  it("end a job whose step throws, at once or in a later turn, and go on with the others", async () => {
    const { exit, isIdle, run, turn } = world()
    assert.deepStrictEqual(await exit("p", 1, new Error("at once")), "Error: at once")
    assert.isFalse(run("p", "before", 40, 1))
    const later = exit("p", 1, new Error("later"))
    assert.isFalse(run("p", "after", 1))
    assert.isFalse(run("q", "other", 1))
    const done: Array<string> = []
    while (!isIdle()) done.push(...turn())
    assert.deepStrictEqual(done, ["before", "other", "after"])
    assert.strictEqual(await later, "Error: later")
  })
})
