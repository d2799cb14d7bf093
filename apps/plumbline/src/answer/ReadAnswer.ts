/**
 * The answer of a reading command, as data: the verdict, the value in wire form, the shown lines, and the claims.
 * `wire` makes the object of `--json` from it.
 */
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Anchor from "@plumbline/verdict/Anchor"
import type * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Verdict from "@plumbline/verdict/Verdict"

/** A block, by its number and its hash. */
export interface BlockId {
  readonly number: bigint
  readonly hash: `0x${string}`
}

/** An answer that is proven, or that nothing contradicts. */
export interface AcceptedAnswer {
  readonly verdict: "VERIFIED" | "CLAIMED"
  /** The wire form: quantities as `0x` hex. Null if the thing does not exist. */
  readonly value: unknown
  /** The block that the answer is about, if the value does not name it; null for the pending block. */
  readonly block?: BlockId | null | undefined
  readonly anchor: Anchor.Anchor | Anchor.WeakAnchor | null
  /** True if the account of the question does not exist: its value is the zero of every account that is not there. */
  readonly absent?: boolean | undefined
  readonly proven: ReadonlyArray<Evidence.Evidence>
  readonly claimed: ReadonlyArray<Claim.Claim>
}

/** An answer that is refuted. It does not repeat the node's answer. */
export interface RefusedAnswer {
  readonly verdict: "REFUTED"
  /** The hash that the answer was checked against, if the question named one. */
  readonly anchor: Anchor.Anchor | null
  readonly refuted: FailedCheck
}

/** The check that failed. */
export type FailedCheck = Pick<RefutedError, "check" | "expected" | "got">

/** An accepted or a refused answer. */
export type ReadAnswer = AcceptedAnswer | RefusedAnswer

/**
 * Makes an answer from a verdict, with its value in wire form. `block` is added if the value does not name its block.
 */
export const accepted = <A>(
  verdict: Verdict.Verdict<A>,
  encode: (value: A) => unknown,
  block?: BlockId | null
): AcceptedAnswer => ({
  verdict: verdict._tag,
  value: encode(verdict.value),
  block,
  absent: EthEvidence.isAbsent(verdict.proven),
  anchor: verdict.anchor,
  proven: verdict.proven,
  claimed: verdict.claimed
})

/** Turns a refutation into an answer, with the anchor that the question named. */
export const refused = ({ check, expected, got }: FailedCheck, anchor: Anchor.Anchor | null): RefusedAnswer => ({
  verdict: "REFUTED",
  anchor,
  refuted: { check, expected, got }
})

/** Keeps the paths of claims when a value is converted to its wire form, which has the same paths. */
export const samePaths: Verdict.VerdictMapOptions = { claims: (claim) => [claim] }

/** Returns the object of `--json`. */
export const wire = (answer: ReadAnswer): Readonly<Record<string, unknown>> => {
  const { anchor, verdict } = answer
  const against = anchor === null ? null : Anchor.toJson(anchor)
  if (answer.verdict === "REFUTED") {
    return { verdict, value: null, anchor: against, proven: [], claimed: [], refuted: answer.refuted }
  }
  const { absent, block, value } = answer
  return {
    verdict,
    value,
    ...(absent === true ? { absent } : {}),
    ...(block === undefined ? {} : { block: block === null ? null : blockWire(block) }),
    anchor: against,
    ...Verdict.sentences(answer)
  }
}

/** Returns a block in the form of the `--json` object. */
export const blockWire = ({ hash, number }: BlockId): unknown => ({ number: Quantity.toHex(number), hash })
