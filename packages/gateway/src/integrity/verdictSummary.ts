/** The verdict on one answer, in the form that the caller gets: in headers, or in a member of the answer. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as ProviderReason from "@plumbline/provider/node/ProviderReason"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import * as Claim from "@plumbline/verdict/Claim"
import * as Predicate from "effect/Predicate"

import type { AnswerVerdict, UpstreamAnswer } from "../networks/Upstream.ts"
import * as AnswerVerdicts from "./answerVerdict.ts"

/** The verdict on an answer. A refusal because of a missing proof counts as `CLAIMED`. */
export interface VerdictSummary {
  readonly word: "VERIFIED" | "CLAIMED" | "REFUTED"
  /** The anchor of the answer, or of the refused answer, as one line; undefined if it has none. */
  readonly anchor: string | undefined
  /** The fields of the answer that are only claimed. */
  readonly fields: ReadonlyArray<string>
  /** Returns the claims of the answer with their reasons. For a refusal these are the claims that caused it. */
  readonly claimed: () => ReadonlyArray<Claim.ClaimSentence>
}

/** Returns the verdict on an answer; undefined if it has none. */
export const ofAnswer = ({ verdict }: UpstreamAnswer): VerdictSummary | undefined =>
  verdict === undefined ? undefined : summaryOf(verdict)

const summaryOf = (verdict: AnswerVerdict): VerdictSummary => {
  const { anchorText: anchor, claimed, word } = verdict
  return claimed.length === 0
    ? { word, anchor, fields: [], claimed: none }
    : {
        word,
        anchor,
        fields: claimed.map(({ field }) => printable(field)),
        claimed: () => claimed.map((claim) => shown(Claim.toSentence(claim)))
      }
}

/**
 * Returns the verdict on an error: CLAIMED for an unproven answer, REFUTED for a lie, and its own for an error that
 * answers a call, such as a revert. Other errors have no verdict.
 */
export const ofError = (error: ErrorObject): VerdictSummary | undefined => {
  const own = AnswerVerdicts.ofError(error)
  if (own !== undefined) return summaryOf(own)
  const { code, data } = error
  const anchor = ProviderRefusal.anchorOf(error)
  if (code === ProviderRefusal.REFUTED) return { word: "REFUTED", anchor, fields: [], claimed: none }
  if (!UNPROVEN.has(code)) return undefined
  const claimed = Predicate.hasProperty(data, "claimed") && Array.isArray(data.claimed) ? data.claimed : []
  return { word: "CLAIMED", anchor, fields: [], claimed: () => claimed.filter(isSentence).map(shown) }
}

/** The codes of refusals for want of a proof. */
const UNPROVEN: ReadonlySet<number> = new Set([
  ProviderRefusal.UNPROVEN,
  ProviderRefusal.UNAVAILABLE,
  ProviderRefusal.OUT_OF_BOUNDS
])

const none = (): ReadonlyArray<Claim.ClaimSentence> => []

/** The verdict on an answer about a filter, which no node gave. */
export const KEPT: VerdictSummary = {
  word: "CLAIMED",
  anchor: undefined,
  fields: [],
  claimed: () => [Claim.toSentence(Claim.whole(ProviderReason.Kept({})))]
}

const isSentence = (value: unknown): value is Claim.ClaimSentence =>
  Predicate.hasProperty(value, "field") &&
  Predicate.isString(value.field) &&
  Predicate.hasProperty(value, "reason") &&
  Predicate.isString(value.reason)

/** Maximum length of a reason, in characters. */
const MAX_REASON = 300

const shown = ({ field, reason }: Claim.ClaimSentence): Claim.ClaimSentence => ({
  field: printable(field),
  reason: reason.slice(0, MAX_REASON)
})

/** Returns the name of a field if it is safe in a header, otherwise `?`. A node may give a field any name. */
const printable = (field: string): string => (/^[\w.[\]-]{1,64}$/u.test(field) ? field : "?")
