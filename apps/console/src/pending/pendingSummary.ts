/** The sentence below the heading of the pending transactions. */
import { grouped } from "../look/TextFormats.ts"

/** Returns the sentence about `all` listed transactions. `isPool` is true for the embedded pool, which runs none. */
export const summaryOf = (
  all: number,
  isPool: boolean,
  { refuted, verified }: { readonly refuted: number; readonly verified: number }
): string =>
  all === 0
    ? isPool
      ? "The embedded pool holds what it is sent, and runs none of it."
      : "They wait for a block, or the sequencer has run them and has not put them into one."
    : refuted > 0
      ? `${grouped(verified)} hold, ${grouped(refuted)} are refuted.`
      : "All of them were hashed in this browser."
