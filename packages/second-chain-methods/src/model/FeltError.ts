/** The error of every function that makes a field element. */
import * as Schema from "effect/Schema"

/**
 * The value is not a field element. The error does not contain the value, which may have any size.
 *
 * - `NotHex`: the text is not `0x` and 1 to 64 hex digits.
 * - `OutOfRange`: the number is below 0, or not below the field prime.
 */
export class FeltError extends Schema.TaggedError<FeltError>()("FeltError", {
  reason: Schema.Literals(["NotHex", "OutOfRange"])
}) {
  override get message(): string {
    switch (this.reason) {
      case "NotHex":
        return "a field element is 0x and 1 to 64 hex digits"
      case "OutOfRange":
        return "a field element is a number from 0 to 2^251 + 17 * 2^192"
    }
  }
}
