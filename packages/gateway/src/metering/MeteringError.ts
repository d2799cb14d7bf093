/**
 * The error of metering.
 */
import * as Schema from "effect/Schema"

/**
 * A call that could not be metered. It must be refused, because it cannot be billed.
 *
 * - `Unavailable`: the store does not accept the usage. `detail` is the reason, without host, path or value. If the
 *   store's answer was lost, the usage may have been stored. It is never stored twice.
 * - `Full`: more calls wait for the store than the setting `metering.limits.waiting` allows.
 * - `Closed`: the service is shutting down.
 * - `Invalid`: the usage is invalid; `detail` names the field. The program that records the usage has a bug.
 */
export class MeteringError extends Schema.TaggedError<MeteringError>()("MeteringError", {
  problem: Schema.Literals(["Unavailable", "Full", "Closed", "Invalid"]),
  detail: Schema.String
}) {
  override get message(): string {
    switch (this.problem) {
      case "Unavailable":
        return `the store of usage is not available: ${this.detail}`
      case "Full":
        return `too many calls wait to be metered: ${this.detail}`
      case "Closed":
        return "metering has ended"
      case "Invalid":
        return `invalid usage record: ${this.detail}`
    }
  }
}
