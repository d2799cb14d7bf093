/**
 * The error of an invalid setting of a project or an operator.
 */
import * as Schema from "effect/Schema"

/**
 * The path of the invalid setting (`origins[2]`, `methods.eth_call`), and what it must be. The error never holds the
 * value.
 */
export class SettingError extends Schema.TaggedError<SettingError>()("SettingError", {
  setting: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.setting}: ${this.problem}`
  }
}
