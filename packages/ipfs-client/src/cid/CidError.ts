/** The error of a text, or of bytes, that are not a CID. */
import * as Schema from "effect/Schema"

/**
 * The input is not a CID that this package reads.
 *
 * - `TooLong`: more characters than the base has for `Cid.MAX_SIZE` bytes, or more bytes.
 * - `UnknownBase`: the first character is neither `Q` (version 0) nor the letter of a base that Kubo reads.
 * - `Malformed`: a character that the base does not have, a version other than 0 and 1, a digest with another length
 *   than stated, or bytes after the digest.
 */
export class CidError extends Schema.TaggedError<CidError>()("CidError", {
  reason: Schema.Literals(["TooLong", "UnknownBase", "Malformed"])
}) {
  override get message(): string {
    switch (this.reason) {
      case "TooLong":
        return "longer than any CID"
      case "UnknownBase":
        return "not a CID: its first character is not the letter of a known base"
      case "Malformed":
        return "not a CID"
    }
  }
}
