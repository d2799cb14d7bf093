/** The error of a file of `--layout`. */
import * as Schema from "effect/Schema"

/**
 * There is no layout to be had from this file.
 *
 * - `Unreadable`: the system refused, or it is too large.
 * - `NotALayout`: it is none of the forms that are known, or contradicts itself.
 * - `NoContract`, `AmbiguousContract`: it has no contract of this name, or several to choose from.
 * - `CompilerErrors`: the compiler refused the source; `lines` are what it said.
 */
export class LayoutFileError extends Schema.TaggedError<LayoutFileError>()("LayoutFileError", {
  path: Schema.String,
  problem: Schema.Literals(["Unreadable", "NotALayout", "NoContract", "AmbiguousContract", "CompilerErrors"]),
  detail: Schema.String,
  lines: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  override get message(): string {
    return `${this.path}: ${this.detail}`
  }
}
