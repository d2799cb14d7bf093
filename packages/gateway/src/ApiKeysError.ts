/**
 * The error of everything that keeps projects and their keys.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A store of projects that cannot be used.
 *
 * - `Damaged`: the file is there and is not what this service wrote; `detail` says where. It is never overwritten.
 * - `Unreadable`, `Unwritable`: the system refused, with its error code (`EACCES`, `ENOSPC`, ...).
 * - `Taken`: another project has this key.
 *
 * @since 0.1.0
 */
export class ApiKeysError extends Schema.TaggedError<ApiKeysError>()("ApiKeysError", {
  reason: Schema.Union([
    Schema.TaggedStruct("Damaged", { path: Schema.String, detail: Schema.String }),
    Schema.TaggedStruct("Unreadable", { path: Schema.String, code: Schema.String }),
    Schema.TaggedStruct("Unwritable", { path: Schema.String, code: Schema.String }),
    Schema.TaggedStruct("Taken", { id: Schema.String })
  ])
}) {
  override get message(): string {
    const reason = this.reason
    switch (reason._tag) {
      case "Damaged":
        return `the projects in ${reason.path} cannot be read: ${reason.detail}`
      case "Unreadable":
        return `${reason.path} cannot be read (${reason.code})`
      case "Unwritable":
        return `${reason.path} cannot be written (${reason.code})`
      case "Taken":
        return `project ${reason.id} has the same API key`
    }
  }
}
