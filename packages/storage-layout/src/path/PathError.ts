/** The error of paths. */
import * as Schema from "effect/Schema"

/**
 * An invalid path, and the position of the first wrong character.
 *
 * - `Syntax`: the text is not a path.
 * - `Unknown`: the layout has no such variable, namespace, member or contract.
 * - `Elsewhere`: the contract keeps this variable in its code or in the other area of storage.
 * - `Ambiguous`: several variables have this name.
 * - `NoSuchStep`: the value at this point has no members, no index, or no length.
 * - `BadKey`: the key does not fit the mapping, or the index does not fit the array.
 * - `OpaqueKey`: the type of the mapping's keys is missing in the layout.
 */
export class PathError extends Schema.TaggedError<PathError>()("PathError", {
  reason: Schema.Literals(["Syntax", "Unknown", "Elsewhere", "Ambiguous", "NoSuchStep", "BadKey", "OpaqueKey"]),
  path: Schema.String,
  /** Position of the first wrong character, from 0, in UTF-16 code units. */
  at: Schema.Natural,
  detail: Schema.String
}) {
  override get message(): string {
    return `character ${this.at} of the path: ${this.detail}`
  }

  /** Returns the path and, on the line below, a mark at the wrong character. */
  get pointer(): string {
    return `${this.path}\n${" ".repeat(this.at)}^`
  }
}
