/** The error of bytes that are not a content hash of ENSIP-7. */
import * as Schema from "effect/Schema"

/**
 * The bytes of a `contenthash` record do not have the form of ENSIP-7.
 *
 * - `Empty`: there are no bytes. `Ens.contentHash` answers null for such a record.
 * - `TooLong`: more than `ContentHash.MAX_SIZE` bytes.
 * - `Codec`: the number of the codec is missing, or is not in its shortest form.
 * - `Cid`: the value of `ipfs` or `ipns` is not exactly one CID of version 1 in canonical form.
 * - `Name`: the value of `ipns` is neither the CID of a key nor a name of DNS.
 */
export class ContentHashError extends Schema.TaggedError<ContentHashError>()("ContentHashError", {
  reason: Schema.Literals(["Empty", "TooLong", "Codec", "Cid", "Name"])
}) {
  override get message(): string {
    return `the contenthash record does not have the form of ENSIP-7: ${SENTENCES[this.reason]}`
  }
}

const SENTENCES = {
  Empty: "it is empty",
  TooLong: "it is too long",
  Codec: "it does not begin with the number of a codec",
  Cid: "its value is not one CID of version 1",
  Name: "its value is neither the CID of a key nor a name of DNS"
} as const
