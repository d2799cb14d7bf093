/**
 * The error of a state that cannot be moved to another database.
 */
import * as Schema from "effect/Schema"

/**
 * A failed move. Nothing was moved, and the target is unchanged.
 *
 * - `NotEmpty`: the target already has rows in this table.
 * - `Unlike`: the two databases do not have the same tables or columns, so data would be lost.
 * - `Unequal`: a written row was missing or different when it was read from the target.
 */
export class MoveError extends Schema.TaggedError<MoveError>()("MoveError", {
  problem: Schema.Literals(["NotEmpty", "Unlike", "Unequal"]),
  table: Schema.String
}) {
  override get message(): string {
    switch (this.problem) {
      case "NotEmpty":
        return `the target already has data, in the table ${this.table}: move to an empty database`
      case "Unlike":
        return `the table ${this.table} is not the same in both databases: use one version of the program for both`
      case "Unequal":
        return `the rows of the table ${this.table} were not the same after they were written`
    }
  }
}
