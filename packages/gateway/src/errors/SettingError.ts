/**
 * The error of an invalid setting of a project or an operator.
 */
import * as Schema from "effect/Schema"

/**
 * A setting is invalid. `setting` is its path (`origins[2]`, `methods.eth_call`), and `problem` says what is required.
 * The error never contains the value.
 */
export class SettingError extends Schema.TaggedError<SettingError>()("SettingError", {
  setting: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.setting}: ${this.problem}`
  }
}
