/** The error of an upload whose body is invalid. */
import * as Schema from "effect/Schema"

/** The caller sent an invalid body. The node and the service are not at fault. */
export class UploadError extends Schema.TaggedError<UploadError>()("UploadError", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}
