/**
 * The member `plumbline` beside `result` or `error` of an answer, with its verdict and what is only claimed: the same as
 * that of `plumbline proxy --annotate`. JSON-RPC 2.0 names the members of a response and forbids no others, but strict
 * clients exist. So only a caller gets it that asks for it, by `?annotate` in the URL.
 */
import { Buffer } from "node:buffer"

import type { Told } from "./told.ts"

/** True if the query of a URL asks for the member. */
export const isAsked = (query: string): boolean => query !== "" && /(?:^|&)annotate(?:=(?:1|true))?(?:&|$)/u.test(query)

/** Returns the answer to one call with the member; unchanged if it has no verdict. */
export const add = (answer: Uint8Array, told: Told | undefined): Uint8Array => {
  if (told === undefined) return answer
  const { claimed, word } = told
  const member = `,"plumbline":${JSON.stringify({ verdict: word, claimed: claimed() })}}`
  // an answer is an object of ours, which ends with its brace
  return Buffer.concat([answer.subarray(0, -1), Buffer.from(member)])
}
