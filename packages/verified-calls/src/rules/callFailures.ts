/** The failures of calls that have no proven outcome. */
import { type Bound, CallError } from "@plumbline/eth-methods/call/CallError"

/** Returns the failure of a call that needs what the engine does not support. */
export const unsupported = (what: string): CallError => new CallError({ reason: { _tag: "Unsupported", what } })

/** Returns the failure of a call that breaks a rule of transactions. */
export const invalid = (rule: string): CallError => new CallError({ reason: { _tag: "Invalid", rule } })

/** Returns the failure of a call that needs more than a bound. */
export const beyond = (bound: Bound, limit: number | bigint): CallError =>
  new CallError({ reason: { _tag: "OutOfBounds", bound, limit } })
