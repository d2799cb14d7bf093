/**
 * The only constructor of `Verified`.
 *
 * It is for the code that has done the proof. In this repository only folders with proofs import it, which the boundary
 * check enforces. Every other module derives its verdicts with `Verdict`.
 */
import type { Verified } from "../Verdict.ts"
import * as internal from "../verifiedClass.ts"

/** The parts of a verified value: the value, its anchor, the evidence, and the claims that remain. */
export type VerifiedParts<A> = internal.VerifiedParts<A>

/** Makes a `Verified` from a value that was proven to follow from the anchor, except for the claimed fields. */
export const make = <A>(parts: VerifiedParts<A>): Verified<A> => new internal.Verified(parts)

/** Returns the verdict with some of its parts replaced. The caller must have proven the new parts. */
export const amend = <A>(self: Verified<A>, parts: Partial<VerifiedParts<A>>): Verified<A> =>
  new internal.Verified({
    value: parts.value === undefined ? self.value : parts.value,
    anchor: parts.anchor ?? self.anchor,
    proven: parts.proven ?? self.proven,
    claimed: parts.claimed ?? self.claimed
  })
