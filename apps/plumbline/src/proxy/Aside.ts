/** Lines for the operator of a door, printed while it is open. */
import * as Text from "../terminal/Text.ts"

/** Returns the line that says why answers pass that should have a proof. */
export const marked = (reason: string): string => `passes as CLAIMED: ${Text.printable(reason)}`

/** Returns the line that reports a held-back notification, or a node without proofs. */
export const held = (message: string): string => `held back: ${Text.printable(message)}`
