/**
 * The error of a gateway that cannot start.
 */
import * as Schema from "effect/Schema"

/**
 * The reason why the gateway does not start.
 *
 * - `BadOption`: an option is invalid. The error names the option and the problem. It never contains the value, which
 *   may contain a key.
 * - `CannotListen`: the system refused the address. The error has the system's error code (`EADDRINUSE`, `EACCES`,
 *   ...).
 */
export class GatewayError extends Schema.TaggedError<GatewayError>()("GatewayError", {
  reason: Schema.Union([
    Schema.TaggedStruct("BadOption", { option: Schema.String, problem: Schema.String }),
    Schema.TaggedStruct("CannotListen", {
      host: Schema.String,
      port: Schema.Int,
      code: Schema.String,
      /** The setting of the listener's port in the program's own configuration, if the program knows it. */
      setting: Schema.optionalKey(Schema.String)
    })
  ])
}) {
  override get message(): string {
    const reason = this.reason
    switch (reason._tag) {
      case "BadOption":
        return `${reason.option}: ${reason.problem}`
      case "CannotListen":
        return `cannot listen on ${reason.host}:${reason.port} (${reason.code})`
    }
  }
}
