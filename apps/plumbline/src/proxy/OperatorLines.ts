/** Lines for the operator of the proxy, printed while the proxy runs. */
import * as TerminalText from "../terminal/TerminalText.ts"

/** Returns the line with the reason why answers pass without the proof that they should have. */
export const marked = (reason: string): string => `passes as CLAIMED: ${TerminalText.printable(reason)}`

/** Returns the line that reports a notification that is sent later, as soon as the trusted authority names its block. */
export const waits = (message: string): string => `waits until its block is trusted: ${TerminalText.printable(message)}`

/** Returns the line that reports a held-back notification, or a node without proofs. */
export const held = (message: string): string => `held back: ${TerminalText.printable(message)}`
