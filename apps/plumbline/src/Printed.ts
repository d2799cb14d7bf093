/**
 * The end of a command that has said everything already.
 */
import * as Data from "effect/Data"

/** Nothing more is printed; the process ends with this code. */
export class Printed extends Data.TaggedError("Printed")<{ readonly exitCode: number }> {}
