/** The headers of an HTTP answer to a single call that say which verdict it has. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Refusal from "@plumbline/provider/node/Refusal"

import * as AnswerVerdict from "./answerVerdict.ts"

/** Returns the headers of an answer: none if it has no verdict. */
export const ofAnswer = (answer: Uint8Array): ReadonlyArray<string> => {
  const verdict = AnswerVerdict.get(answer)
  if (verdict === undefined) return NONE
  if (verdict.claimed.length === 0) return SURE
  return ["plumbline-verdict", verdict.word, "plumbline-claimed", listed(verdict.claimed), ...EXPOSED]
}

/** Returns the headers of a refusal. An unproven answer was only claimed; other errors have no verdict. */
export const ofError = ({ code }: ErrorObject): ReadonlyArray<string> =>
  code === Refusal.REFUTED ? REFUTED : code === Refusal.UNPROVEN || code === Refusal.UNAVAILABLE ? CLAIMED : NONE

/** Lets a page of another origin read them. */
const EXPOSED = ["access-control-expose-headers", "plumbline-verdict, plumbline-claimed"]

const NONE: ReadonlyArray<string> = []
const SURE = ["plumbline-verdict", "VERIFIED", ...EXPOSED]
const CLAIMED = ["plumbline-verdict", "CLAIMED", ...EXPOSED]
const REFUTED = ["plumbline-verdict", "REFUTED", ...EXPOSED]

/** The most fields that are listed by name. */
const MAX_LISTED = 32

/** Lists fields; a node may give one any name. */
const listed = (fields: ReadonlyArray<string>): string => {
  const names = fields.slice(0, MAX_LISTED).map((field) => (/^[\w.[\]-]{1,64}$/u.test(field) ? field : "?"))
  return [...new Set(names), ...(fields.length > MAX_LISTED ? ["..."] : [])].join(", ")
}
