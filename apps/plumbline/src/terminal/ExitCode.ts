/** The exit codes of the process, and the error that ends a command that has already printed everything. */
import * as Data from "effect/Data"

/** The answer is VERIFIED or CLAIMED, or the command did its work. */
export const DONE = 0

/** The command failed before it had an answer. */
export const FAILED = 1

/** The answer is REFUTED. */
export const REFUTED = 2

/** Ends a command without any further output; the process ends with this code. */
export class PrintedError extends Data.TaggedError("PrintedError")<{ readonly exitCode: number }> {}
