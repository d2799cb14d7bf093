/**
 * The error of metering.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * A call that could not be metered. It is to be refused: what cannot be billed is not answered.
 *
 * - `Unavailable`: the store does not take it. `detail` says why, without host, path or value. If the store's answer was
 *   lost, it may have been stored all the same; it is never stored twice.
 * - `Full`: more calls wait for the store than `Metering.Limits` allows.
 * - `Closed`: the service ends.
 * - `Invalid`: no such usage can be; `detail` names the field. A mistake of whoever recorded it.
 *
 * @since 0.1.0
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
        return `a usage cannot be: ${this.detail}`
    }
  }
}
