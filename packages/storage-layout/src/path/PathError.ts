/** What can be wrong with a path. */
import * as Schema from "effect/Schema"

/**
 * A path that leads nowhere, and the character at which it goes wrong.
 *
 * - `Syntax`: the text is not a path.
 * - `Unknown`: there is no such variable, namespace, member or contract.
 * - `Ambiguous`: several variables have this name.
 * - `NoSuchStep`: what the path has come to has no members, or is not indexed, or has no length.
 * - `BadKey`: the key is not one of the mapping's, or the index not one of the array's.
 * - `OpaqueKey`: the layout does not tell what the mapping's keys are.
 */
export class PathError extends Schema.TaggedError<PathError>()("PathError", {
  reason: Schema.Literals(["Syntax", "Unknown", "Ambiguous", "NoSuchStep", "BadKey", "OpaqueKey"]),
  path: Schema.String,
  /** From 0, in UTF-16 code units. */
  at: Schema.Natural,
  detail: Schema.String
}) {
  override get message(): string {
    return `character ${this.at} of the path: ${this.detail}`
  }

  /** The path, and below it a mark at the character. */
  get pointer(): string {
    return `${this.path}\n${" ".repeat(this.at)}^`
  }
}
