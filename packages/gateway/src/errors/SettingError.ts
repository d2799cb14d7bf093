/**
 * The error of a project's or an operator's setting that makes no sense.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * Which setting is wrong, as a path (`origins[2]`, `methods.eth_call`), and what it must be. It never holds the value.
 *
 * @since 0.1.0
 */
export class SettingError extends Schema.TaggedError<SettingError>()("SettingError", {
  setting: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.setting}: ${this.problem}`
  }
}
