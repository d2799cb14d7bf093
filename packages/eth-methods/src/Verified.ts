/**
 * Trust in the type: what was proven, from where, and what is only claimed.
 *
 * A `Verified<A>` is made by this package's verifiers and by nothing else. Its words are those of every Plumbline tool:
 * VERIFIED (proven), CLAIMED (cannot be checked, and why) and REFUTED (a check failed: the error `Refuted`).
 */
import type * as Hash32 from "@plumbline/codec/Hash32"

import type { TypeId } from "./internal/verified.ts"

/** Where trust enters: everything else follows from this hash by hashing. */
export interface Anchor {
  readonly _tag: "Block" | "Transaction"
  readonly hash: Hash32.Hash32
}

/**
 * Something that was said and is not proven.
 *
 * `field` is a path in the value, such as `blockNumber` or `transactions[2].from`; it covers what is below, and `[]` stands
 * for every item that has the field. A list that is the value itself is called `receipts`, `logs` or `uncles`. `value` is
 * the whole. `block` and `fromBlock` are about the question: which block a tag means. They cover no field.
 */
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

/** A value that nothing ties to an anchor: the node's word. `proven` then holds only for the value in itself. */
export interface Claimed<out A> {
  readonly _tag: "CLAIMED"
  readonly value: A
  readonly anchor: null
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Claim>
}

/** What a verified client answers with; what it refutes, it fails with. */
export type Verdict<A> = Verified<A> | Claimed<A>

/** A value that is only claimed, with the reason. */
export const claim = <A>(value: A, reason: string, proven: ReadonlyArray<string> = []): Claimed<A> => ({
  _tag: "CLAIMED",
  value,
  anchor: null,
  proven,
  claimed: [{ field: "value", reason }]
})
