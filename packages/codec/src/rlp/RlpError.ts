/**
 * The errors of RLP.
 */
import * as Schema from "effect/Schema"

/**
 * Bytes that are not exactly one canonical RLP item.
 *
 * `offset` is the position of the item's first byte (or of the first trailing byte) in the input.
 *
 * - `Empty`: no bytes at all.
 * - `UnexpectedEnd`: an item is longer than the input.
 * - `ListOverrun`: an item is longer than the list it is in.
 * - `TrailingBytes`: bytes after the item.
 * - `NonCanonicalSingleByte`: a byte below 0x80 with a head, which it must not have (`0x8105`).
 * - `NonCanonicalSize`: the long form for fewer than 56 bytes.
 * - `LeadingZeroInSize`: a long form whose size starts with a zero byte.
 * - `TooDeep`, `TooLarge`: beyond the bounds of the decoder.
 */
export class RlpError extends Schema.TaggedError<RlpError>()("RlpError", {
  reason: Schema.Literals([
    "Empty",
    "UnexpectedEnd",
    "ListOverrun",
    "TrailingBytes",
    "NonCanonicalSingleByte",
    "NonCanonicalSize",
    "LeadingZeroInSize",
    "TooDeep",
    "TooLarge"
  ]),
  offset: Schema.Natural
}) {
  override get message(): string {
    return `${this.reason} at byte ${this.offset}`
  }
}

/**
 * An item that cannot be encoded.
 *
 * - `TooDeep`: lists are nested deeper than `limit`; a list that contains itself always is.
 * - `TooLarge`: the encoding has more than `limit` bytes.
 * - `NotAnItem`: a value inside is neither bytes nor a list (only in programs without type checks).
 */
export class RlpEncodeError extends Schema.TaggedError<RlpEncodeError>()("RlpEncodeError", {
  reason: Schema.Literals(["TooDeep", "TooLarge", "NotAnItem"]),
  limit: Schema.optionalKey(Schema.Natural)
}) {
  override get message(): string {
    switch (this.reason) {
      case "TooDeep":
        return `lists are nested deeper than ${this.limit}`
      case "TooLarge":
        return `the encoding is larger than ${this.limit} bytes`
      case "NotAnItem":
        return "an item must be bytes or a list"
    }
  }
}
