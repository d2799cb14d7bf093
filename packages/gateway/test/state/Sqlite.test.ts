import { chmodSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { DatabaseSync } from "node:sqlite"

import { assert, it } from "@effect/vitest"
import { Sqlite, StateError } from "@plumbline/gateway"
import { Context, Duration, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"

import { folder } from "../support/databases.ts"

const file = Effect.map(folder, (made) => path.join(made, "state.db"))

const open = (name: string) =>
  Effect.map(Layer.build(Sqlite.layer({ file: name })), (context) => Context.get(context, SqlClient.SqlClient))

it.effect("a new file is its owner's alone, and a change is in it when the scope has closed", () =>
  Effect.gen(function* () {
    const name = yield* file
    yield* Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* open(name)
        yield* sql`CREATE TABLE t (a INTEGER)`
        yield* sql`INSERT INTO t (a) VALUES (1)`
        assert.deepStrictEqual(yield* sql`PRAGMA journal_mode`.values, [["wal"]])
        // 1 is NORMAL: SQLite itself only keeps the file intact. SqliteLog.test.ts tests how commits reach the disk.
        assert.deepStrictEqual(yield* sql`PRAGMA synchronous`.values, [[1]])
        assert.deepStrictEqual(yield* sql`PRAGMA foreign_keys`.values, [[1]])
      })
    )
    assert.strictEqual(statSync(name).mode & 0o777, 0o600)
    const plain = new DatabaseSync(name, { readOnly: true })
    assert.strictEqual(plain.prepare("SELECT a FROM t").get()?.["a"], 1)
    plain.close()
    const { detail, problem } = yield* Effect.flip(Effect.scoped(open(path.join(name, "inside"))))
    assert.deepStrictEqual([problem, detail], ["Unavailable", "ENOTDIR"])
  }).pipe(Effect.scoped)
)

// The user root can write read-only files, so the test is skipped for root.
it.effect.skipIf(process.getuid?.() === 0)(
  "a file that may not be written is refused, and not opened for reading",
  () =>
    Effect.gen(function* () {
      const name = yield* file
      yield* Effect.scoped(Effect.flatMap(open(name), (sql) => sql`CREATE TABLE t (a INTEGER)`))
      chmodSync(name, 0o400)
      const { detail, problem } = yield* Effect.flip(Effect.scoped(open(name)))
      assert.deepStrictEqual([problem, detail], ["Unavailable", "EACCES"])
    }).pipe(Effect.scoped)
)

it.effect("another process's lock is waited for, five seconds and no longer", () =>
  Effect.gen(function* () {
    const name = yield* file
    const sql = yield* open(name)
    yield* sql`CREATE TABLE t (a INTEGER)`
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(name)),
      (opened) => Effect.sync(() => opened.close())
    )
    const insert = sql.withTransaction(sql`INSERT INTO t (a) VALUES (1)`)

    other.exec("BEGIN IMMEDIATE")
    const patient = yield* Effect.forkChild(insert)
    yield* TestClock.adjust("4900 millis")
    assert.isUndefined(patient.pollUnsafe())
    other.exec("COMMIT")
    yield* TestClock.adjust("100 millis")
    yield* Fiber.join(patient)

    other.exec("BEGIN IMMEDIATE")
    const late = yield* Effect.forkChild(Effect.flip(insert))
    yield* TestClock.adjust("6 seconds")
    const error = yield* Fiber.join(late)
    assert.strictEqual(error.reason._tag, "LockTimeoutError")
    assert.strictEqual(StateError.fromSql(error).problem, "InUse")
    // Reads continue while another process writes.
    assert.deepStrictEqual(yield* sql`SELECT a FROM t`.values, [[1]])
    other.exec("ROLLBACK")
    yield* insert
    assert.deepStrictEqual(yield* sql`SELECT count(*) FROM t`.values, [[2]])
  }).pipe(Effect.scoped)
)

it.effect("a file that somebody holds for himself is in use", () =>
  Effect.gen(function* () {
    const name = yield* file
    const other = yield* Effect.acquireRelease(
      Effect.sync(() => new DatabaseSync(name)),
      (opened) => Effect.sync(() => opened.close())
    )
    other.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t (a)")
    const opening = yield* Effect.forkChild(Effect.flip(Effect.scoped(open(name))))
    // SQLite is imported first, because a test clock does not advance the import.
    yield* Effect.promise(() => import("node:sqlite"))
    for (let turn = 0; turn < 100 && opening.pollUnsafe() === undefined; turn++) {
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(Duration.seconds(1))
    }
    assert.strictEqual((yield* Fiber.join(opening)).problem, "InUse")
  }).pipe(Effect.scoped)
)

it.effect("a damaged file is told apart, and left as it is", () =>
  Effect.gen(function* () {
    const folderName = yield* folder
    const whole = path.join(folderName, "whole.db")
    yield* Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* open(whole)
        yield* sql`CREATE TABLE t (a TEXT)`
        yield* sql`CREATE INDEX i ON t (a)`
        for (let n = 0; n < 200; n++) yield* sql`INSERT INTO t (a) VALUES (${`${n}`.padStart(200, "x")})`
      })
    )
    const good = readFileSync(whole)
    const damage: Record<string, (name: string) => void> = {
      "not a database": (name) => writeFileSync(name, "this is a letter to a friend, and not a database at all"),
      "cut in the middle": (name) => {
        writeFileSync(name, good)
        truncateSync(name, good.length / 2)
      },
      "a page of noise": (name) =>
        writeFileSync(name, Buffer.concat([good.subarray(0, 8192), Buffer.alloc(4096, 0xa5), good.subarray(12_288)]))
    }
    for (const [what, make] of Object.entries(damage)) {
      const name = path.join(folderName, what)
      make(name)
      const before = readFileSync(name)
      const error = yield* Effect.flip(Effect.scoped(open(name)))
      assert.strictEqual(error.problem, "Damaged", what)
      assert.notInclude(error.message, folderName)
      assert.deepStrictEqual(readFileSync(name), before, what)
    }
  }).pipe(Effect.scoped)
)

it.effect("statements beyond those kept prepared still run", () =>
  Effect.gen(function* () {
    const sql = yield* open(":memory:")
    for (let turn = 0; turn < 2; turn++) {
      for (let n = 0; n < 450; n++) {
        assert.deepStrictEqual(yield* sql.unsafe(`SELECT ${n} AS n`).values, [[n]])
      }
    }
  }).pipe(Effect.scoped)
)

it.effect("with SafeIntegers every integer is a bigint", () =>
  Effect.gen(function* () {
    const sql = yield* open(":memory:")
    const rows = yield* Effect.provideService(sql`SELECT 1 AS n, true AS t, 'x' AS x`, SqlClient.SafeIntegers, true)
    assert.deepStrictEqual({ ...rows[0] }, { n: 1n, t: 1n, x: "x" })
    assert.deepStrictEqual(yield* sql`SELECT ${true} AS a, ${false} AS b, ${null} AS c`.values, [[1, 0, null]])
  }).pipe(Effect.scoped)
)
