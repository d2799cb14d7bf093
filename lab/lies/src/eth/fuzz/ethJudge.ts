/** Turns the answer of a verifier of Ethereum into an outcome. */
import type { RefutedError, Verdict } from "@plumbline/verdict"
import { Result } from "effect"

import { accepted, claimed, type Outcome, refused } from "../../fuzzTarget.ts"
import * as Leaves from "../../leaves.ts"

/** Compares a verdict with the truth. */
export const judge = (
  verdict: Result.Result<Verdict.Verdict<unknown>, RefutedError>,
  truth: unknown,
  options?: Leaves.Options
): Outcome => {
  if (Result.isFailure(verdict)) return refused(verdict.failure.check)
  const { _tag, claimed: claims, value } = verdict.success
  if (_tag === "CLAIMED") return claimed
  return accepted(
    Leaves.firstFalse(
      value,
      truth,
      claims.map(({ field }) => field),
      options
    )
  )
}

/**
 * Turns a refusal into the outcome `False`. Use it for true answers, in any form that some honest node sends.
 */
export const mustPass = (outcome: Outcome): Outcome =>
  outcome._tag === "Refused"
    ? { _tag: "False", leaf: "value", expected: "the truth accepted", got: `refused: ${outcome.check}` }
    : outcome
