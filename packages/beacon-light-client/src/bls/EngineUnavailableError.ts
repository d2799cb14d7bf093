/** The error of an engine that cannot run on this platform. */
import * as Schema from "effect/Schema"

/** An engine that does not start here: its package or its binary is missing, or it fails its first test. */
export class EngineUnavailableError extends Schema.TaggedError<EngineUnavailableError>()("EngineUnavailableError", {
  engine: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `${this.engine} does not run here: ${this.reason}. Install its package, or use Bls.noble.`
  }
}
