/** Converts errors of SQLite to errors of SQL. */
import { classifySqliteError, SqlError } from "effect/sql/SqlError"

/**
 * Returns the SQL error for an error of SQLite. Its extended code is in `errcode`, but effect reads it from `errno`.
 */
export const sqlErrorOf = (cause: unknown, operation: string): SqlError => {
  if (cause instanceof Error && "errcode" in cause) {
    const unique = cause.errcode === 2067 || cause.errcode === 1555
    Object.assign(cause, { code: undefined, errno: unique ? 2067 : cause.errcode })
  }
  return new SqlError({ reason: classifySqliteError(cause, { message: `SQLite cannot ${operation}`, operation }) })
}

/** Returns the error of a failed sync in SQLite's form: SQLITE_IOERR_FSYNC. */
export const syncFailed = (cause: unknown): SqlError =>
  sqlErrorOf(Object.assign(new Error("disk I/O error", { cause }), { errcode: 1034, errstr: "disk I/O error" }), "sync")
