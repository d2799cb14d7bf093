/** The errors of reading a compiler's layout. */
import * as Schema from "effect/Schema"

/**
 * A compiler's output from which no layout can be read.
 *
 * - `Malformed`: the JSON has another form; `detail` says where.
 * - `NoContract`: the output lacks the contract or its layout.
 * - `AmbiguousContract`: several sources have a contract of this name.
 * - `NoStruct`: neither the layout nor the syntax tree has a struct that the options place at a slot.
 * - `Inconsistent`: types, sizes and places contradict each other.
 * - `WrongAst`: the syntax tree does not belong to the layout.
 */
export class LayoutError extends Schema.TaggedError<LayoutError>()("LayoutError", {
  reason: Schema.Literals(["Malformed", "NoContract", "AmbiguousContract", "NoStruct", "Inconsistent", "WrongAst"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}
