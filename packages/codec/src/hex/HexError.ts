/**
 * The error of every function that reads `0x` text of whole bytes.
 */
import * as Schema from "effect/Schema"

/**
 * Text that is not `0x` followed by an even number of hex digits, or not of the wanted size.
 *
 * The text itself is not kept: it may be megabytes, or a secret.
 *
 * - `MissingPrefix`: the text does not start with `0x` (lower case x).
 * - `OddDigits`: half a byte is left over.
 * - `BadDigit`: the character at `index` is not one of `0-9a-fA-F`.
 * - `WrongSize`: valid hex of `size` bytes, although `expectedSize` bytes are required.
 *
 * `index` counts characters from the start of the text, the prefix included.
 */
export class HexError extends Schema.TaggedError<HexError>()("HexError", {
  reason: Schema.Literals(["MissingPrefix", "OddDigits", "BadDigit", "WrongSize"]),
  index: Schema.Natural,
  size: Schema.optionalKey(Schema.Natural),
  expectedSize: Schema.optionalKey(Schema.Natural)
}) {
  override get message(): string {
    switch (this.reason) {
      case "MissingPrefix":
        return "hex text must start with 0x"
      case "OddDigits":
        return "hex text must have an even number of digits"
      case "BadDigit":
        return `character ${this.index} is not a hex digit`
      case "WrongSize":
        return `expected ${this.expectedSize} bytes, got ${this.size}`
    }
  }
}
