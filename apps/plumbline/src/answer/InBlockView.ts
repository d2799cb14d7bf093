/** Formats the block of an answer as text. */
import * as Units from "../terminal/Units.ts"
import type * as Answer from "./Answer.ts"
import * as Fields from "./Fields.ts"

/** Returns the name of a block for a title, such as `block 1,234`. */
export const name = (block: Answer.BlockId | null): string =>
  block === null ? "the pending block" : `block ${Units.grouped(block.number)}`

/** Returns the rows that name the block. */
export const rows = (block: Answer.BlockId | null): ReadonlyArray<Fields.Row> =>
  block === null
    ? [{ field: "block", text: "pending" }]
    : [Fields.row("block", block.number), Fields.row("blockHash", block.hash)]
