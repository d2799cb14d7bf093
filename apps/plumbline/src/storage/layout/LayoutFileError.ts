/** The error of a file of `--layout`. */
import * as Schema from "effect/Schema"

/**
 * No layout can be read from this file.
 *
 * - `Unreadable`: the system refused, or it is too large.
 * - `NotALayout`: it has no known form, or contradicts itself.
 * - `NoContract`, `AmbiguousContract`: it has no contract of this name, or several to choose from.
 * - `CompilerErrors`: the compiler refused the source; `lines` are its words.
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
