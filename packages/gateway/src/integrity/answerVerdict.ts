/** Makes the verdicts on answers. A verdict is a field of its answer, so a network without `Integrity` does no work for it. */
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Anchor from "@plumbline/verdict/Anchor"
import type { Verdict } from "@plumbline/verdict/Verdict"

import type { AnswerVerdict, UpstreamAnswer } from "../networks/Upstream.ts"

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

/** Sets the verdict of an answer, and returns the answer. */
export const attach = (answer: Uint8Array, verdict: AnswerVerdict): UpstreamAnswer => Object.assign(answer, { verdict })

/** The verdicts on errors that are answers, such as a proven revert. An error object itself goes to the caller. */
const ofErrors = new WeakMap<ErrorObject, AnswerVerdict>()

/** Sets the verdict of an error that is the answer, and returns the error. */
export const attachToError = (error: ErrorObject, verdict: AnswerVerdict): ErrorObject => {
  ofErrors.set(error, verdict)
  return error
}

/** Returns the verdict of an error that is the answer; undefined for any other error. */
export const ofError = (error: ErrorObject): AnswerVerdict | undefined => ofErrors.get(error)

/** True if trust stands behind the answer: a proof leads there, or the nodes that the operator trusts say so. */
export const isVouched = ({ verdict }: UpstreamAnswer): boolean =>
  verdict !== undefined && (verdict.word === "VERIFIED" || verdict.anchor !== undefined)
