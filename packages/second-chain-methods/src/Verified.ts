/**
 * Trust in the type: what was proven, from which hash, and what is only claimed.
 *
 * A `Verified<A>` is made by this package's verifiers and by nothing else. Its words are those of every Plumbline tool:
 * VERIFIED (proven), CLAIMED (cannot be checked, and why) and REFUTED (a check failed: the error `Refuted`).
 */
import type * as Felt from "./Felt.ts"
import type { TypeId } from "./internal/verified.ts"

/** The hash that everything else follows from. */
export interface Anchor {
  readonly _tag: "Transaction"
  readonly hash: Felt.Felt
}

/** Something that was said and is not proven. `field` is a path in the value, `value` for the whole, or `pending`. */
export interface Claim {
  readonly field: string
  readonly reason: string
}

/** A value that follows from its anchor, but for the fields in `claimed`. */
export interface Verified<out A> {
  readonly [TypeId]: typeof TypeId
  readonly _tag: "VERIFIED"
  readonly value: A
  readonly anchor: Anchor
  /** What was shown, one short sentence each. */
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Claim>
}

/** A value that nothing ties to a hash: the node's word. */
export interface Claimed<out A> {
  readonly _tag: "CLAIMED"
  readonly value: A
  readonly anchor: null
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Claim>
}

/** What a verifier answers with; what it refutes, it fails with. */
export type Verdict<A> = Verified<A> | Claimed<A>

/**
 * A value that is only claimed, with the reason.
 *
 * ```ts import.meta.vitest
 * import { Verified } from "@plumbline/second-chain-methods"
 *
 * Verified.claim(5n, "the node's word").claimed // => [{ field: "value", reason: "the node's word" }]
 * ```
 */
export const claim = <A>(value: A, reason: string): Claimed<A> => ({
  _tag: "CLAIMED",
  value,
  anchor: null,
  proven: [],
  claimed: [{ field: "value", reason }]
})
