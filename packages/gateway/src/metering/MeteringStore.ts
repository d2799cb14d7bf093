/**
 * The store of usage: SQLite or Postgres, through one `SqlClient`.
 */
import { randomBytes } from "node:crypto"

import * as Arr from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

import * as Migrations from "../state/Migrations.ts"
import * as DirectTransactions from "../state/sqlite/directTransactions.ts"
import { fromSql, type StateError } from "../state/StateError.ts"
import type { LatencyRow } from "./latency/latencyRecorder.ts"
import * as Latency from "./latency/latencyTables.ts"
import type { UsageBatch, UsageDurability } from "./usageBatch.ts"
import * as UsageCommit from "./usageCommit.ts"
import * as UsageTables from "./usageTables.ts"

export type { UsageBatch, StorageLevel, UsageDurability, UsageRow } from "./usageBatch.ts"
export type { LatencyRow } from "./latency/latencyRecorder.ts"

/**
 * The age limits of usage rows by minute, hour and day. Rows before the given time are deleted. Times are milliseconds
 * since the epoch. Rows of a grain without a time are kept for ever.
 */
export interface RetainedSince {
  readonly minute?: number | undefined
  readonly hour?: number | undefined
  readonly day?: number | undefined
}

/**
 * The state of the disk that holds usage.
 */
export interface UsageDisk {
  /** True after a write to the disk has failed. The store then accepts nothing until the process starts again. */
  readonly hasFailed: boolean
  /** Milliseconds for which acknowledged usage has been waiting for the disk; 0 if all of it is there. */
  readonly behind: number
}

export interface UsageStore {
  /**
   * Adds a batch, whole or not at all. When the effect ends, the batch is as durable as asked; without `durability`, as
   * is usual for this store. A batch is added once: if its number is not higher than the writer's last number,
   * nothing is added. So a caller that does not know the outcome can try again.
   */
  readonly commit: (batch: UsageBatch, durability?: UsageDurability) => Effect.Effect<void, StateError>
  /**
   * Adds a batch without an Effect. Absent if the store is another process. Calls `done` once: with true when the batch
   * is durable, with false if the outcome is unknown. Returns false, and adds nothing, if the write cannot begin at
   * once or would take long. In both cases of false, run `commit` with the same batch. A spread does not copy this
   * function, so that a store that replaces `commit` is not bypassed.
   */
  readonly commitNow?:
    | ((batch: UsageBatch, done: (isDurable: boolean) => void, durability?: UsageDurability) => boolean)
    | undefined
  /**
   * Returns the state of the disk for usage that was acknowledged before it was there. Absent if another program
   * writes to the disk.
   */
  readonly disk?: (() => UsageDisk) | undefined
  /**
   * Adds response times of calls to a minute. These are statistics: after a failure they may have been added or not.
   */
  readonly addLatencies: (minute: number, rows: ReadonlyArray<LatencyRow>) => Effect.Effect<void, StateError>
  /** Succeeds if the store accepts changes of the size of a batch. The test writes rows and deletes them. */
  readonly ping: Effect.Effect<void, StateError>
  /**
   * Deletes expired rows, in steps that let other work run in between. It deletes minutes by whole hours, and hours by
   * whole days. It also deletes writers that have been silent for 30 days.
   */
  readonly forget: (kept: RetainedSince, now: number) => Effect.Effect<void, StateError>
}

/**
 * The store of `Metering`.
 */
export class MeteringStore extends Context.Service<MeteringStore, UsageStore>()("@plumbline/gateway/MeteringStore") {}

/**
 * The store over `Sqlite.layer` or `Postgres.layer`. At the start it creates its tables, or migrates them to the newest
 * version. The usual durability of usage is `process` with SQLite, and `disk` with Postgres.
 */
export const layer = (): Layer.Layer<MeteringStore, StateError, SqlClient.SqlClient> => shared

/** One value, so that all layers of a program share one service. */
const shared: Layer.Layer<MeteringStore, StateError, SqlClient.SqlClient> = Layer.effect(
  MeteringStore,
  Effect.gen(function* () {
    yield* Migrations.run(UsageTables.migrations)
    const sql = yield* SqlClient.SqlClient
    const commit = UsageCommit.make(sql)
    const direct = DirectTransactions.of(sql)
    const usual = direct === undefined ? "disk" : "process"
    const store = MeteringStore.of({
      commit: (batch, durability = usual) => Effect.mapError(commit(batch, durability), fromSql),
      addLatencies: (minute, rows) => Effect.mapError(Latency.add(sql, UsageTables.grains, minute, rows), fromSql),
      ping: Effect.mapError(fill(sql), fromSql),
      disk: direct?.disk,
      forget: (kept, now) => Effect.mapError(forget(sql, kept, now), fromSql)
    })
    if (direct === undefined) return store
    // a store that spreads this one and replaces `commit` must not keep the direct form of the old function
    const now = UsageCommit.atOnce(direct)
    const value: UsageStore["commitNow"] = (batch, done, durability = usual) => now(batch, done, durability)
    return Object.defineProperty(store, "commitNow", { value })
  })
)

// Private: the statements.

/**
 * The prefix of the rows that fill the disk. No writer's name begins with it: the names of writers are UUIDs, which are
 * hexadecimal.
 */
const ROOM = "room"

/**
 * The number of filling rows. Each is a kilobyte that does not compress; together they are as large as a batch of about
 * a hundred rows.
 */
const FILLERS = 64

/**
 * Writes rows of the size of a batch and deletes them again. On a nearly full disk a change of one row can succeed
 * where a batch fails. The next call, or `forget`, deletes rows that a killed process left behind.
 */
const fill = (sql: SqlClient.SqlClient): Effect.Effect<void, SqlError> =>
  Effect.suspend(() => {
    const rows = Arr.makeBy(FILLERS, () => ({
      writer: `${ROOM}${randomBytes(500).toString("hex")}`,
      batch: 0,
      at: 0
    }))
    const remove = sql`DELETE FROM usage_writers WHERE writer LIKE ${`${ROOM}%`}`
    return Effect.asVoid(Effect.andThen(sql`INSERT INTO usage_writers ${sql.insert(rows)}`, remove))
  })

/** The number of time units deleted in one transaction, rounded up to whole units of the next grain. */
const STEP = 60

/** Milliseconds after which a silent writer is deleted: by then the outcome of each of its batches is known. */
const SILENCE = 30 * 24 * 60 * 60_000

const forget = (sql: SqlClient.SqlClient, kept: RetainedSince, now: number): Effect.Effect<void, SqlError> =>
  Effect.gen(function* () {
    for (const [i, { grain, latency, stored, unit, usage }] of UsageTables.grains.entries()) {
      const since = kept[grain]
      if (since === undefined) continue
      // Deletes whole units of the next grain, so that an hour keeps all of its minutes, or none.
      const whole = UsageTables.grains[i + 1]?.unit ?? unit
      const target = since - (since % whole)
      const step = Math.ceil((STEP * unit) / whole) * whole
      for (;;) {
        const [oldest] = yield* sql<{ readonly at: number | null }>`
          SELECT min(at) AS at FROM (
            SELECT min(at) AS at FROM ${sql(usage)} UNION ALL SELECT min(at) AS at FROM ${sql(stored)}
            UNION ALL SELECT min(at) AS at FROM ${sql(latency)}
          ) AS oldest`
        const at = oldest?.at ?? target
        const until = Math.min(target, at - (at % whole) + step)
        yield* sql.withTransaction(
          Effect.gen(function* () {
            // `since` only grows: deleted rows do not return if the clock is set back.
            yield* sql`UPDATE usage_kept SET since = ${until} WHERE grain = ${grain} AND since < ${until}`
            yield* sql`DELETE FROM ${sql(usage)} WHERE at < ${until}`
            yield* sql`DELETE FROM ${sql(stored)} WHERE at < ${until}`
            yield* sql`DELETE FROM ${sql(latency)} WHERE at < ${until}`
          })
        )
        if (until === target) break
      }
    }
    yield* sql`DELETE FROM usage_writers WHERE at < ${now - SILENCE}`
  })
