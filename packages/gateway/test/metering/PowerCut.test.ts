/** Usage after a power cut, on a disk that keeps any part of what it has not synced. */
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import { assert, describe, it } from "@effect/vitest"
import { Metering, MeteringStore, Sqlite } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { Disk } from "../../src/state/sqlite/writeAheadLog.ts"
import { folder } from "../support/databases.ts"
import { call } from "../support/metering.ts"
import { PowerCutDisk } from "../support/powerCut.ts"

const turn = Effect.promise(() => new Promise((resolve) => void setImmediate(resolve)))

/** Reads what a machine finds after a power cut, by queries of its own. */
const found = (image: string) => {
  const database = new DatabaseSync(image)
  database.exec("PRAGMA synchronous = OFF")
  const rows = (text: string) => database.prepare(text).all()
  assert.deepStrictEqual(
    rows("PRAGMA integrity_check").map((row) => ({ ...row })),
    [{ integrity_check: "ok" }]
  )
  const [minutes, hours, days] = ["usage_minutes", "usage_hours", "usage_days"].map(
    (table) =>
      new Map(
        rows(`SELECT method, sum(calls) AS n FROM ${table} GROUP BY method`).map((row) => [row["method"], row["n"]])
      )
  )
  database.close()
  assert.deepStrictEqual(hours, minutes)
  assert.deepStrictEqual(days, minutes)
  return minutes!
}

const simulate = Effect.fnUntraced(function* (
  durability: MeteringStore.UsageDurability,
  seed: number,
  /** Pages of the log after which there is a checkpoint, which syncs too. */
  pages: number,
  latency: (random: Random.Random) => number
) {
  const random = Random.make(seed)
  const made = yield* folder
  const file = path.join(made, "state.db")
  const disk = new PowerCutDisk(file, random)
  const scope = yield* Scope.make()
  const layer = Metering.layer({ durability, gather: 0, attempt: "1 hour", timeout: "2 hours" }).pipe(
    Layer.provideMerge(MeteringStore.layer()),
    Layer.provideMerge(Sqlite.layer({ file }))
  )
  let isOpen = false
  const context = yield* Layer.buildWithScope(layer, scope).pipe(
    Effect.provideService(Disk, (_descriptor, done) => (isOpen ? disk.sync(done) : setImmediate(done, null)))
  )
  const sql = Context.get(context, SqlClient.SqlClient)
  const metering = Context.get(context, Metering.Metering)
  yield* sql.unsafe(`PRAGMA wal_autocheckpoint = ${pages}`)
  // `PowerCutDisk` knows which syncs SQLite makes with NORMAL. The machine's disk need not make them.
  assert.deepStrictEqual(yield* sql`PRAGMA synchronous`.values, [[1]])
  yield* sql`PRAGMA synchronous = OFF`
  for (let millis = 0; millis < 60; millis++) yield* Effect.andThen(TestClock.adjust(1), turn)
  disk.latency = () => latency(random)
  disk.follow()
  isOpen = true
  const acknowledged = new Map<string, number>()
  let sent = 0
  let cuts = 0
  let lost = 0
  const length = Random.sized(1000)
  for (let now = 0; now < length; now++) {
    disk.advance(now)
    if (random() < 0.7) {
      const methods = Array.from({ length: 1 + Random.int(random, 3) }, () => `call ${sent++}`)
      const recording = metering.recordAll(methods.map((method) => ({ ...call, method })))
      yield* Effect.forkIn(
        Effect.tap(recording, () => Effect.sync(() => methods.forEach((method) => acknowledged.set(method, disk.now)))),
        scope
      )
    }
    yield* Effect.andThen(TestClock.adjust(1), Effect.andThen(turn, turn))
    disk.follow()
    if (random() > 0.06) continue
    const image = path.join(made, `cut-${cuts++}.db`)
    disk.cut(image)
    const there = found(image)
    for (const [method, calls] of there) {
      assert.strictEqual(calls, 1, `${String(method)} counts once`)
      assert.isBelow(Number((method as string).slice(5)), sent)
    }
    const missing = [...acknowledged].filter(([method]) => !there.has(method)).map(([, at]) => at)
    lost += missing.length
    if (missing.length === 0) continue
    assert.strictEqual(durability, "process")
    const span = Math.max(...missing) - Math.min(...missing)
    assert.isAtMost(span, 100, `the cut at ${now} ms loses the calls of ${span} ms`)
  }
  isOpen = false
  for (let after = 0; after < 1000; after += 100) disk.advance(length + after)
  yield* Effect.raceFirst(
    Scope.close(scope, Exit.void),
    Effect.forever(
      Effect.andThen(
        TestClock.adjust("1 minute"),
        Effect.andThen(
          turn,
          Effect.sync(() => disk.advance(Infinity))
        )
      )
    )
  )
  assert.isAbove(acknowledged.size, 0)
  assert.strictEqual(found(file).size, sent)
  return { acknowledged: acknowledged.size, checkpoints: disk.checkpoints, cuts, lost, restarts: disk.restarts, sent }
})

describe("a power cut", () => {
  it.effect("loses no acknowledged usage under `disk`", () =>
    Effect.gen(function* () {
      const { checkpoints, restarts } = yield* simulate("disk", 5, 60, (random) => Random.int(random, 20))
      if (Random.isWhole) assert.isAbove(Math.min(checkpoints, restarts), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("loses at most the usage of 100 ms under `process`, whole batches only, and doubles none", () =>
    Effect.gen(function* () {
      const quick = yield* simulate("process", 6, 300, (random) => Random.int(random, 50))
      if (Random.isWhole) assert.isAbove(Math.min(quick.checkpoints, quick.restarts, quick.lost), 1)
    }).pipe(Effect.scoped)
  )

  it.effect("loses no more on a disk that hangs now and then", () =>
    Effect.gen(function* () {
      const slow = yield* simulate("process", 7, 1000, (random) => Random.int(random, random() < 0.2 ? 600 : 40))
      if (Random.isWhole) assert.isAbove(slow.lost, 1)
    }).pipe(Effect.scoped)
  )
})
