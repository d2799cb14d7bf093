/** Tests usage that is written to SQLite without a fiber, over a slow, hanging or failing disk or a busy connection. */
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Metering, Sqlite } from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"

import { Disk, LATE, PAUSE } from "../../src/state/sqlite/writeAheadLog.ts"
import { folder } from "../support/databases.ts"
import { call, type DiskAnswer, sumOf, untidied } from "../support/metering.ts"

const turn = Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))

const open = Effect.fnUntraced(function* (disk: (done: DiskAnswer) => void, given: Metering.MeteringOptions = {}) {
  const options = { durability: "disk", ...given } as const
  const file = path.join(yield* folder, "state.db")
  const scope = yield* Scope.make()
  const layer = Metering.layer(options).pipe(Layer.provide(untidied), Layer.provideMerge(Sqlite.layer({ file })))
  let isOpen = false
  const context = yield* Layer.buildWithScope(layer, scope).pipe(
    // The disk answers normally until the tables are made. From then on the test decides.
    Effect.provideService(Disk, (_descriptor, done) => (isOpen ? disk(done) : setImmediate(done, null)))
  )
  isOpen = true
  yield* Effect.addFinalizer(() => {
    isOpen = false
    return Scope.close(scope, Exit.void)
  })
  return {
    metering: Context.get(context, Metering.Metering),
    sql: Context.get(context, SqlClient.SqlClient),
    close: Scope.close(scope, Exit.void),
    /** Returns the calls in each grain and the number of transactions, as another program reads them. */
    seen: () => [
      sumOf(file, "usage_minutes", "calls"),
      sumOf(file, "usage_hours", "calls"),
      sumOf(file, "usage_days", "calls"),
      sumOf(file, "usage_writers", "batch")
    ]
  }
})

const records = (metering: Metering.Metering["Service"], count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, i) => ({ ...call, key: `k${i}` })),
    metering.record,
    { concurrency: "unbounded", discard: true }
  )

describe("usage in a store of this process", () => {
  it.live("is written together at the end of a turn, and acknowledged when the disk has answered", () =>
    Effect.gen(function* () {
      const waiting: Array<DiskAnswer> = []
      const { metering, seen } = yield* open((done) => void waiting.push(done))
      const first = yield* Effect.forkChild(records(metering, 3), { startImmediately: true })
      assert.deepStrictEqual(seen(), [0, 0, 0, 0])
      yield* turn
      assert.deepStrictEqual(seen(), [3, 3, 3, 1])
      // Usage that arrives during a write is in the next batch.
      const others = yield* Effect.forkChild(records(metering, 5), { startImmediately: true })
      yield* Effect.sleep(20)
      assert.deepStrictEqual(seen(), [3, 3, 3, 1])
      assert.isTrue(first.pollUnsafe() === undefined)
      for (const done of waiting.splice(0)) done(null)
      yield* Fiber.join(first)
      yield* turn
      assert.deepStrictEqual(seen(), [8, 8, 8, 2])
      assert.isTrue(others.pollUnsafe() === undefined)
      for (const done of waiting.splice(0)) done(null)
      yield* Fiber.join(others)
    }).pipe(Effect.scoped)
  )

  it.live("that waits for room goes into the batch behind the one that makes room, and is acknowledged", () =>
    Effect.gen(function* () {
      const waiting: Array<DiskAnswer> = []
      const options = { gather: 0, limits: { rows: 1 } }
      const { metering, seen } = yield* open((done) => void waiting.push(done), options)
      const fibers = yield* Effect.forEach([1, 2, 3, 4], (i) =>
        Effect.forkChild(metering.record({ ...call, key: `k${i}` }), { startImmediately: true })
      )
      for (const [written, fiber] of fibers.entries()) {
        yield* turn
        assert.deepStrictEqual(seen(), [written + 1, written + 1, written + 1, written + 1])
        assert.isTrue(fiber.pollUnsafe() === undefined)
        for (const done of waiting.splice(0)) done(null)
        yield* Fiber.join(fiber)
      }
    }).pipe(Effect.scoped)
  )

  it.live("goes in by a fiber if it is much, or if the connection is in a transaction", () =>
    Effect.gen(function* () {
      const { metering, seen, sql } = yield* open((done) => setImmediate(done, null))
      yield* metering.recordAll(Array.from({ length: 300 }, (_, i) => ({ ...call, key: `k${i}` })))
      assert.deepStrictEqual(seen(), [300, 300, 300, 1])
      const gate = yield* Deferred.make<void>()
      const entered = yield* Deferred.make<void>()
      const transaction = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE usage_kept SET since = since`
            yield* Deferred.succeed(entered, undefined)
            yield* Deferred.await(gate)
          })
        )
      )
      yield* Deferred.await(entered)
      const recording = yield* Effect.forkChild(records(metering, 3), { startImmediately: true })
      yield* Effect.sleep(20)
      assert.isTrue(recording.pollUnsafe() === undefined)
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(transaction)
      yield* Fiber.join(recording)
      // After the transaction, usage is again written directly.
      yield* records(metering, 2)
      assert.deepStrictEqual(seen().slice(0, 3), [305, 305, 305])
    }).pipe(Effect.scoped)
  )

  it.live.each([
    { durability: "disk", before: 0 },
    // this usage is not awaited, and makes the disk late
    { durability: "process", before: 1 }
  ] as const)(
    "is refused under `$durability` while the disk hangs, and taken when it answers again, once",
    ({ before, durability }) =>
      Effect.gen(function* () {
        const waiting: Array<DiskAnswer> = []
        let hangs = true
        const { metering, seen } = yield* open((done) => (hangs ? void waiting.push(done) : setImmediate(done, null)), {
          attempt: 50,
          timeout: 100,
          durability
        })
        for (let sent = 0; sent < before; sent++) {
          yield* metering.record(call)
          yield* Effect.sleep(LATE + PAUSE)
        }
        const error = yield* Effect.flip(metering.record(call))
        assert.strictEqual(error.problem, "Unavailable")
        assert.strictEqual((yield* metering.status).store, "down")
        yield* Effect.flip(metering.record(call))
        hangs = false
        for (const done of waiting.splice(0)) done(null)
        while ((yield* metering.status).store === "down") {
          yield* Effect.sleep(10)
          for (const done of waiting.splice(0)) done(null)
        }
        yield* metering.record(call)
        // The refused call was written too. Its caller got an error, never a success.
        assert.deepStrictEqual(seen().slice(0, 3), [before + 2, before + 2, before + 2])
      }).pipe(Effect.scoped)
  )

  it.live("is refused for good when the disk has failed", () =>
    Effect.gen(function* () {
      const { metering } = yield* open((done) => setImmediate(done, new Error("EIO")), { attempt: 50, timeout: 100 })
      assert.strictEqual((yield* Effect.flip(metering.record(call))).problem, "Unavailable")
      assert.strictEqual((yield* Effect.flip(metering.record(call))).problem, "Unavailable")
    }).pipe(Effect.scoped)
  )

  it.live("is awaited by the end of the service", () =>
    Effect.gen(function* () {
      const waiting: Array<DiskAnswer> = []
      const { close, metering, seen } = yield* open((done) => void waiting.push(done))
      const first = yield* Effect.forkChild(metering.record(call), { startImmediately: true })
      const others = yield* Effect.forkChild(records(metering, 5), { startImmediately: true })
      const closing = yield* Effect.forkChild(close, { startImmediately: true })
      yield* Effect.sleep(20)
      assert.isTrue(closing.pollUnsafe() === undefined)
      while (closing.pollUnsafe() === undefined) {
        for (const done of waiting.splice(0)) done(null)
        yield* Effect.sleep(1)
      }
      yield* Fiber.join(first)
      yield* Fiber.join(others)
      assert.deepStrictEqual(seen().slice(0, 3), [6, 6, 6])
    }).pipe(Effect.scoped)
  )
})
