/** The fields that programs rely on. If one of them is only claimed, the whole answer is CLAIMED. */
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import type { Claim } from "@plumbline/verdict/Claim"
import { RestsOn } from "@plumbline/verdict/Reason"
import { claimAll, type Verdict } from "@plumbline/verdict/Verdict"

/**
 * Returns a verdict that is CLAIMED if a field that programs rely on is only claimed. Claims about such fields come
 * first. If nodes vouch for the fields, the verdict has their anchor.
 */
export const strictVerdict = (verdict: Verdict<unknown>): Verdict<unknown> => {
  if (verdict._tag === "CLAIMED") return verdict
  const outcome = OnlyProven.from(verdict)
  if (outcome._tag === "Proven") return verdict
  const first = outcome._tag === "Unproven" ? outcome.claims : verdict.claimed.filter(isOfNodes)
  const firsts = new Set(first)
  const others = verdict.claimed.filter((one) => !firsts.has(one))
  const anchors = first.flatMap(({ reason }) => (RestsOn.is(reason) ? [reason.anchor] : []))
  const isWeak = anchors.length === first.length
  return claimAll(verdict.value, [...first, ...others], verdict.proven, isWeak ? anchors[0] : null)
}

/** True if the reader accepts, by name, the word of nodes on which the answer rests. Such an answer may be served. */
export const isAccepted = (verdict: Verdict<unknown>): boolean => OnlyProven.from(verdict)._tag === "Accepted"

const isOfNodes = ({ reason }: Claim): boolean => RestsOn.is(reason)
