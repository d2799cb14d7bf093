/** What goes wrong in SQLite, as an error of SQL. */
import { classifySqliteError, SqlError } from "effect/sql/SqlError"

/** SQLite's extended code is in `errcode`, where effect looks for it in `errno`. */
export const sqlErrorOf = (cause: unknown, operation: string): SqlError => {
  if (cause instanceof Error && "errcode" in cause) {
    const unique = cause.errcode === 2067 || cause.errcode === 1555
    Object.assign(cause, { code: undefined, errno: unique ? 2067 : cause.errcode })
  }
  return new SqlError({ reason: classifySqliteError(cause, { message: `SQLite cannot ${operation}`, operation }) })
}

/** As SQLite would say it: SQLITE_IOERR_FSYNC. */
export const syncFailed = (cause: unknown): SqlError =>
  sqlErrorOf(Object.assign(new Error("disk I/O error", { cause }), { errcode: 1034, errstr: "disk I/O error" }), "sync")
