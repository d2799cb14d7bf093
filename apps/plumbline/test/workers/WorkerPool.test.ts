/** The pool of workers, over processes that serve nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"

import * as WorkerPool from "../../src/workers/WorkerPool.ts"

const options: WorkerPool.WorkerPoolOptions = {
  host: "127.0.0.1",
  port: 0,
  workers: 2,
  start: () => ({ file: undefined, folder: undefined, grace: 0, agreed: {}, socketPath: "", embedded: {} }),
  deskOf: () => ({ hear: () => undefined, close: () => undefined }),
  drain: 10_000,
  module: new URL("../fixtures/plain-worker.ts", import.meta.url)
}

const until = (holds: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.andThen(Effect.sleep(5), until(holds))))

describe("a pool of workers", () => {
  it.live("waits until its workers have read the configuration again, and counts those that could not", () =>
    Effect.gen(function* () {
      const pool = yield* WorkerPool.open(options)
      assert.deepStrictEqual(pool.count(), { wanted: 2, running: 2, outdated: 0 })
      yield* pool.reload({ live: 1 })
      assert.deepStrictEqual(pool.count(), { wanted: 2, running: 2, outdated: 1 })
      yield* pool.reload({ live: 2 })
      assert.deepStrictEqual(pool.count(), { wanted: 2, running: 2, outdated: 0 })
    }).pipe(Effect.scoped)
  )

  it.live("does not wait for a worker that ends", () =>
    Effect.gen(function* () {
      const pool = yield* WorkerPool.open(options)
      const pid = pool.pids().get(2)!
      process.kill(pid, "SIGSTOP")
      const reload = yield* Effect.forkChild(pool.reload({ live: 2 }))
      yield* Effect.yieldNow
      process.kill(pid, "SIGKILL")
      yield* Fiber.join(reload)
    }).pipe(Effect.scoped)
  )

  it.live("lets a worker that starts during a reload read the configuration again", () =>
    Effect.gen(function* () {
      let started = 0
      // A replacement listens when it hears a beat.
      const start = () => ({ ...options.start(), grace: started++ < 2 ? 0 : 1 })
      const pool = yield* WorkerPool.open({ ...options, start, beat: 300 })
      const pid = pool.pids().get(1)!
      process.kill(pid, "SIGKILL")
      yield* until(() => (pool.pids().get(1) ?? pid) !== pid)
      assert.deepStrictEqual(pool.count(), { wanted: 2, running: 1, outdated: 0 })
      yield* pool.reload({ live: 1 })
      yield* until(() => pool.count().running === 2)
      yield* until(() => pool.count().outdated === 1)
    }).pipe(Effect.scoped)
  )

  it.live("adds up the lies that workers have found, also those of a worker that has ended", () =>
    Effect.gen(function* () {
      const pool = yield* WorkerPool.open({ ...options, beat: 50 })
      const lies = (count: number) => {
        const [found] = pool.lies("live")
        return found?.count === count && pool.lies("live").length === 1 && found.lastAt === 2
      }
      yield* until(() => lies(1 + 2))
      assert.deepStrictEqual(pool.lies("other"), [])
      const isLying = () => pool.lies("live")[0]!.isLying
      assert.isTrue(isLying())
      process.kill(pool.pids().get(2)!, "SIGKILL")
      yield* until(() => !isLying())
      yield* until(() => lies(1 + 2 + 2))
      assert.isTrue(isLying(), "the worker in its place found that the node lies")
    }).pipe(Effect.scoped)
  )

  it.live("reports a process that the system does not start", () =>
    Effect.gen(function* () {
      const { execPath } = process
      // The first process is started within this turn, so that no other test sees the path.
      process.execPath = "/nonexistent/node"
      const opening = Effect.runFork(Effect.scoped(WorkerPool.open(options)))
      process.execPath = execPath
      const error = yield* Effect.flip(Fiber.join(opening))
      assert.strictEqual(error.message, "worker 1 cannot start: it ended with ENOENT")
    })
  )
})
