/** Turns events of the chain into notices, and gives verdicts on parts of a block of the chain. */
import * as EthReason from "@plumbline/eth-methods/proof/EthReason"
import * as TrustRelation from "@plumbline/eth-methods/trust/TrustRelation"
import type * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Claim from "@plumbline/verdict/Claim"
import type { Reason } from "@plumbline/verdict/Reason"
import { restOn, type Verdict, weaken } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type * as ProvenHeads from "../chain/provenHeads.ts"
import type { ChainHead } from "../chain/reorgTracker.ts"
import type { Notice } from "./Notice.ts"
import * as ProviderReason from "./ProviderReason.ts"
import * as ProviderRefusal from "./ProviderRefusal.ts"
import { sendable } from "./sendable.ts"

/** The method that errors name for the reads of a subscription. */
export const METHOD = "eth_subscribe"

/** The notices of one subscription for events that are no items. A reason to hold items back is sent once. */
export class HeldNotices {
  readonly #said = new Set<string>()

  held(reason: Reason | undefined): ReadonlyArray<Extract<Notice, { readonly _tag: "Held" }>> {
    if (reason === undefined || this.#said.has(reason._tag)) return []
    this.#said.add(reason._tag)
    return [{ _tag: "Held", error: ProviderRefusal.unproven(METHOD, [Claim.whole(reason)]) }]
  }

  of(event: Exclude<ProvenHeads.HeadEvent, { readonly _tag: "Changed" }>): ReadonlyArray<Notice> {
    switch (event._tag) {
      case "Faulted":
        return [{ _tag: "Held", error: refusalOf(event.fault) }]
      case "Waits":
        return this.held(reasonOf(event.head)).map((notice) => ({ ...notice, isYet: true }))
      case "Missed":
        return [{ _tag: "Missed", error: ProviderRefusal.missed(event.from, event.to) }]
    }
  }
}

/** Makes the notice of an item. An item without a wire form is held back. */
export const itemOf = (method: Method.Any, verdict: Verdict<unknown>): Notice =>
  Result.match(sendable(method, verdict.value), {
    onFailure: (error): Notice => ({ _tag: "Held", error }),
    onSuccess: (result): Notice => ({ _tag: "Item", result, verdict })
  })

/** Returns the verdict on a part of a block. It is CLAIMED if nothing proves that the block is on the chain. */
export const settle = <A>(head: ChainHead, verdict: Verdict<A>): Verdict<A> => {
  const weak = weakOf(head)
  if (weak !== undefined) return restOn(verdict, weak)
  const reason = reasonOf(head)
  return reason === undefined ? verdict : weaken(verdict, reason)
}

/** Returns the anchor of a block for which only nodes vouch. */
const weakOf = ({ relation }: ChainHead): Anchor.WeakAnchor | undefined =>
  relation._tag === "Vouched" && Anchor.isWeak(relation.anchor) ? relation.anchor : undefined

/** True if only nodes vouch for the block, and the reader has not accepted their word by name. */
export const isUnaccepted = (head: ChainHead): boolean => weakOf(head)?.accepted === false

/**
 * Returns the reason why a block and its content are only claimed. Returns undefined if a proof leads to the block of
 * the trusted authority.
 */
export const reasonOf = ({ hash, relation }: ChainHead): Reason | undefined => {
  switch (relation._tag) {
    case "Extends":
      return ProviderReason.Extends({ trusted: relation.trusted })
    case "Another":
      return EthReason.NotOnChain({
        block: hash,
        cause: ProviderReason.Another({ by: relation.by, hash: relation.hash })
      })
    default:
      return TrustRelation.unprovenBy(relation)
  }
}

export const refusalOf = (fault: ProvenHeads.FollowFault): ErrorObject.ErrorObject => {
  switch (fault._tag) {
    case "RefutedError":
      return ProviderRefusal.refuted(METHOD, fault)
    case "JsonRpcError":
      return ProviderRefusal.failed(fault)
    case "Absent":
      return ProviderRefusal.unproven(METHOD, [Claim.whole(ProviderReason.Absent({ hash: fault.hash }))])
    case "Unproven":
      return ProviderRefusal.unproven(METHOD, fault.claimed)
  }
}
