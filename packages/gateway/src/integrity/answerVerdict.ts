/**
 * The verdict on an answer, kept separately from its bytes, so that no caller of `Upstream` needs to know verdicts, and
 * a network without integrity does no work for them.
 */
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import type * as Anchor from "@plumbline/verdict/Anchor"
import type { Claim } from "@plumbline/verdict/Claim"
import type { Evidence } from "@plumbline/verdict/Evidence"
import type { Verdict } from "@plumbline/verdict/Verdict"

/** The verdict on the bytes of an answer. */
export interface AnswerVerdict {
  readonly word: "VERIFIED" | "CLAIMED"
  /** The parts of the answer that are only claimed. */
  readonly claimed: ReadonlyArray<Claim>
  /** The hash from which a proven answer follows. */
  readonly anchor: Anchor.Anchor | undefined
  readonly proven: ReadonlyArray<Evidence>
  /** True of the answer `null`. */
  readonly isNull: boolean
  /** The name of the node that answered. */
  readonly by: string
}

/** Fields that are kept of a verdict: a node may send any number, by any names. */
const MAX_FIELDS = 33

/**
 * Returns the summary of a verdict. If a field by which programs decide is only claimed, the whole answer is CLAIMED.
 */
export const of = (verdict: Verdict<unknown>, by: string): AnswerVerdict => {
  const isSure = verdict._tag === "VERIFIED" && OnlyProven.from(verdict)._tag === "Proven"
  return {
    word: isSure ? "VERIFIED" : "CLAIMED",
    claimed: verdict.claimed.slice(0, MAX_FIELDS),
    anchor: verdict.anchor ?? undefined,
    proven: verdict.proven,
    isNull: verdict.value === null,
    by
  }
}

/** The verdicts, keyed by the bytes of the answer, which a pool passes on unchanged. */
const verdicts = new WeakMap<Uint8Array, AnswerVerdict>()

/** Records the verdict of an answer, and returns the answer. */
export const attach = (answer: Uint8Array, verdict: AnswerVerdict): Uint8Array => {
  verdicts.set(answer, verdict)
  return answer
}

/** Returns the verdict on an answer; undefined if there is none. */
export const get = (answer: Uint8Array): AnswerVerdict | undefined => verdicts.get(answer)
