/** The error of an upload whose body is invalid. */
import * as Schema from "effect/Schema"

/** The flaw of an upload's body. Neither the node nor the service is at fault. */
export class UploadFault extends Schema.TaggedError<UploadFault>()("UploadFault", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
