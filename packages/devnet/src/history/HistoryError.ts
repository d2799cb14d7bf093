/** The error of opening the history chain. */
import * as Schema from "effect/Schema"

/**
 * The archive of the package cannot be used.
 *
 * - `Unreadable`: the file is missing or may not be read; `detail` is the system's code.
 * - `Damaged`: the file is not the archive of this version; `detail` has its hash.
 */
export class HistoryError extends Schema.TaggedError<HistoryError>()("HistoryError", {
  problem: Schema.Literals(["Unreadable", "Damaged"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.problem === "Unreadable"
      ? `the archive of the history chain cannot be read (${this.detail})`
      : `the archive of the history chain is damaged: ${this.detail}`
  }
}
