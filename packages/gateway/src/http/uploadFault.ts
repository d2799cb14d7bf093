/** The error of an upload whose body is wrong. */
import * as Schema from "effect/Schema"

/** What is wrong with the body of an upload. The node did nothing wrong, and the service neither. */
export class UploadFault extends Schema.TaggedError<UploadFault>()("UploadFault", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
