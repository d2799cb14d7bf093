import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Schema from "effect/Schema"

/**
 * A file or folder cannot be used.
 *
 * | problem | cause |
 * | --- | --- |
 * | `Damaged` | this command did not write this content; the file stays unchanged, for its owner to repair |
 * | `InUse` | another process uses the file or folder |
 * | `Unreadable`, `Unwritable` | the system refused; `detail` is its error code |
 */
export class DataError extends Schema.TaggedError<DataError>()("DataError", {
  path: Schema.String,
  problem: Schema.Literals(["Damaged", "InUse", "Unreadable", "Unwritable"]),
  detail: Schema.String
}) {
  override get message(): string {
    const what = {
      Damaged: "is damaged",
      InUse: "is in use",
      Unreadable: "cannot be read",
      Unwritable: "cannot be written"
    }[this.problem]
    return `${this.path} ${what}: ${this.reason}`
  }

  /** The detail in words, without the path. */
  get reason(): string {
    const why = reasons[this.detail]
    return why === undefined ? this.detail : `${why} (${this.detail})`
  }
}

/** Makes the error of a failure of the file system: the path, and the system's code. */
export const dataError = (path: string, problem: DataError["problem"], error: PlatformError.PlatformError): DataError =>
  new DataError({ path, problem, detail: codeOf(error) })

/** Runs work with a file or folder by Node's own functions. A failure is the error with the path and the system's code. */
export const attempt = <A>(
  path: string,
  problem: DataError["problem"],
  work: (signal: AbortSignal) => Promise<A>
): Effect.Effect<A, DataError> =>
  Effect.tryPromise({ try: work, catch: (error) => new DataError({ path, problem, detail: nodeCodeOf(error) }) })

/** Returns the system's code of an error of Node, such as `ENOSPC`. */
export const nodeCodeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "Unknown"

const codeOf = (error: PlatformError.PlatformError): string => {
  const { cause } = error
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : error.reason._tag
}

/** The meaning of the system's commonest codes. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  EACCES: "this user has no permission",
  EPERM: "this user has no permission",
  EISDIR: "it is a folder",
  EEXIST: "there is a file in its way",
  ENOTDIR: "there is a file in its way",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk is full",
  EROFS: "the disk is read-only",
  EPIPE: "the reading program has closed it",
  ELOOP: "its symlinks lead in a circle"
}
