/** Faults of nodes whose answers are refuted or not proven. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Predicate from "effect/Predicate"

import { UpstreamError } from "../networks/UpstreamError.ts"

/** Maximum length of a check's name in logs and counts. The name can contain a field's name, which a node chooses. */
const MAX_CHECK = 100

/**
 * Returns the fault for a refuted answer. `anchor` is the trusted block that the answer contradicts, as text, and `result`
 * is the node's answer.
 */
export const refuted = (
  { check, expected, got }: Pick<RefutedError, "check" | "expected" | "got">,
  anchor?: string,
  result?: unknown
): UpstreamError => {
  const block = blockIn(result)
  return new UpstreamError({
    reason: {
      _tag: "Refuted",
      check: printable(check),
      expected,
      got,
      ...(anchor === undefined ? {} : { anchor }),
      ...(block === undefined ? {} : { block })
    }
  })
}

/** Returns the block that an answer is about: a block, or a transaction, receipt or log, or the first of a list of these. */
const blockIn = (result: unknown): { readonly number: number; readonly hash?: string } | undefined => {
  const answer: unknown = Array.isArray(result) ? result[0] : result
  if (!Predicate.isObject(answer)) return undefined
  const read = (name: string): string => {
    const value = Predicate.hasProperty(answer, name) ? answer[name] : undefined
    return Predicate.isString(value) && /^0x[\da-f]{1,64}$/iu.test(value) ? value : ""
  }
  const number = Number(read("blockNumber") || read("number") || Number.NaN)
  const hash = read("blockHash") || read("hash")
  if (!Number.isSafeInteger(number)) return undefined
  return hash.length === 66 ? { number, hash } : { number }
}

/** Returns the fault for an unproven answer. It is a fault, because another node may have a proof. */
export const unproven = ({ code, data, message }: ErrorObject): UpstreamError =>
  new UpstreamError({ reason: { _tag: "Unproven", code, message, data: data ?? null } })

const printable = (check: string): string => check.slice(0, MAX_CHECK).replaceAll(/[^\u0020-\u007e]/gu, "?")
