/** The error of an engine that this platform cannot run. */
import * as Schema from "effect/Schema"

/** An engine does not start: no binary for this platform, or a wrong key in its first test. */
export class RecoveryUnavailableError extends Schema.TaggedError<RecoveryUnavailableError>()(
  "RecoveryUnavailableError",
  {
    engine: Schema.String,
    reason: Schema.String
  }
) {
  override get message(): string {
    return `${this.engine} does not run here: ${this.reason}. Use FastRecovery, which takes another engine then.`
  }
}
