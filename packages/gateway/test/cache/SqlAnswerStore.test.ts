/**
 * The store of proven answers, over each kind of database. A process is simulated by a scope with its own connection.
 */
import { assert, describe, it } from "@effect/vitest"
import { SqlAnswerStore, type StateError } from "@plumbline/gateway"
import { Context, Effect, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"

import * as Databases from "../support/databases.ts"

const SECRET = Redacted.make("5e".repeat(32))

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const text = (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : decoder.decode(bytes))

interface Process {
  readonly store: Effect.Success<ReturnType<typeof SqlAnswerStore.make>>
  readonly sql: SqlClient.SqlClient
}

/** Runs work in a simulated process. At its end, the process writes the waiting answers. */
const inProcess = <A, E>(
  { layer }: Databases.Database,
  work: (process: Process) => Effect.Effect<A, E>,
  options: Partial<SqlAnswerStore.SqlAnswerStoreOptions> = {}
): Effect.Effect<A, E | StateError.StateError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      const store = yield* Effect.provideContext(SqlAnswerStore.make({ secret: SECRET, ...options }), context)
      return yield* work({ store, sql: Context.get(context, SqlClient.SqlClient) })
    })
  ).pipe(Effect.provideService(Logger.CurrentLoggers, new Set()))

const putting =
  (...keys: ReadonlyArray<string>) =>
  ({ store }: Process) =>
    Effect.sync(() => {
      for (const key of keys) store.put(key, encoder.encode(`the answer to ${key}`))
    })

for (const { fresh, name, skipped } of Databases.kinds) {
  describe.skipIf(skipped)(`proven answers in ${name}`, () => {
    it.live("are there for another process, and for the next one", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        yield* inProcess(database, ({ store }) =>
          Effect.gen(function* () {
            yield* inProcess(database, putting("a", "b"))
            assert.strictEqual(text(yield* store.get("a")), "the answer to a")
            assert.isUndefined(yield* store.get("c"))
          })
        )
        yield* inProcess(database, ({ store }) =>
          Effect.map(store.get("b"), (answer) => {
            assert.strictEqual(text(answer), "the answer to b")
            assert.deepStrictEqual(store.stats(), { hits: 1, corrupt: 0, dropped: 0 })
          })
        )
      })
    )

    it.live("are written while the process runs", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        yield* inProcess(database, ({ sql, store }) =>
          Effect.gen(function* () {
            store.put("a", encoder.encode("1"))
            while ((yield* Effect.orDie(sql`SELECT id FROM verified_answers`)).length === 0) yield* Effect.sleep(5)
            assert.strictEqual(text(yield* store.get("a")), "1")
          })
        )
      })
    )

    const forgeries: ReadonlyArray<
      readonly [name: string, forge: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, any>]
    > = [
      ["another answer", (sql) => sql`UPDATE verified_answers SET answer = ${encoder.encode("a lie")}`],
      ["an answer that is cut", (sql) => sql`UPDATE verified_answers SET answer = ${new Uint8Array(0)}`],
      ["another code", (sql) => sql`UPDATE verified_answers SET code = ${new Uint8Array(32)}`],
      ["no code", (sql) => sql`UPDATE verified_answers SET code = ${new Uint8Array(0)}`],
      [
        "the answer to another question",
        (sql) =>
          Effect.gen(function* () {
            const rows = yield* sql<{
              readonly id: Uint8Array
              readonly answer: Uint8Array
              readonly code: Uint8Array
            }>`
              SELECT id, answer, code FROM verified_answers ORDER BY id`
            for (const [index, { answer, code }] of rows.entries()) {
              const { id } = rows[(index + 1) % rows.length]!
              yield* sql`UPDATE verified_answers SET answer = ${answer}, code = ${code} WHERE id = ${id}`
            }
          })
      ]
    ]
    for (const [what, forge] of forgeries) {
      it.live(`are not believed if a row has ${what}: it is deleted and counted`, () =>
        Effect.gen(function* () {
          const database = yield* fresh
          yield* inProcess(database, putting("a", "b"))
          yield* inProcess(database, ({ sql, store }) =>
            Effect.gen(function* () {
              yield* Effect.orDie(forge(sql))
              assert.isUndefined(yield* store.get("a"))
              assert.isUndefined(yield* store.get("b"))
              assert.deepInclude(store.stats(), { hits: 0, corrupt: 2 })
              assert.strictEqual((yield* Effect.orDie(sql`SELECT id FROM verified_answers`)).length, 0)
            })
          )
        })
      )
    }

    it.live("of another secret are not even found", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        yield* inProcess(database, putting("a"))
        const other = { secret: Redacted.make("aa".repeat(32)) }
        const found = yield* inProcess(database, ({ store }) => store.get("a"), other)
        assert.isUndefined(found)
      })
    )

    it.live("are bounded by bytes: those that were not used for longest leave", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        const options = { bytes: 100_000 }
        const answer = new Uint8Array(5000)
        for (let round = 0; round < 5; round++) {
          const put = ({ store }: Process) =>
            Effect.sync(() => {
              for (let n = 0; n < 10; n++) store.put(`${round} ${n}`, answer)
            })
          yield* inProcess(database, put, options)
        }
        yield* inProcess(
          database,
          ({ sql, store }) =>
            Effect.gen(function* () {
              const [row] = yield* Effect.orDie(
                sql<{ readonly total: number }>`SELECT CAST(SUM(size) AS BIGINT) AS total FROM verified_answers`
              )
              assert.isAtMost(row!.total, 100_000)
              assert.isAtLeast(row!.total, 50_000)
              assert.isDefined(yield* store.get("4 9"))
              assert.isUndefined(yield* store.get("0 0"))
            }),
          options
        )
      })
    )

    it.live("are nothing while the database is of no use, and no error", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        yield* inProcess(database, ({ sql, store }) =>
          Effect.gen(function* () {
            yield* Effect.orDie(sql`DROP TABLE verified_answers`)
            assert.isUndefined(yield* store.get("a"))
            store.put("a", encoder.encode("1"))
          })
        )
      })
    )

    it.live("that are too large or too many are left out, and counted", () =>
      Effect.gen(function* () {
        const database = yield* fresh
        yield* inProcess(
          database,
          ({ store }) =>
            Effect.sync(() => {
              store.put("large", new Uint8Array(200_000))
              for (let n = 0; n < 1010; n++) store.put(`${n}`, new Uint8Array(1))
              assert.strictEqual(store.stats().dropped, 11)
            }),
          { bytes: 1_000_000 }
        )
      })
    )
  })
}
