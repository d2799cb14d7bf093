/** The disk behind acknowledged usage: which answers wait for it, and when usage reaches it in the background. */
import * as path from "node:path"

import { assert, describe, it } from "@effect/vitest"
import { Metering, Sqlite } from "@plumbline/gateway"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Logger, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { Disk } from "../../src/state/sqlite/writeAheadLog.ts"
import { folder } from "../support/databases.ts"
import { call, type DiskAnswer, sumOf, untidied } from "../support/metering.ts"

const turn = Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))

/** Runs everything that waits for neither the disk nor the clock. */
const settle = Effect.repeat(Effect.andThen(TestClock.adjust(0), turn), { times: 6 })

/** Lets time pass in small steps, as a clock does. */
const pass = (millis: number) => Effect.repeat(Effect.andThen(TestClock.adjust(1), turn), { times: millis - 1 })

/** Opens metering over a disk that answers when the test lets it. */
const open = Effect.fnUntraced(function* (options: Metering.MeteringOptions = {}) {
  const file = path.join(yield* folder, "state.db")
  const scope = yield* Scope.make()
  const logged: Array<string> = []
  /** The syncs that the disk has not answered. */
  const asked: Array<DiskAnswer> = []
  let isHeld = false
  const answer = (error: Error | null = null): void => {
    for (const done of asked.splice(0)) done(error)
  }
  const layer = Metering.layer({ gather: 0, attempt: "1 hour", timeout: "2 hours", ...options }).pipe(
    Layer.provideMerge(untidied),
    Layer.provideMerge(Sqlite.layer({ file }))
  )
  const context = yield* Layer.buildWithScope(layer, scope).pipe(
    Effect.provideService(Disk, (_descriptor, done) => (isHeld ? void asked.push(done) : setImmediate(done, null))),
    Effect.provideService(
      Logger.CurrentLoggers,
      new Set([Logger.make(({ message }) => void logged.push(String(message)))])
    )
  )
  yield* pass(60)
  isHeld = true
  yield* Effect.addFinalizer(() => {
    isHeld = false
    answer()
    // The end of a service whose store is down waits for its timeout.
    const hours = Effect.repeat(Effect.andThen(TestClock.adjust("1 hour"), turn), { times: 9 })
    return Effect.raceFirst(Scope.close(scope, Exit.void), Effect.andThen(hours, Effect.never))
  })
  const metering = Context.get(context, Metering.Metering)
  const record = (count: number) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkScoped(
        metering.recordAll(Array.from({ length: count }, (_, i) => ({ ...call, key: `k${i}` })))
      )
      yield* settle
      return fiber
    })
  return {
    metering,
    sql: Context.get(context, SqlClient.SqlClient),
    asked,
    answer,
    logged,
    /** Records usage, and returns true if it is acknowledged without an answer of the disk. */
    isAcknowledged: (count = 1) =>
      Effect.map(record(count), (fiber) => {
        const exit = fiber.pollUnsafe()
        return exit !== undefined && Exit.isSuccess(exit)
      }),
    record,
    close: Scope.close(scope, Exit.void),
    /** Returns the number of stored calls, as another program reads them. */
    stored: () => sumOf(file, "usage_minutes", "calls")
  }
})

describe("a slow disk", () => {
  it.effect("delays no answer under `process`, which has its usage in the log, and every answer under `disk`", () =>
    Effect.gen(function* () {
      const quick = yield* open()
      for (let calls = 1; calls <= 20; calls++) {
        assert.isTrue(yield* quick.isAcknowledged())
        assert.strictEqual(quick.stored(), calls)
      }
      // A batch that is too large for one turn of the event loop does not wait either.
      assert.isTrue(yield* quick.isAcknowledged(300))
      assert.strictEqual(quick.stored(), 320)
      assert.strictEqual(quick.asked.length, 0)
      const safe = yield* open({ durability: "disk" })
      const waiting = yield* safe.record(1)
      yield* pass(1000)
      assert.isUndefined(waiting.pollUnsafe())
      assert.strictEqual(safe.asked.length, 1)
      assert.strictEqual((yield* safe.metering.status).behind, 0)
      safe.answer()
      yield* Fiber.join(waiting)
    })
  )

  it.effect("gets usage after 50 ms, and all usage of this time in one sync", () =>
    Effect.gen(function* () {
      const { answer, asked, isAcknowledged, metering } = yield* open()
      for (let i = 0; i < 40; i++) {
        assert.isTrue(yield* isAcknowledged())
        yield* pass(1)
      }
      assert.strictEqual((yield* metering.status).behind, 40)
      yield* pass(9)
      assert.strictEqual(asked.length, 0)
      yield* pass(1)
      assert.strictEqual(asked.length, 1)
      // Usage that arrives during a sync is in the next one.
      assert.isTrue(yield* isAcknowledged())
      yield* pass(40)
      answer()
      assert.strictEqual((yield* metering.status).behind, 40)
      yield* pass(10)
      assert.strictEqual(asked.length, 1)
      answer()
      assert.strictEqual((yield* metering.status).behind, 0)
      yield* pass(1000)
      assert.strictEqual(asked.length, 0)
    })
  )

  it.effect("that takes up to 50 ms for a sync delays no answer", () =>
    Effect.gen(function* () {
      const { answer, asked, isAcknowledged, metering } = yield* open()
      let syncs = 0
      let left = 0
      for (let millis = 0; millis < 1000; millis++) {
        assert.isTrue(yield* isAcknowledged(), `after ${millis} ms`)
        assert.isAtMost((yield* metering.status).behind!, 100)
        yield* pass(1)
        if (asked.length === 0) left = 48
        else if (left-- === 0) {
          answer()
          syncs++
        }
      }
      assert.isAtLeast(syncs, 19)
    })
  )

  it.effect("that is more than 100 ms behind delays answers until it has answered", () =>
    Effect.gen(function* () {
      const { answer, asked, isAcknowledged, metering, record } = yield* open()
      assert.isTrue(yield* isAcknowledged())
      yield* pass(100)
      assert.isTrue(yield* isAcknowledged())
      yield* pass(1)
      const late = yield* record(1)
      yield* pass(5000)
      assert.isUndefined(late.pollUnsafe())
      assert.strictEqual((yield* metering.status).waiting, 1)
      assert.strictEqual((yield* metering.status).behind, 5101)
      // The sync of the background began before the late usage, which waits for another. Two do not overlap: of two, the
      // system tells a lost page to one.
      assert.strictEqual(asked.length, 1)
      answer()
      yield* settle
      assert.isUndefined(late.pollUnsafe())
      assert.strictEqual(asked.length, 1)
      answer()
      yield* Fiber.join(late)
      yield* settle
      assert.strictEqual((yield* metering.status).behind, 0)
      assert.isTrue(yield* isAcknowledged())
      assert.strictEqual(asked.length, 0)
    })
  )

  it.effect("is awaited by every other change, whose sync has the usage too", () =>
    Effect.gen(function* () {
      const { answer, asked, isAcknowledged, metering, sql } = yield* open()
      assert.isTrue(yield* isAcknowledged())
      // A read does not wait for usage.
      const read = yield* Effect.forkChild(sql`SELECT since FROM usage_kept`)
      yield* settle
      assert.isDefined(read.pollUnsafe())
      const change = yield* Effect.forkChild(sql`UPDATE usage_kept SET since = since`)
      yield* settle
      assert.isUndefined(change.pollUnsafe())
      assert.strictEqual(asked.length, 1)
      assert.isTrue(yield* isAcknowledged(), "while another change waits")
      answer()
      yield* Fiber.join(change)
      // The sync had begun before the second usage.
      yield* pass(50)
      assert.strictEqual(asked.length, 1)
      answer()
      assert.strictEqual((yield* metering.status).behind, 0)
    })
  )

  it.effect("is awaited by a transaction whose statements were followed by a sync in the background", () =>
    Effect.gen(function* () {
      const { answer, asked, isAcknowledged, sql } = yield* open()
      assert.isTrue(yield* isAcknowledged())
      const gate = yield* Deferred.make<void>()
      const change = yield* Effect.forkChild(
        sql.withTransaction(Effect.andThen(sql`UPDATE usage_kept SET since = since`, Deferred.await(gate)))
      )
      yield* pass(50)
      assert.strictEqual(asked.length, 1)
      answer()
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      // The statement was not in the log when the background synced it.
      assert.isUndefined(change.pollUnsafe())
      assert.strictEqual(asked.length, 1)
      answer()
      yield* Fiber.join(change)
    })
  )

  it.effect("has all usage when the service has ended", () =>
    Effect.gen(function* () {
      const { answer, asked, close, isAcknowledged } = yield* open()
      assert.isTrue(yield* isAcknowledged())
      const closing = yield* Effect.forkChild(close)
      for (let tries = 0; asked.length === 0 && tries < 50; tries++) yield* settle
      assert.strictEqual(asked.length, 1)
      assert.isUndefined(closing.pollUnsafe())
      while (closing.pollUnsafe() === undefined) {
        answer()
        yield* settle
      }
    })
  )
})

describe("a disk that fails in the background", () => {
  it.effect("ends acknowledgements at once, in the status and in the log, and is not believed again", () =>
    Effect.gen(function* () {
      const { answer, asked, isAcknowledged, logged, metering, record, sql, stored } = yield* open()
      assert.isTrue(yield* isAcknowledged())
      yield* pass(50)
      answer(Object.assign(new Error("EIO: /secret/place"), { code: "EIO" }))
      yield* settle
      // The status says so before the next call.
      assert.strictEqual((yield* metering.status).store, "down")
      assert.strictEqual(logged.filter((line) => line.startsWith("the disk failed")).length, 1)
      assert.notInclude(logged.join(), "secret")
      for (let tries = 0; tries < 3; tries++) {
        const error = yield* Effect.flip(Fiber.join(yield* record(1)))
        assert.deepStrictEqual([error._tag, error.problem], ["MeteringError", "Unavailable"])
        assert.strictEqual((yield* Effect.flip(metering.ready)).problem, "Unavailable")
      }
      // Nothing more is written, and nothing is read as if it were on the disk.
      assert.strictEqual(stored(), 1)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`SELECT since FROM usage_kept`)))
      yield* pass(1000)
      assert.isAbove((yield* metering.status).behind!, 1000)
      assert.strictEqual(asked.length, 0)
    })
  )

  it.effect("lets calls through from memory with `whenDown: buffer`", () =>
    Effect.gen(function* () {
      const { answer, isAcknowledged, metering, record } = yield* open({
        whenDown: "buffer",
        attempt: "1 second",
        timeout: "2 seconds"
      })
      assert.isTrue(yield* isAcknowledged())
      yield* pass(50)
      answer(new Error("EIO"))
      const first = yield* record(1)
      while (first.pollUnsafe() === undefined) yield* pass(100)
      yield* Fiber.join(first)
      assert.isTrue(yield* isAcknowledged())
      assert.strictEqual((yield* metering.status).store, "down")
    })
  )
})
