/**
 * The verdict on a part of a name, from the verdict on the call that read it.
 *
 * The value is decoded from the bytes of a proven outcome, so it follows from the same anchor.
 */
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import * as Proven from "@plumbline/verdict/prove/Proven"
import * as Verdict from "@plumbline/verdict/Verdict"

import * as EnsReason from "./EnsReason.ts"

/** The calls of one answer: the first, and the last callback if gateways were asked. */
export interface NameCalls {
  readonly first: Verdict.Verdict<CallOutcome>
  readonly last: Verdict.Verdict<CallOutcome>
  /** The hosts of the gateways that were asked. */
  readonly hosts: ReadonlyArray<string>
}

export const make = <A>(
  { first, hosts, last }: NameCalls,
  value: A,
  evidence: Evidence.Evidence
): Verdict.Verdict<A> => {
  if (first !== last || hosts.length > 0) {
    // the callback names its block by hash, so only the first call says how the block is linked to the reader's trust
    return Verdict.claimAll(
      value,
      [
        Claim.whole(EnsReason.FromGateway({ hosts })),
        ...first.claimed,
        ...(last._tag === "CLAIMED" ? last.claimed : [])
      ],
      [...first.proven, ...last.proven, evidence],
      Verdict.weakAnchorOf([first])
    )
  }
  const verdict = Verdict.map(last, () => value)
  const proven = [...verdict.proven, evidence]
  return verdict._tag === "VERIFIED"
    ? Proven.amend(verdict, { proven })
    : Verdict.claimAll(value, verdict.claimed, proven, verdict.anchor)
}
