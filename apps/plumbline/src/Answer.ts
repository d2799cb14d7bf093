/**
 * What a reading command answers with: the verdict, the value in wire form, and the reasons. This is the shape of
 * `--json`.
 */
import type * as Hash32 from "@plumbline/codec/Hash32"
import type { Refuted } from "@plumbline/eth-methods/Refuted"
import type * as Verified from "@plumbline/eth-methods/Verified"

/** The hash that an answer was checked against. A CID stands as text. */
export interface Anchor {
  readonly kind: "block" | "transaction" | "cid"
  readonly hash: string
}

/** The block that an answer is about, in wire form. */
export interface Block {
  readonly number: string
  readonly hash: string
}

/** A block as an anchor. */
export const block = (hash: Hash32.Hash32): Anchor => ({ kind: "block", hash })

/** An answer that holds, or that nothing contradicts. */
export interface Accepted {
  readonly verdict: "VERIFIED" | "CLAIMED"
  /** The wire form: quantities as `0x` hex. Null when there is no such thing. */
  readonly value: unknown
  /** Where the value does not say it itself; null for the pending block. */
  readonly block?: Block | null
  readonly anchor: Anchor | null
  readonly proven: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<Verified.Claim>
}

/** An answer that is not true. What the node said is not repeated. */
export interface Refusal {
  readonly verdict: "REFUTED"
  readonly value: null
  /** What it was checked against, as far as that was named. */
  readonly anchor: Anchor | null
  readonly proven: readonly []
  readonly claimed: readonly []
  readonly refuted: { readonly check: string; readonly expected: string; readonly got: string }
}

/** Either. */
export type Answer = Accepted | Refusal

/** A verdict with its value in wire form, and the block that it is about, where that must be said. */
export const accepted = <A>(
  verdict: Verified.Verdict<A>,
  encode: (value: A) => unknown,
  block?: Block | null
): Accepted => ({
  verdict: verdict._tag,
  value: encode(verdict.value),
  ...(block === undefined ? {} : { block }),
  anchor: verdict.anchor === null ? null : { kind: kinds[verdict.anchor._tag], hash: verdict.anchor.hash },
  proven: verdict.proven,
  claimed: verdict.claimed
})

/** A refutation, with the anchor that the question named. */
export const refused = (
  { check, expected, got }: Pick<Refuted, "check" | "expected" | "got">,
  anchor: Anchor | null
): Refusal => ({
  verdict: "REFUTED",
  value: null,
  anchor,
  proven: [],
  claimed: [],
  refuted: { check, expected, got }
})

const kinds = { Block: "block", Transaction: "transaction" } as const
