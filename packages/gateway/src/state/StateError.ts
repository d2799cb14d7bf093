/**
 * The error of the database that holds the service's state.
 */
import * as Schema from "effect/Schema"
import type * as SqlErrors from "effect/sql/SqlError"

/**
 * The database cannot be used. The error never means that a requested row does not exist.
 *
 * - `InUse`: another program has locked the database for too long.
 * - `Damaged`: the file contradicts itself, or is not a database. It is never overwritten.
 * - `Newer`: a newer version of this package has migrated the database.
 * - `Unavailable`: the database cannot be reached or opened, or refuses the work. Another try may succeed.
 *
 * `detail` holds no path, host, user or stored value.
 */
export class StateError extends Schema.TaggedError<StateError>()("StateError", {
  problem: Schema.Literals(["InUse", "Damaged", "Newer", "Unavailable"]),
  detail: Schema.String
}) {
  override get message(): string {
    switch (this.problem) {
      case "InUse":
        return `the state is locked by another process: ${this.detail}`
      case "Damaged":
        return `the state is damaged: ${this.detail}`
      case "Newer":
        return `the state has a newer version: ${this.detail}`
      case "Unavailable":
        return `the state is not available: ${this.detail}`
    }
  }
}

/**
 * Returns the `StateError` for an SQL error. Its detail is SQLite's sentence for the error's code, or the system's
 * code, such as `ENOSPC`. No other text of the database is kept.
 */
export const fromSql = ({ reason }: SqlErrors.SqlError): StateError => {
  const { errcode, errstr } = nativeOf(reason.cause)
  const code = systemCodeOf(reason.cause)
  const detail =
    errstr ??
    (reason._tag === "UnknownError" ? code : undefined) ??
    `${WORDS[reason._tag]}${reason._tag === "ConnectionError" && code !== undefined ? `, ${NETWORK[code] ?? code}` : ""}`
  if (errcode !== undefined && DAMAGED.has(errcode & 0xff)) return new StateError({ problem: "Damaged", detail })
  switch (reason._tag) {
    case "LockTimeoutError":
    case "DeadlockError":
    case "SerializationError":
      return new StateError({ problem: "InUse", detail })
    default:
      return new StateError({ problem: "Unavailable", detail })
  }
}

/** The codes of SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: ReadonlySet<number> = new Set([11, 26])

/** Reads errors of SQLite only. The errors of other drivers contain hosts, names and values. */
const nativeOf = (cause: unknown): { readonly errcode?: number; readonly errstr?: string } =>
  cause instanceof Error &&
  "errcode" in cause &&
  typeof cause.errcode === "number" &&
  "errstr" in cause &&
  typeof cause.errstr === "string"
    ? { errcode: cause.errcode, errstr: cause.errstr }
    : {}

const systemCodeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "syscall" in cause && "code" in cause && typeof cause.code === "string"
    ? cause.code
    : undefined

/** The meaning of the network's commonest codes. */
const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at the host and port (ECONNREFUSED)",
  ENOTFOUND: "the host name has no address (ENOTFOUND)"
}

const WORDS: { readonly [Tag in SqlErrors.SqlErrorReason["_tag"]]: string } = {
  ConnectionError: "no connection",
  AuthenticationError: "the credentials are refused",
  AuthorizationError: "the user lacks a permission",
  SqlSyntaxError: "a statement has invalid syntax",
  UniqueViolation: "a value already exists",
  ConstraintError: "a constraint is violated",
  DeadlockError: "two changes wait for each other",
  SerializationError: "two changes are in conflict",
  LockTimeoutError: "a lock was not released in time",
  StatementTimeoutError: "a statement takes too long",
  UnknownError: "an unknown error"
}
