import * as Units from "../terminal/Units.ts"
import * as AnswerFields from "./AnswerFields.ts"
import type * as ReadAnswer from "./ReadAnswer.ts"

/** Returns the name of a block for a title, such as `block 1,234`. */
export const name = (block: ReadAnswer.BlockId | null): string =>
  block === null ? "the pending block" : `block ${Units.grouped(block.number)}`

export const rows = (block: ReadAnswer.BlockId | null): ReadonlyArray<AnswerFields.FieldRow> =>
  block === null
    ? [{ field: "block", text: "pending" }]
    : [AnswerFields.row("block", block.number), AnswerFields.row("blockHash", block.hash)]
