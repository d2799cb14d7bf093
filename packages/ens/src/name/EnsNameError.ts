/** The error of a text that is not an ENS name. */
import * as Schema from "effect/Schema"

/**
 * A text is not an ENS name.
 *
 * - `Empty`: there is no name, or one of its labels is empty.
 * - `TooLong`: more than `EnsName.MAX_LENGTH` characters, or a label of more than `EnsName.MAX_LABEL` bytes.
 * - `NotNormalizable`: ENSIP-15 refuses the text; `detail` is the reason that the library gives.
 * - `NotNormalized`: a text that must be normalised already is not, such as the name that a contract gives to an address.
 */
export class EnsNameError extends Schema.TaggedError<EnsNameError>()("EnsNameError", {
  reason: Schema.Literals(["Empty", "TooLong", "NotNormalizable", "NotNormalized"]),
  detail: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    switch (this.reason) {
      case "Empty":
        return "not an ENS name: a label is empty. Give labels with dots between them, such as alice.eth"
      case "TooLong":
        return "not an ENS name: it or one of its labels is too long"
      case "NotNormalizable":
        return `not an ENS name (ENSIP-15): ${this.detail ?? "it has no normal form"}`
      case "NotNormalized":
        return "the name is not in its normal form (ENSIP-15), so it can pass for another name"
    }
  }
}
