/** What can be wrong with a compiler's layout. */
import * as Schema from "effect/Schema"

/**
 * A compiler's output that gives no layout.
 *
 * - `Malformed`: the JSON has another form; `detail` says where.
 * - `NoContract`: the output has no such contract, or no layout of it.
 * - `AmbiguousContract`: the contract's name is in several sources.
 * - `Inconsistent`: types, sizes and places contradict each other.
 * - `WrongAst`: the syntax tree is not that of the layout.
 */
export class LayoutError extends Schema.TaggedError<LayoutError>()("LayoutError", {
  reason: Schema.Literals(["Malformed", "NoContract", "AmbiguousContract", "Inconsistent", "WrongAst"]),
  detail: Schema.String
}) {
  override get message(): string {
    return this.detail
  }
}
