/** The bytes on the disk when SQLite acknowledges a write, and the work of the process until then. */
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import { assert, it } from "@effect/vitest"
import { Sqlite, StateError } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Context, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"

import { Disk } from "../../src/state/sqlite/writeAheadLog.ts"
import { folder } from "../support/databases.ts"

type Done = (error: Error | null) => void

const open = (file: string, disk: (done: Done) => void) =>
  Layer.build(Sqlite.layer({ file })).pipe(
    Effect.map((context) => Context.get(context, SqlClient.SqlClient)),
    Effect.provideService(Disk, (_descriptor, done) => disk(done))
  )

const turns = (count: number) =>
  Effect.promise(async () => {
    for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
  })

it.live("what was acknowledged is in what the disk has taken: a machine that stops at any moment has it", () =>
  Effect.gen(function* () {
    const random = Random.make(24)
    const made = yield* folder
    const file = path.join(made, "state.db")
    // A sync covers the bytes that are in the log when the sync is requested. The disk has these bytes when the sync
    // has ended.
    let taken = Buffer.alloc(0)
    const sql = yield* open(file, (done) => {
      const asked = readFileSync(`${file}-wal`)
      setTimeout(
        () => {
          taken = asked
          done(null)
        },
        Random.int(random, 3)
      )
    })
    yield* sql`CREATE TABLE t (id INTEGER PRIMARY KEY, twin INTEGER)`
    // No checkpoint runs during this test, so the database file does not change.
    const still = readFileSync(file)
    const acknowledged = new Set<number>()
    let stops = 0
    const stop = () => {
      const image = path.join(made, `stopped-${stops++}.db`)
      writeFileSync(image, still)
      writeFileSync(`${image}-wal`, taken)
      const after = new DatabaseSync(image)
      const there = new Set(
        after
          .prepare("SELECT id FROM t WHERE twin = id")
          .all()
          .map(({ id }) => id)
      )
      after.close()
      for (const id of acknowledged) assert.isTrue(there.has(id), `${id} of ${acknowledged.size}`)
    }
    const write = (id: number) =>
      Effect.gen(function* () {
        switch (id % 3) {
          case 0:
            yield* sql.withTransaction(
              Effect.andThen(sql`INSERT INTO t VALUES (${id}, 0)`, sql`UPDATE t SET twin = ${id} WHERE id = ${id}`)
            )
            break
          case 1:
            yield* sql`INSERT INTO t VALUES (${id}, ${id}) RETURNING id`
            break
          default:
            yield* sql`INSERT INTO t VALUES (${id}, ${id})`.raw
        }
        acknowledged.add(id)
        stop()
      })
    const read = Effect.gen(function* () {
      // Rows that a query returned must be on the disk too.
      for (const { id } of yield* sql<{ readonly id: number }>`SELECT id FROM t`) acknowledged.add(id)
      stop()
    })
    const ids = Array.from({ length: Math.min(60, Random.runs(60)) }, (_, id) => id)
    yield* Effect.forEach(
      ids,
      (id) => {
        const wait = Effect.sleep(Random.int(random, 60))
        if (id % 10 === 9) return Effect.andThen(wait, read)
        // Some callers leave before their write is answered. Later callers must not treat such a write as durable.
        return Effect.andThen(wait, id % 7 === 6 ? Effect.timeoutOption(write(id), Random.int(random, 4)) : write(id))
      },
      { concurrency: "unbounded", discard: true }
    )
    yield* read
    assert.isAbove(acknowledged.size, ids.length / 2)
    assert.deepStrictEqual(readFileSync(file), still)
  }).pipe(Effect.scoped)
)

it.live("the process goes on while the disk writes, and nobody reads here what is not there yet", () =>
  Effect.gen(function* () {
    const file = path.join(yield* folder, "state.db")
    let slow: Array<Done> | undefined
    const sql = yield* open(file, (done) => (slow === undefined ? done(null) : slow.push(done)))
    yield* sql`CREATE TABLE t (a INTEGER)`
    slow = []
    const writer = yield* Effect.forkChild(sql`INSERT INTO t VALUES (1)`)
    const reader = yield* Effect.forkChild(sql`SELECT a FROM t`.values)
    yield* turns(20)
    const other = new DatabaseSync(file, { readOnly: true })
    assert.strictEqual(other.prepare("SELECT count(*) AS n FROM t").get()?.["n"], 1)
    other.close()
    assert.deepStrictEqual([writer.pollUnsafe(), reader.pollUnsafe(), slow.length], [undefined, undefined, 1])
    slow.shift()!(null)
    assert.deepStrictEqual(yield* Fiber.join(reader), [[1]])
    yield* Fiber.join(writer)
    // Inside a transaction only the commit waits for the disk.
    const transaction = yield* Effect.forkChild(
      sql.withTransaction(Effect.andThen(sql`INSERT INTO t VALUES (2)`, sql`INSERT INTO t VALUES (3)`))
    )
    yield* turns(20)
    assert.deepStrictEqual([transaction.pollUnsafe(), slow.length], [undefined, 1])
    slow.shift()!(null)
    yield* Fiber.join(transaction)
    // Nothing was written since the last sync, so a read does not wait.
    assert.deepStrictEqual(yield* sql`SELECT count(*) FROM t`.values, [[3]])
    yield* Effect.ignore(sql.withTransaction(Effect.andThen(sql`SELECT a FROM t`, Effect.fail("no"))))
    assert.strictEqual(slow.length, 0)
    // An interrupted caller still waits until the disk has answered.
    const leaver = yield* Effect.forkChild(sql`INSERT INTO t VALUES (4)`)
    yield* turns(20)
    const leaving = yield* Effect.forkChild(Fiber.interrupt(leaver))
    yield* turns(20)
    assert.deepStrictEqual([leaving.pollUnsafe(), slow.length], [undefined, 1])
    slow.shift()!(null)
    yield* Fiber.join(leaving)
  }).pipe(Effect.scoped)
)

it.live("a disk that has failed is not believed again", () =>
  Effect.gen(function* () {
    const file = path.join(yield* folder, "state.db")
    let broken = false
    const sql = yield* open(file, (done) => done(broken ? new Error(`EIO: ${file}`) : null))
    yield* sql`CREATE TABLE t (a INTEGER)`
    broken = true
    const failed = yield* Effect.flip(sql.withTransaction(sql`INSERT INTO t VALUES (1)`))
    const told = StateError.fromSql(failed)
    assert.deepStrictEqual([told.problem, told.detail], ["Unavailable", "disk I/O error"])
    broken = false
    for (const next of [sql`SELECT a FROM t`, sql`INSERT INTO t VALUES (2)`, sql.withTransaction(sql`SELECT 1`)]) {
      assert.isTrue(Exit.isFailure(yield* Effect.exit(next)))
    }
  }).pipe(Effect.scoped)
)

it.live("a database in memory asks no disk", () =>
  Effect.gen(function* () {
    const sql = yield* open(":memory:", () => assert.fail("asked"))
    yield* sql`CREATE TABLE t (a INTEGER)`
    yield* sql.withTransaction(sql`INSERT INTO t VALUES (1)`)
    assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[1]])
  }).pipe(Effect.scoped)
)
