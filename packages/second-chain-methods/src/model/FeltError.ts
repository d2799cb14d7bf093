/** The error of every function that makes a field element. */
import * as Schema from "effect/Schema"

/**
 * A value that is not a field element. The error does not keep the value, which may be of any size.
 *
 * - `NotHex`: the text is not `0x` and 1 to 64 hex digits.
 * - `OutOfRange`: a number below 0, or from the field prime on.
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
