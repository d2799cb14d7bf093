/** The fields that programs rely on. If one of them is only claimed, the whole answer is CLAIMED. */
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import { claimAll, type Verdict } from "@plumbline/verdict/Verdict"

/**
 * Returns a verdict that is CLAIMED if a field that programs rely on is only claimed. Claims about such fields come
 * first.
 */
export const asSureAsItsFields = (verdict: Verdict<unknown>): Verdict<unknown> => {
  if (verdict._tag === "CLAIMED") return verdict
  const outcome = OnlyProven.from(verdict)
  if (outcome._tag === "Proven") return verdict
  const others = verdict.claimed.filter((one) => !outcome.claims.includes(one))
  return claimAll(verdict.value, [...outcome.claims, ...others], verdict.proven)
}
