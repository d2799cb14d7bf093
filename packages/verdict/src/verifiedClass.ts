/**
 * The class that implements `Verified`. The module is not exported, so that only `prove/Proven` can make an instance.
 */
import type { Anchor } from "./Anchor.ts"
import type { Claim } from "./Claim.ts"
import type { Evidence } from "./Evidence.ts"

/** The parts of a verified value. */
export interface VerifiedParts<A> {
  readonly value: A
  readonly anchor: Anchor
  readonly proven: ReadonlyArray<Evidence>
  readonly claimed: ReadonlyArray<Claim>
}

/**
 * A value that is proven from its anchor, except for the fields in `claimed`.
 *
 * The brand is private, so TypeScript omits it from an object spread, and `{ ...verified, value }` is not a `Verified`.
 */
export class Verified<out A> {
  declare private readonly brand: A
  readonly _tag = "VERIFIED" as const
  readonly value: A
  readonly anchor: Anchor
  /** The evidence, in the order of the proof. */
  readonly proven: ReadonlyArray<Evidence>
  readonly claimed: ReadonlyArray<Claim>

  constructor(parts: VerifiedParts<A>) {
    this.value = parts.value
    this.anchor = parts.anchor
    this.proven = parts.proven
    this.claimed = parts.claimed
  }
}
