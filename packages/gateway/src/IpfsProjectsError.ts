/**
 * The error of the file that says whose pins are whose.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * The ledger of pins cannot be used.
 *
 * - `InUse`: another process, or this one, has it open.
 * - `Damaged`: it contradicts itself, or is something else; it is never overwritten.
 * - `Newer`: a newer version of this package has changed its form.
 * - `Unusable`: the system refused; `detail` is SQLite's sentence for its code, which holds no path.
 *
 * @since 0.1.0
 */
export class IpfsProjectsError extends Schema.TaggedError<IpfsProjectsError>()("IpfsProjectsError", {
  problem: Schema.Literals(["InUse", "Damaged", "Newer", "Unusable"]),
  detail: Schema.String
}) {
  override get message(): string {
    switch (this.problem) {
      case "InUse":
        return "another service has this ledger of pins open"
      case "Damaged":
        return `the ledger of pins is damaged: ${this.detail}`
      case "Newer":
        return `the ledger of pins is of a newer version: ${this.detail}`
      case "Unusable":
        return `the ledger of pins cannot be used: ${this.detail}`
    }
  }
}
