/** The error of a text, or of bytes, that are not a CID. */
import * as Schema from "effect/Schema"

/**
 * The input is not a CID that this package reads.
 *
 * - `TooLong`: more than `Cid.MAX_LENGTH` characters, or `Cid.MAX_SIZE` bytes.
 * - `UnknownBase`: the first character is not `Q` (version 0), `z`, `b` or `k`.
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
        return "not a CID: its base is none of base58btc, base32 and base36"
      case "Malformed":
        return "not a CID"
    }
  }
}
