/** The error of publishing a bundle. */
import * as Schema from "effect/Schema"

/**
 * The node accepted the blocks but reports that it could not pin them, or it stored other blocks than those sent.
 *
 * `detail` is the node's sentence, of bounded length, or a description of the fault in its answer.
 */
export class PublishError extends Schema.TaggedError<PublishError>()("PublishError", {
  reason: Schema.Literals(["NotPinned", "OtherBlock"]),
  detail: Schema.String
}) {
  override get message(): string {
    const what = { NotPinned: "did not pin the bundle", OtherBlock: "stored another block" }[this.reason]
    return `the node ${what}: ${this.detail}`
  }
}
