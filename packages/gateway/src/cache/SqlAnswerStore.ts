/**
 * Stores proven answers in a database: a file for one process, or Postgres for several processes.
 *
 * **A row is checked before it is used.** Each row has an authentication code (HMAC-SHA-256) of its key and its answer.
 * The secret of the code is not in the database. So the store detects a damaged row, a row of another question, and a
 * row that another program wrote. It deletes and counts such a row, and the nodes are asked again.
 *
 * Answers are written in batches, about 50 ms after they were put. A killed process loses the answers that wait; they
 * are then proven again. If the database is down or slow, reads find nothing and writes are skipped.
 */
import { createHmac, timingSafeEqual } from "node:crypto"

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import * as Running from "../clock/running.ts"
import * as Migrations from "../state/Migrations.ts"
import { fromSql, type StateError } from "../state/StateError.ts"
import { type AnswerStore, defaults } from "./AnswerStore.ts"

export { defaults } from "./AnswerStore.ts"

/** The options of a store. */
export interface SqlAnswerStoreOptions {
  /** The secret that authenticates rows. All processes that share the database must use the same secret. */
  readonly secret: Redacted.Redacted
  /**
   * Maximum size of all answers, in bytes (default: 1 GiB). When the answers exceed this size, the least recently used
   * answers are deleted until 90 % of this size is left.
   */
  readonly bytes?: number | undefined
}

/** Time for which answers are collected before they are written together, in milliseconds. */
const GATHER = 50

/** Maximum number of answers that wait to be written, and their maximum size in bytes. */
const MAX_WAITING = 1000
const MAX_WAITING_BYTES = 16 * 1024 * 1024

/**
 * Minimum time between two writes of an answer's last use, in milliseconds. A write at every read would cost too much.
 */
const USE = 3_600_000

/** Maximum time that a caller waits for the database, in milliseconds. */
const PATIENCE = 500

/** Number of rows that `makeRoom` reads with one query. */
const PAGE = 500

/** Makes the store in the database of the context. When the scope ends, it writes the waiting answers. */
export const make = Effect.fnUntraced(function* ({
  bytes = defaults.bytes,
  secret
}: SqlAnswerStoreOptions): Effect.fn.Return<AnswerStore, StateError, Scope.Scope | SqlClient.SqlClient> {
  yield* Migrations.run(migrations)
  const sql = yield* SqlClient.SqlClient
  const master = Redacted.value(secret)
  const idKey = createHmac("sha256", master).update("plumbline cache: rows").digest()
  const rowKey = createHmac("sha256", master).update("plumbline cache: answers").digest()
  const idOf = (key: string): Uint8Array => createHmac("sha256", idKey).update(key).digest()
  const codeOf = (id: Uint8Array, answer: Uint8Array): Uint8Array =>
    createHmac("sha256", rowKey).update(id).update(answer).digest()

  const waiting = new Map<string, Waiting>()
  let waitingBytes = 0
  let used = new Map<string, Uint8Array>()
  let hits = 0
  let corrupt = 0
  let dropped = 0
  /** Number of bytes written since the last `makeRoom`. */
  let written = 0
  const signal = yield* Queue.sliding<void>(1)

  const read = Effect.fnUntraced(function* (key: string): Effect.fn.Return<Uint8Array | undefined, SqlError> {
    const id = idOf(key)
    const [row] = yield* sql<Row>`SELECT answer, code, used FROM verified_answers WHERE id = ${id}`
    if (row === undefined) return undefined
    const code = codeOf(id, row.answer)
    if (code.length !== row.code.length || !timingSafeEqual(code, row.code)) {
      corrupt++
      yield* Effect.logWarning("a stored answer is not the one that was proven: it is deleted")
      yield* sql`DELETE FROM verified_answers WHERE id = ${id}`
      return undefined
    }
    hits++
    const now = yield* Clock.currentTimeMillis
    if (now - row.used > USE && used.size < MAX_WAITING) {
      used.set(Buffer.from(id).toString("hex"), id)
      Queue.offerUnsafe(signal, undefined)
    }
    // a copy, because the driver's array may keep a whole network packet in memory
    return Uint8Array.from(row.answer)
  })

  const get: AnswerStore["get"] = (key) =>
    Effect.map(Running.timeoutOption(read(key), PATIENCE), (found) =>
      found._tag === "Some" ? found.value : undefined
    ).pipe(
      Effect.catch((error) =>
        Effect.as(Effect.logDebug("stored answers cannot be read", fromSql(error).message), undefined)
      )
    )

  const put: AnswerStore["put"] = (key, answer) => {
    if (answer.length > bytes / 8 || waiting.size >= MAX_WAITING || waitingBytes + answer.length > MAX_WAITING_BYTES) {
      dropped++
      return
    }
    const id = idOf(key)
    waiting.set(Buffer.from(id).toString("hex"), { id, answer })
    waitingBytes += answer.length
    Queue.offerUnsafe(signal, undefined)
  }

  const flush = Effect.gen(function* () {
    const rows = [...waiting.values()]
    const uses = [...used.values()]
    waiting.clear()
    waitingBytes = 0
    used = new Map()
    if (rows.length + uses.length === 0) return
    const now = yield* Clock.currentTimeMillis
    yield* sql.withTransaction(
      Effect.gen(function* () {
        for (const { answer, id } of rows) {
          yield* sql`
            INSERT INTO verified_answers (id, answer, code, size, used)
            VALUES (${id}, ${answer}, ${codeOf(id, answer)}, ${answer.length}, ${now})
            ON CONFLICT (id) DO UPDATE SET
              answer = excluded.answer, code = excluded.code, size = excluded.size, used = excluded.used`
        }
        for (const id of uses) yield* sql`UPDATE verified_answers SET used = ${now} WHERE id = ${id}`
      })
    )
    for (const { answer } of rows) written += answer.length
    if (written > bytes / 16) {
      written = 0
      yield* makeRoom(sql, bytes)
    }
  })

  const quietly = (work: Effect.Effect<void, SqlError>): Effect.Effect<void> =>
    Effect.catch(work, (error) => Effect.logWarning("proven answers cannot be stored", fromSql(error).message))

  yield* quietly(makeRoom(sql, bytes))
  const writing = Effect.andThen(Queue.take(signal), Effect.andThen(Effect.sleep(GATHER), quietly(flush)))
  yield* Effect.forkScoped(Effect.forever(writing))
  yield* Effect.addFinalizer(() => quietly(flush))
  return { get, put, stats: () => ({ hits, corrupt, dropped }) }
})

/** Deletes the answers that were used longest ago, if there are more than `bytes` of them. */
const makeRoom = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  bytes: number
): Effect.fn.Return<void, SqlError> {
  const [sum] = yield* sql<{ readonly total: number | bigint | null }>`
    SELECT CAST(SUM(size) AS BIGINT) AS total FROM verified_answers`
  let total = Number(sum?.total ?? 0)
  if (total <= bytes) return
  while (total > 0.9 * bytes) {
    const oldest = yield* sql<{ readonly id: Uint8Array; readonly size: number }>`
      SELECT id, size FROM verified_answers ORDER BY used LIMIT ${PAGE}`
    if (oldest.length === 0) return
    for (const { id, size } of oldest) {
      if (total <= 0.9 * bytes) return
      yield* sql`DELETE FROM verified_answers WHERE id = ${id}`
      total -= size
    }
  }
})

interface Waiting {
  readonly id: Uint8Array
  readonly answer: Uint8Array
}

interface Row {
  readonly answer: Uint8Array
  readonly code: Uint8Array
  readonly used: number
}

/**
 * The migrations of the table of answers. `used` is the time of the last use, in milliseconds since 1970 UTC. It can be
 * up to an hour old.
 */
export const migrations: Migrations.Migrations = {
  name: "verified-answers",
  steps: [
    (sql) => {
      const blob = sql.literal(sql.onDialectOrElse({ pg: () => "BYTEA", orElse: () => "BLOB" }))
      const big = sql.literal(sql.onDialectOrElse({ pg: () => "BIGINT", orElse: () => "INTEGER" }))
      const strict = sql.literal(sql.onDialectOrElse({ pg: () => "", orElse: () => "STRICT" }))
      return Effect.all([
        sql`CREATE TABLE verified_answers (
          id ${blob} NOT NULL PRIMARY KEY, answer ${blob} NOT NULL, code ${blob} NOT NULL, size ${big} NOT NULL,
          used ${big} NOT NULL
        ) ${strict}`,
        sql`CREATE INDEX verified_answers_by_use ON verified_answers (used, size)`
      ])
    }
  ]
}
