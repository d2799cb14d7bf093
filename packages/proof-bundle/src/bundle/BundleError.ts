/** The error of a bundle's bytes. */
import * as Schema from "effect/Schema"

/**
 * The bytes are not a bundle of the trusted block, even if their hashes are right. `offset` is the position of the
 * fault, in bytes from the start.
 *
 * - `BadHeader`: the bytes do not begin with the header of a CAR of version 1 with one root, the CID of a block.
 * - `Cut`: the bytes end within a section.
 * - `BadSection`: a section's length is not a varint in its shortest form, or its block is empty.
 * - `BadCid`: a section does not begin with a CID of version 1, with Keccak-256 and a codec of Ethereum or `raw`.
 * - `TooLarge`: more bytes or blocks than the limits.
 * - `Duplicate`: a block occurs twice.
 * - `Unreached`: nothing in the bundle links to a block, so the trusted hash does not prove it.
 * - `NoRoot`: the trusted block itself is missing.
 * - `Malformed`: a block does not fit its codec, although its hash is right.
 */
export class BundleError extends Schema.TaggedError<BundleError>()("BundleError", {
  reason: Schema.Literals([
    "BadHeader",
    "Cut",
    "BadSection",
    "BadCid",
    "TooLarge",
    "Duplicate",
    "Unreached",
    "NoRoot",
    "Malformed"
  ]),
  offset: Schema.Natural,
  detail: Schema.String
}) {
  override get message(): string {
    return `not a proof bundle: ${this.detail}, at byte ${this.offset}`
  }
}
