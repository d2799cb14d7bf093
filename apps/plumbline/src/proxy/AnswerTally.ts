/** Counts the outcomes of the proxy's answers, for the lines that `proxy` prints when it ends. */
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"

/** The outcome of a call. `FAILED` means that there was no answer, or that the call was invalid. */
export type AnswerFate = "VERIFIED" | "CLAIMED" | "REFUTED" | "REFUSED" | "FAILED"

export interface AnswerCounts {
  readonly fates: ReadonlyMap<AnswerFate, number>
  /** Number of refuted answers, by the check that refuted them. */
  readonly checks: ReadonlyMap<string, number>
  /** Number of verdicts that the node itself added to its answers. They were removed. */
  readonly foreign: number
}

/**
 * Maximum number of checks that are counted separately. A check may name a field, and a node can send any number of
 * fields.
 */
const MAX_CHECKS = 100

export class AnswerTally implements AnswerCounts {
  readonly fates = new Map<AnswerFate, number>()
  readonly checks = new Map<string, number>()
  foreign = 0

  readonly count = (fate: AnswerFate, check?: string): void => {
    this.fates.set(fate, (this.fates.get(fate) ?? 0) + 1)
    if (check === undefined) return
    const name = this.checks.has(check) || this.checks.size < MAX_CHECKS ? check : "other checks"
    this.checks.set(name, (this.checks.get(name) ?? 0) + 1)
  }
}

/** Returns the fate of a refused call, from the code of its error. */
export const fateOf = (code: number): AnswerFate =>
  code === ProviderRefusal.REFUTED ? "REFUTED" : REFUSALS.has(code) ? "REFUSED" : "FAILED"

const REFUSALS: ReadonlySet<number> = new Set([
  ProviderRefusal.UNPROVEN,
  ProviderRefusal.UNAVAILABLE,
  ProviderRefusal.OUT_OF_BOUNDS
])

/** Returns the check that refuted an answer, from its error. */
export const checkOf = (error: ErrorObject): string | undefined => {
  const check = memberOf(error, "check")
  return typeof check === "string" ? check : undefined
}

/** Returns a member of an error's data. */
export const memberOf = ({ data }: ErrorObject, name: string): unknown =>
  typeof data === "object" && data !== null ? (data as Readonly<Record<string, unknown>>)[name] : undefined
