/**
 * State in one SQLite file: `SqlClient` over `node:sqlite`.
 */
import { accessSync, closeSync, constants, openSync } from "node:fs"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"

import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import * as SqlClient from "effect/sql/SqlClient"
import type * as SqlConnection from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import * as Stream from "effect/Stream"

import * as StateInteger from "./integer.ts"
import * as DirectTransactions from "./sqlite/directTransactions.ts"
import { sqlErrorOf } from "./sqlite/error.ts"
import * as WriteAheadLog from "./sqlite/writeAheadLog.ts"
import { fromSql, StateError } from "./StateError.ts"

/**
 * A `SqlClient` on the given file, in an existing folder. A missing file is created with mode 0600. With `:memory:` the
 * database is deleted when the scope closes.
 *
 * - When a call or transaction returns, its change is on the disk. Other code of this process cannot read the
 *   change earlier. The process continues while the disk writes. Only `Metering` can record usage without waiting for
 *   the disk.
 * - There is one connection. Statements run one after another, and no other statement runs during a transaction. A
 *   transaction takes the write lock at its start, so another process cannot make it fail later.
 * - Another process may have the file open too. This process waits for its lock up to 5 seconds without blocking other
 *   work. After that it fails with the reason `LockTimeoutError`.
 * - Integers are read as numbers, or as bigints beyond 2^53 - 1; with `SqlClient.SafeIntegers` always as bigints. A
 *   blob is a `Uint8Array`. A boolean is written as 0 or 1.
 *
 * If the file is damaged, locked or not a database, that is a `StateError`, and the file is not changed.
 *
 * ```ts import.meta.vitest
 * import { Sqlite } from "@plumbline/gateway"
 * import * as Effect from "effect/Effect"
 * import * as SqlClient from "effect/sql/SqlClient"
 *
 * const program = Effect.gen(function* () {
 *   const sql = yield* SqlClient.SqlClient
 *   yield* sql`CREATE TABLE t (a INTEGER, b BLOB)`
 *   yield* sql`INSERT INTO t (a, b) VALUES (${2n ** 62n}, ${Uint8Array.of(1, 2)})`
 *   return yield* sql<{ readonly a: bigint; readonly b: Uint8Array }>`SELECT * FROM t`
 * })
 * const [row] = await Effect.runPromise(program.pipe(Effect.provide(Sqlite.layer({ file: ":memory:" }))))
 * row?.a // => 2n ** 62n
 * row?.b // => Uint8Array.of(1, 2)
 * ```
 */
export const layer = (options: { readonly file: string }): Layer.Layer<SqlClient.SqlClient, StateError> =>
  Layer.effect(SqlClient.SqlClient, make(options.file)).pipe(Layer.provide(Reactivity.layer))

// Private: the connection.

const make = Effect.fnUntraced(function* (file: string) {
  const database = yield* Effect.acquireRelease(open(file), (opened) => Effect.sync(() => opened.close()))
  const log = yield* Effect.mapError(start(database), (error) => (error instanceof StateError ? error : fromSql(error)))
  const acquirers = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connectionOf(database, log)),
    semaphore: yield* Semaphore.make(1),
    isTransaction: () => database.isTransaction
  })
  const client = yield* SqlClient.make({
    ...acquirers,
    driver: "sqlite-node",
    compiler: Statement.makeCompilerSqlite(),
    beginTransaction: "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
  DirectTransactions.set(client, DirectTransactions.make(database, log))
  return client
})

/**
 * Opens the database. SQLite is imported only here, because older versions of Node print a warning when it is loaded.
 */
const open = (file: string): Effect.Effect<DatabaseSync, StateError> =>
  Effect.tryPromise({
    try: async () => {
      const { DatabaseSync } = await import("node:sqlite")
      if (file !== ":memory:") createPrivate(file)
      return new DatabaseSync(file, { enableForeignKeyConstraints: true })
    },
    catch: (cause) => fromSql(sqlErrorOf(cause, "open"))
  })

/**
 * Creates the file if it does not exist. An existing file is not opened: closing it would release the locks that this
 * process has on it. The file must be writable, because SQLite would open a read-only file only for reading.
 */
const createPrivate = (file: string): void => {
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error
    accessSync(file, constants.R_OK | constants.W_OK)
  }
}

/**
 * Prepares the database, and returns its write-ahead log if it has one. A database in memory has no log. A file on a
 * system without shared memory has none either.
 */
const start = (
  database: DatabaseSync
): Effect.Effect<WriteAheadLog.WriteAheadLog | undefined, SqlError | StateError, Scope.Scope> =>
  Effect.gen(function* () {
    const [mode, found] = yield* patiently(database, "open", () => {
      const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"]
      database.exec("PRAGMA synchronous = FULL")
      return [mode, database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"]]
    })
    if (found !== "ok") return yield* new StateError({ problem: "Damaged", detail: "it contradicts itself" })
    const file = database.location()
    if (mode !== "wal" || file === null) return undefined
    const log = yield* WriteAheadLog.make(file)
    // `log` syncs the commits. SQLite itself still makes the syncs that keep the file intact: it syncs the log before a
    // checkpoint, the database after a checkpoint, and a restarted log.
    yield* patiently(database, "open", () => {
      database.exec("PRAGMA synchronous = NORMAL")
      database.exec(`PRAGMA wal_autocheckpoint = ${PAGES}`)
    })
    return log
  })

const connectionOf = (
  database: DatabaseSync,
  log: WriteAheadLog.WriteAheadLog | undefined
): SqlConnection.Connection => {
  const statements = new BoundedMap<string, StatementSync>(MAX_STATEMENTS)
  const prepare = (text: string): StatementSync => {
    const statement = database.prepare(text)
    // node:sqlite would silently ignore the rest of the text.
    if (text.slice(statement.sourceSQL.length).trim() !== "")
      throw new Error("the text holds more than one SQL statement")
    // By default node:sqlite throws at integers beyond 2^53.
    statement.setReadBigInts(true)
    return statement
  }
  const prepared = (text: string): StatementSync => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const statement = prepare(text)
    statements.set(text, statement)
    return statement
  }
  /**
   * Waits until everything awaited is on the disk. A read waits too if such a write is not on the disk yet. Inside a
   * transaction nothing waits, because the commit waits.
   */
  const durably = <A>(value: A): Effect.Effect<A, SqlError> =>
    log === undefined || log.isDurable() || database.isTransaction ? Exit.succeed(value) : Effect.as(log.sync, value)
  /** True if the open transaction has awaited writes, false if it has others only, undefined if it has none. */
  let transaction: boolean | undefined
  const run = <A>(text: string, isAwaited: boolean, work: () => A): Effect.Effect<A, SqlError> => {
    if (log === undefined) return patiently(database, "execute", work)
    const writes = !READS.test(text)
    const done = patiently(database, "execute", () => {
      // A write is reported to the log before the statement ends, because later steps may throw. The writes of a
      // transaction are reported again with its commit, because only the commit puts them into the log.
      if (writes) log.written(isAwaited)
      else if (transaction !== undefined && COMMITS.test(text)) log.written(transaction)
      try {
        return work()
      } finally {
        if (!database.isTransaction) transaction = undefined
        else if (writes) transaction = transaction === true || isAwaited
      }
    })
    return Effect.flatMap(done, durably)
  }
  const rows =
    (find: (text: string) => StatementSync): SqlConnection.Connection["executeUnprepared"] =>
    (text, params, transform) =>
      Effect.withFiber((fiber) => {
        const safe = fiber.getRef(SqlClient.SafeIntegers)
        return run(text, fiber.getRef(WriteAheadLog.IsAwaited), () => {
          const found = find(text).all(...bound(params))
          if (!safe) found.forEach(narrow)
          return transform === undefined ? found : transform(found)
        })
      })
  const values =
    (find: (text: string) => StatementSync): SqlConnection.Connection["executeValues"] =>
    (text, params) =>
      Effect.withFiber((fiber) => {
        const safe = fiber.getRef(SqlClient.SafeIntegers)
        return run(text, fiber.getRef(WriteAheadLog.IsAwaited), () => {
          const statement = find(text)
          statement.setReturnArrays(true)
          try {
            const found = statement.all(...bound(params)) as unknown as ReadonlyArray<Array<unknown>>
            if (!safe) found.forEach(narrow)
            return found
          } finally {
            statement.setReturnArrays(false)
          }
        })
      })
  return {
    execute: rows(prepared),
    executeUnprepared: rows(prepare),
    executeValues: values(prepared),
    executeValuesUnprepared: values(prepare),
    executeRaw: (text, params) =>
      Effect.withFiber((fiber) =>
        run(text, fiber.getRef(WriteAheadLog.IsAwaited), () => prepared(text).run(...bound(params)))
      ),
    executeStream: (text, params, transform) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const safe = yield* SqlClient.SafeIntegers
          const isAwaited = yield* WriteAheadLog.IsAwaited
          // The statement is prepared for this stream only. A cached statement would restart if another caller used it
          // in between.
          const rest = yield* Effect.acquireRelease(
            run(text, isAwaited, () => prepare(text).iterate(...bound(params))),
            (iterator) => Effect.sync(() => iterator.return?.())
          )
          return Stream.unfold(rest, (iterator) =>
            Effect.map(
              run(text, isAwaited, () => iterator.next()),
              ({ done, value }) => {
                if (done === true) return undefined
                if (!safe) narrow(value)
                return [transform === undefined ? value : transform([value])[0], iterator] as const
              }
            )
          )
        })
      )
  }
}

/**
 * Pages of the log after which SQLite copies them to the database. It waits for the disk then, in the service's thread,
 * so this is four times its default. The log takes 16 MiB.
 */
const PAGES = 4000

/** Matches statements that write nothing to the log. All other statements count as writes. */
const READS = /^\s*(?:SELECT|BEGIN|COMMIT|ROLLBACK)\b/iu

const COMMITS = /^\s*COMMIT\b/iu

/** Maximum number of statements that stay prepared. */
const MAX_STATEMENTS = 200

const bound = (params: ReadonlyArray<unknown>): Array<SQLInputValue> =>
  params.map((value) => (typeof value === "boolean" ? Number(value) : value)) as Array<SQLInputValue>

/** Converts bigints to numbers where this is exact. */
const narrow = (row: object): void => {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === "bigint") Reflect.set(row, name, StateInteger.fromBigInt(value))
  }
}

/**
 * Runs work, and repeats it while another process has the lock. SQLite's own wait would block the whole process. Inside
 * a transaction there is no wait, because the transaction has the lock.
 */
const patiently = <A>(database: DatabaseSync, operation: string, work: () => A): Effect.Effect<A, SqlError> => {
  const attempt = Effect.suspend((): Exit.Exit<A, SqlError> => {
    try {
      return Exit.succeed(work())
    } catch (cause) {
      return Exit.fail(sqlErrorOf(cause, operation))
    }
  })
  const isLocked = ({ reason }: SqlError): boolean => reason._tag === "LockTimeoutError" && !database.isTransaction
  return Effect.catchIf(attempt, isLocked, () => Effect.retry(attempt, { while: isLocked, schedule: PATIENCE }))
}

const PATIENCE = Schedule.spaced("10 millis").pipe(Schedule.upTo({ duration: "5 seconds" }))
