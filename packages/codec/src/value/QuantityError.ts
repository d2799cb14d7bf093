/**
 * The error of every function that reads or writes whole numbers.
 */
import * as Schema from "effect/Schema"

/**
 * Text or bytes that are not the shortest form of a whole number, or a number below zero.
 *
 * - `MissingPrefix`: the text does not start with `0x` (lower case x).
 * - `Empty`: `0x` without a digit; zero is `0x0`.
 * - `LeadingZero`: a zero before other digits, or a zero byte before other bytes.
 * - `BadDigit`: the character at `index` is not one of `0-9a-fA-F`.
 * - `Negative`: quantities have no sign.
 */
export class QuantityError extends Schema.TaggedError<QuantityError>()("QuantityError", {
  reason: Schema.Literals(["MissingPrefix", "Empty", "LeadingZero", "BadDigit", "Negative"]),
  index: Schema.Natural
}) {
  override get message(): string {
    switch (this.reason) {
      case "MissingPrefix":
        return "a quantity must start with 0x"
      case "Empty":
        return "a quantity must have a digit"
      case "LeadingZero":
        return "a quantity must not have leading zeros"
      case "BadDigit":
        return `character ${this.index} is not a hex digit`
      case "Negative":
        return "a quantity must not be negative"
    }
  }
}
