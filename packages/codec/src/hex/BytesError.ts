/**
 * The error of the functions that cut and pad bytes.
 */
import * as Schema from "effect/Schema"

/**
 * The requested range is outside of the bytes, or the bytes are longer than the size to which they should be padded.
 *
 * `size` is the length of the bytes; `start` and `end` are the requested range (padding requests 0 to the wanted size).
 */
export class BytesError extends Schema.TaggedError<BytesError>()("BytesError", {
  reason: Schema.Literals(["OutOfRange", "TooLong"]),
  size: Schema.Number,
  start: Schema.Number,
  end: Schema.Number
}) {
  override get message(): string {
    return this.reason === "OutOfRange"
      ? `range ${this.start} to ${this.end} is not within ${this.size} bytes`
      : `${this.size} bytes do not fit into ${this.end}`
  }
}
