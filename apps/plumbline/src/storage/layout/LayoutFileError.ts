import * as Schema from "effect/Schema"

/**
 * No layout can be read from this file.
 *
 * - `Unreadable`: the system refused to read the file, or the file is too large.
 * - `NotALayout`: the file has no known form, or contradicts itself.
 * - `NoContract`, `AmbiguousContract`: the file has no contract of this name, or several possible contracts.
 * - `CompilerErrors`: the compiler refused the source; `lines` are its messages.
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
