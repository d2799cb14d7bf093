/**
 * The error of a state that cannot be moved to another database.
 */
import * as Schema from "effect/Schema"

/**
 * Nothing was moved: the target is as it was.
 *
 * - `NotEmpty`: the target has rows already, in this table.
 * - `Unlike`: the two databases do not have the same tables or columns, so a part would be lost.
 * - `Unequal`: a written row differs when it is read again, or is missing.
 */
export class MoveError extends Schema.TaggedError<MoveError>()("MoveError", {
  problem: Schema.Literals(["NotEmpty", "Unlike", "Unequal"]),
  table: Schema.String
}) {
  override get message(): string {
    switch (this.problem) {
      case "NotEmpty":
        return `the target has data already, in the table ${this.table}: move to an empty database`
      case "Unlike":
        return `the table ${this.table} is not the same in both databases: use one version of the program for both`
      case "Unequal":
        return `the rows of the table ${this.table} were not the same after they were written`
    }
  }
}
