import { assert, describe, it } from "@effect/vitest"
import { type Migrations, Migrations as Migration, StateError } from "@plumbline/gateway"
import { Array as Arr, Context, Deferred, Duration, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"

import * as Databases from "./support/databases.ts"

/** Opens another connection to the database, as a second process does. */
const connect = (database: Databases.Database) =>
  Effect.map(Layer.build(Layer.fresh(database.layer)), (context) => Context.get(context, SqlClient.SqlClient))

const counter = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  yield* sql`CREATE TABLE counter (n INTEGER NOT NULL)`
  yield* sql`INSERT INTO counter (n) VALUES (0)`
})

/** Increments a counter: reads it, yields, and writes it. Increments are lost if two transactions overlap. */
const increment = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      const rows = yield* sql<{ readonly n: number }>`
        SELECT n FROM counter ${sql.literal(sql.onDialectOrElse({ pg: () => "FOR UPDATE", orElse: () => "" }))}`
      yield* Effect.yieldNow
      yield* sql`UPDATE counter SET n = ${rows[0]!.n + 1}`
    })
  )

const count = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ readonly n: number }>`SELECT n FROM counter`, (rows) => rows[0]?.n)

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`state over ${name}`, () => {
    it.live("gives values back as they were written", () =>
      Effect.gen(function* () {
        const sql = yield* connect(yield* fresh)
        const blob = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))
        yield* sql`CREATE TABLE v (id INTEGER, big BIGINT, data ${blob}, words TEXT)`
        const rows = [
          { id: 1, big: 2n ** 63n - 1n, data: Uint8Array.of(0, 1, 254, 255), words: "a\u0001é😀'\"" },
          { id: 2, big: -(2n ** 63n), data: new Uint8Array(0), words: "" },
          { id: 3, big: Number.MAX_SAFE_INTEGER, data: null, words: null },
          { id: 4, big: 2n ** 53n, data: null, words: null },
          { id: -5, big: null, data: null, words: null },
          { id: 6, big: -(2n ** 53n), data: null, words: null },
          { id: 7, big: Number.MIN_SAFE_INTEGER, data: null, words: null }
        ]
        for (const row of rows) yield* sql`INSERT INTO v ${sql.insert(row)}`
        yield* sql`INSERT INTO v ${sql.insert({ id: 8n, big: 5n, data: null, words: null })}`
        const found = yield* sql<(typeof rows)[number]>`SELECT * FROM v ORDER BY abs(id)`
        const plain = found.map(({ data, ...row }) => ({ data: data === null ? null : Uint8Array.from(data), ...row }))
        assert.deepStrictEqual<unknown>(plain, [...rows, { id: 8, big: 5, data: null, words: null }])
        assert.deepStrictEqual(yield* sql`SELECT big, words FROM v WHERE id = 2`.values, [[-(2n ** 63n), ""]])
      }).pipe(Effect.scoped)
    )

    it.live("refuses an integer that does not fit, and writes nothing", () =>
      Effect.gen(function* () {
        const sql = yield* connect(yield* fresh)
        yield* sql`CREATE TABLE v (big BIGINT)`
        for (const big of [2n ** 63n, -(2n ** 63n) - 1n]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`INSERT INTO v (big) VALUES (${big})`)))
        }
        assert.deepStrictEqual(yield* sql`SELECT * FROM v`, [])
      }).pipe(Effect.scoped)
    )

    it.live("tells apart what is there already from what is wrong", () =>
      Effect.gen(function* () {
        const sql = yield* connect(yield* fresh)
        yield* sql`CREATE TABLE k (name TEXT PRIMARY KEY, other TEXT UNIQUE, filled TEXT NOT NULL)`
        yield* sql`INSERT INTO k (name, other, filled) VALUES ('a', 'b', '')`
        const reason = (effect: Effect.Effect<unknown, SqlError.SqlError>) =>
          Effect.map(Effect.flip(effect), (error) => error.reason._tag)
        assert.strictEqual(yield* reason(sql`INSERT INTO k (name, filled) VALUES ('a', '')`), "UniqueViolation")
        assert.strictEqual(
          yield* reason(sql`INSERT INTO k (name, other, filled) VALUES ('c', 'b', '')`),
          "UniqueViolation"
        )
        assert.strictEqual(yield* reason(sql`INSERT INTO k (name) VALUES ('d')`), "ConstraintError")
        const broken = StateError.fromSql(yield* Effect.flip(sql`SELECT secret_word FROM nowhere`))
        assert.strictEqual(broken.problem, "Unavailable")
        assert.notInclude(broken.message, "secret_word")
      }).pipe(Effect.scoped)
    )

    it.live("refuses a text of several statements, and runs none of them", () =>
      Effect.gen(function* () {
        const sql = yield* connect(yield* fresh)
        yield* sql`CREATE TABLE t (a INTEGER);`
        for (const text of ["INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)", "INSERT INTO t VALUES (3); no"]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(sql.unsafe(text))), text)
        }
        assert.deepStrictEqual(yield* sql`SELECT a FROM t ;  `, [])
      }).pipe(Effect.scoped)
    )

    it.live("keeps transactions apart, within a process and between two", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const [here, there] = [yield* connect(database), yield* connect(database)]
        yield* counter(here)
        yield* Effect.forEach(
          Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? here : there)),
          increment,
          { concurrency: "unbounded" }
        )
        assert.strictEqual(yield* count(there), 60)
      }).pipe(Effect.scoped)
    )

    it.live("takes back all of a transaction that fails or is interrupted, and goes on", () =>
      Effect.gen(function* () {
        const sql = yield* connect(yield* fresh)
        yield* counter(sql)
        const error = yield* Effect.flip(
          sql.withTransaction(Effect.andThen(increment(sql), Effect.fail("no" as const)))
        )
        assert.strictEqual(error, "no")
        const begun = yield* Deferred.make<void>()
        const fiber = yield* Effect.forkChild(
          sql.withTransaction(
            increment(sql).pipe(Effect.andThen(Deferred.succeed(begun, undefined)), Effect.andThen(Effect.never))
          )
        )
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* count(sql), 0)
        // If an inner transaction fails and the outer one continues, only the inner changes are rolled back.
        yield* sql.withTransaction(
          Effect.andThen(
            increment(sql),
            Effect.ignore(sql.withTransaction(Effect.andThen(increment(sql), Effect.fail("inner"))))
          )
        )
        assert.strictEqual(yield* count(sql), 1)
      }).pipe(Effect.scoped)
    )

    it.live("shows nobody what is not committed", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const [writer, reader] = [yield* connect(database), yield* connect(database)]
        yield* counter(writer)
        yield* writer.withTransaction(
          Effect.gen(function* () {
            yield* increment(writer)
            assert.strictEqual(yield* count(reader), 0)
          })
        )
        assert.strictEqual(yield* count(reader), 1)
      }).pipe(Effect.scoped)
    )

    it.live("streams rows", () =>
      Effect.gen(function* () {
        const sql = yield* connect(yield* fresh)
        yield* sql`CREATE TABLE n (n BIGINT)`
        const all = Arr.makeBy(300, (n) => ({ n }))
        yield* sql`INSERT INTO n ${sql.insert(all)}`
        const stream = sql<{ readonly n: number }>`SELECT n FROM n ORDER BY n`.stream
        assert.deepStrictEqual(
          (yield* Stream.runCollect(stream)).map(({ n }) => n),
          all.map(({ n }) => n)
        )
        // A stream that ends early leaves no lock.
        assert.deepStrictEqual((yield* Stream.runCollect(Stream.take(stream, 2))).length, 2)
        yield* sql`DROP TABLE n`
      }).pipe(Effect.scoped)
    )

    describe("migrations", () => {
      const part: Migrations.Migrations = {
        name: "part",
        steps: [
          (sql) => Effect.andThen(sql`CREATE TABLE a (x INTEGER)`, sql`INSERT INTO a (x) VALUES (1)`),
          (sql) => sql`ALTER TABLE a ADD COLUMN y INTEGER`,
          (sql) => sql`UPDATE a SET y = x + 1`
        ]
      }
      const upTo = (steps: number): Migrations.Migrations => ({ ...part, steps: part.steps.slice(0, steps) })
      const migrate = (sql: SqlClient.SqlClient, migrations: Migrations.Migrations) =>
        Effect.provideService(Migration.run(migrations), SqlClient.SqlClient, sql)

      it.live("go forward from wherever they are, once", () =>
        Effect.gen(function* () {
          for (const first of [0, 1, 2, 3]) {
            const sql = yield* connect(yield* fresh)
            assert.strictEqual(yield* migrate(sql, upTo(first)), first)
            assert.strictEqual(yield* migrate(sql, part), 3)
            assert.strictEqual(yield* migrate(sql, part), 3)
            assert.deepStrictEqual(
              (yield* sql`SELECT * FROM a`).map((row) => ({ ...row })),
              [{ x: 1, y: 2 }]
            )
          }
        }).pipe(Effect.scoped)
      )

      it.live("are done once by several processes that start together", () =>
        Effect.gen(function* () {
          const database = yield* fresh
          const processes = yield* Effect.forEach([1, 2, 3, 4], () => connect(database))
          yield* Effect.forEach(processes, (sql) => migrate(sql, part), { concurrency: "unbounded" })
          assert.strictEqual((yield* processes[0]!`SELECT * FROM a`).length, 1)
        }).pipe(Effect.scoped)
      )

      it.live("let the release before use what was added, but refuse what a newer one took away", () =>
        Effect.gen(function* () {
          const sql = yield* connect(yield* fresh)
          yield* migrate(sql, part)
          // the second step adds a column, and the third fills it
          assert.strictEqual(yield* migrate(sql, upTo(2)), 3)
          assert.strictEqual(yield* migrate(sql, upTo(1)), 3)
          const dropped = (sql: SqlClient.SqlClient) => sql`ALTER TABLE a DROP COLUMN x`
          const later = { ...part, steps: [...part.steps, dropped, part.steps[1]!], contracts: [4] }
          assert.strictEqual(yield* migrate(sql, { ...later, steps: later.steps.slice(0, 4) }), 4)
          assert.strictEqual(yield* migrate(sql, { ...later, steps: later.steps.slice(0, 4) }), 4)
          const error = yield* Effect.flip(migrate(sql, part))
          assert.deepStrictEqual([error.problem, error.detail], ["Newer", "part 4, known are 3"])
        }).pipe(Effect.scoped)
      )

      it.live("refuse tables of which nobody knows the oldest program, and change nothing", () =>
        Effect.gen(function* () {
          const sql = yield* connect(yield* fresh)
          yield* migrate(sql, part)
          yield* sql`DELETE FROM plumbline_versions WHERE part = 'part oldest'`
          const error = yield* Effect.flip(migrate(sql, upTo(2)))
          assert.deepStrictEqual([error.problem, error.detail], ["Newer", "part 3, known are 2"])
          // Another part of the state has separate version numbers.
          assert.strictEqual(yield* migrate(sql, { name: "other", steps: [] }), 0)
          assert.strictEqual(yield* migrate(sql, part), 3)
        }).pipe(Effect.scoped)
      )

      it.live("do not keep others waiting behind a table that a long transaction holds", () =>
        Effect.gen(function* () {
          const database = yield* fresh
          const [sql, long, caller] = [yield* connect(database), yield* connect(database), yield* connect(database)]
          const isPostgres = sql.onDialectOrElse({ pg: () => true, orElse: () => false })
          // in SQLite a reader holds no table
          if (!isPostgres) return
          yield* migrate(sql, upTo(1))
          const held = yield* Deferred.make<void>()
          // as pg_dump does while it copies the table
          const dump = yield* Effect.forkChild(
            long.withTransaction(
              Effect.gen(function* () {
                yield* long`SELECT * FROM a`
                yield* Deferred.succeed(held, undefined)
                yield* Effect.sleep("1500 millis")
              })
            )
          )
          yield* Deferred.await(held)
          const migration = yield* Effect.forkChild(migrate(sql, part))
          const waits: Array<number> = []
          while (dump.pollUnsafe() === undefined) {
            const [time] = yield* Effect.timed(caller`INSERT INTO a (x) VALUES (7)`)
            waits.push(Duration.toMillis(time))
            yield* Effect.sleep("20 millis")
          }
          assert.strictEqual(yield* Fiber.join(migration), 3)
          assert.isAbove(waits.length, 5)
          // without the bound, the first call would wait for the end of the dump
          assert.isBelow(Math.max(...waits), 1000)
        }).pipe(Effect.scoped)
      )

      it.live("take back a step that fails, and keep those before it", () =>
        Effect.gen(function* () {
          const sql = yield* connect(yield* fresh)
          const failing: Migrations.Migrations = {
            ...part,
            steps: [part.steps[0]!, (sql) => Effect.andThen(part.steps[1]!(sql), sql`SELECT nothing FROM nowhere`)]
          }
          assert.strictEqual((yield* Effect.flip(migrate(sql, failing))).problem, "Unavailable")
          assert.deepStrictEqual(
            (yield* sql`SELECT * FROM a`).map((row) => ({ ...row })),
            [{ x: 1 }]
          )
          assert.strictEqual(yield* migrate(sql, part), 3)
        }).pipe(Effect.scoped)
      )
    })
  })
}
