/** The error of a CAR that cannot be read. */
import * as Schema from "effect/Schema"

/**
 * The bytes are not a CAR. `offset` is the position of the fault, in bytes from the start.
 *
 * - `BadHeader`: not a header of version 1 or 2, or a header with other fields.
 * - `HeaderTooLarge`, `SectionTooLarge`: the header or section has more bytes than the bound; no part of it was kept.
 * - `BadSection`: a section without a CID, or a length that is not a varint.
 * - `Cut`: the bytes end within a header or a section.
 */
export class CarError extends Schema.TaggedError<CarError>()("CarError", {
  reason: Schema.Literals(["BadHeader", "HeaderTooLarge", "BadSection", "SectionTooLarge", "Cut"]),
  offset: Schema.Natural
}) {
  override get message(): string {
    return `not a CAR: ${this.reason} at byte ${this.offset}`
  }
}

/** The answer has a block that does not belong to the requested DAG. */
export class UnexpectedBlock extends Schema.TaggedError<UnexpectedBlock>()("UnexpectedBlock", {
  cid: Schema.String,
  root: Schema.String
}) {
  override get message(): string {
    return `${this.cid} is not part of ${this.root}`
  }
}
