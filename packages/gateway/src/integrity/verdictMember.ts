/**
 * Adds the member `plumbline` to an answer, beside `result` or `error`. The member has the verdict, the anchor and the
 * fields that are only claimed, and is the same as with `plumbline proxy --annotate`. JSON-RPC 2.0 does not forbid further members,
 * but some clients refuse them. So only callers that ask for the member with `?annotate` in the URL get it.
 */
import { Buffer } from "node:buffer"

import type { VerdictSummary } from "./verdictSummary.ts"

/** True if the query of a URL asks for the member. */
export const isAsked = (query: string): boolean => query !== "" && /(?:^|&)annotate(?:=(?:1|true))?(?:&|$)/u.test(query)

/** Returns the answer to one call with the member added. An answer without a verdict is returned unchanged. */
export const add = (answer: Uint8Array, told: VerdictSummary | undefined): Uint8Array => {
  if (told === undefined) return answer
  const { anchor, claimed, word } = told
  const member = `,"plumbline":${JSON.stringify({ verdict: word, anchor, claimed: claimed() })}}`
  // the gateway wrote this JSON object, so its last byte is the closing brace
  return Buffer.concat([answer.subarray(0, -1), Buffer.from(member)])
}
