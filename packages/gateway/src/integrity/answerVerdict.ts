/**
 * Stores the verdict on an answer separately from the answer's bytes. So callers of `Upstream` need not know about
 * verdicts, and a network without `Integrity` does no work for them.
 */
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { Claim } from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Verdict } from "@plumbline/verdict/Verdict"

/** The verdict on the bytes of an answer. */
export interface AnswerVerdict {
  readonly word: "VERIFIED" | "CLAIMED"
  /** The parts of the answer that are only claimed. */
  readonly claimed: ReadonlyArray<Claim>
  /**
   * The anchor that proves the answer, or the block of nodes from which a CLAIMED answer follows; undefined if there is
   * neither.
   */
  readonly anchor: Anchor.Anchor | Anchor.WeakAnchor | undefined
  /** The anchor as one line, as the header `Plumbline-Anchor` carries it. */
  readonly anchorText: string | undefined
  readonly proven: ReadonlyArray<Evidence>
  /** True if the answer is `null`. */
  readonly isNull: boolean
  /** The name of the node that answered. */
  readonly by: string
}

/** Maximum number of claimed fields that are stored. A node may send any number of fields with any names. */
const MAX_FIELDS = 33

/**
 * Returns the summary of a verdict. If a field that programs base decisions on is only claimed, the whole answer is
 * CLAIMED.
 */
export const of = (verdict: Verdict<unknown>, by: string): AnswerVerdict => {
  const isSure = verdict._tag === "VERIFIED" && OnlyProven.from(verdict)._tag === "Proven"
  return {
    word: isSure ? "VERIFIED" : "CLAIMED",
    claimed: verdict.claimed.slice(0, MAX_FIELDS),
    anchor: verdict.anchor ?? undefined,
    anchorText: verdict.anchor === null ? undefined : Anchor.toText(verdict.anchor),
    proven: verdict.proven,
    isNull: verdict.value === null,
    by
  }
}

/** The verdicts by answer. The key is the answer's array, which a pool passes on unchanged. */
const verdicts = new WeakMap<Uint8Array, AnswerVerdict>()

/** Records the verdict of an answer, and returns the answer. */
export const attach = (answer: Uint8Array, verdict: AnswerVerdict): Uint8Array => {
  verdicts.set(answer, verdict)
  return answer
}

/** Returns the verdict on an answer; undefined if there is none. */
export const get = (answer: Uint8Array): AnswerVerdict | undefined => verdicts.get(answer)

/** True if trust stands behind the answer: a proof leads there, or the nodes that the operator trusts say so. */
export const isVouched = (answer: Uint8Array): boolean => {
  const verdict = verdicts.get(answer)
  return verdict !== undefined && (verdict.word === "VERIFIED" || verdict.anchor !== undefined)
}
