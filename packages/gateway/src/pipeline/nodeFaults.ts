/** The answers to calls whose node failed, or whose answer failed the integrity checks. */
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as DoorProviderRefusal from "@plumbline/provider/node/ProviderRefusal"

import type { UpstreamError } from "../networks/UpstreamError.ts"

/**
 * Returns the error for a call whose answers failed the integrity checks; undefined for another fault. Either every
 * node lied, or no node could prove its answer. The checks log the details.
 */
export const refusalOf = (method: string, reason: UpstreamError["reason"]): ErrorObject.ErrorObject | undefined => {
  switch (reason._tag) {
    case "Refuted":
      return DoorProviderRefusal.refuted(method, reason, reason.anchor)
    case "Unproven":
      return ErrorObject.make(reason.code, reason.message, reason.data ?? undefined)
    default:
      return undefined
  }
}

/**
 * The errors that say more about the nodes than about the call, with the reason in metrics. They have the HTTP status
 * 200, so alerts cannot rely on the status.
 */
export const NODE_ERRORS: ReadonlyMap<number, string> = new Map([
  [DoorProviderRefusal.REFUTED, "Refuted"],
  [DoorProviderRefusal.DISCONNECTED, "Disconnected"],
  [ErrorCode.RESOURCE_UNAVAILABLE, "Unavailable"],
  [ErrorCode.LIMIT_EXCEEDED, "Limited"],
  [ErrorCode.INTERNAL_ERROR, "InternalError"]
])

/** Returns the error that a caller gets for a fault. */
export const errorOf = (method: string, { reason }: UpstreamError): ErrorObject.ErrorObject =>
  refusalOf(method, reason) ?? saidOf(reason).error

/** The answer to a call that failed because of the service or the node. */
export const broken = { status: 502, error: ErrorObject.internalError() }
export const timedOut = { status: 504, error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "request timed out") }
/** The answer to a call that the service cannot take now, or has cancelled. */
export const unavailable = {
  status: 503,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "service unavailable")
}
const wrongChain = {
  status: 502,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "the nodes of this network are of another chain")
}
// The service has exceeded its limits at the nodes, but the caller has exceeded no limit. So the status is 503, not
// 429.
const limited = {
  status: 503,
  error: ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, "the nodes of this network are over their limits")
}
const disagreement = {
  status: 502,
  error: ErrorObject.make(ErrorCode.RESOURCE_UNAVAILABLE, "the nodes of this network disagree")
}
const unconfirmed = {
  status: 502,
  error: ErrorObject.make(
    ErrorCode.RESOURCE_UNAVAILABLE,
    "the latest block of one node is not confirmed by the other nodes of this network"
  )
}
// geth's code and text, although EIP-1474 has another meaning for the code.
export const tooLarge = { status: 200, error: ErrorObject.make(ErrorCode.TRANSACTION_REJECTED, "response too large") }
/** The answer to each fault. A fault that is not listed is answered with `broken`. */
const faults: { readonly [Reason in UpstreamError["reason"]["_tag"]]?: typeof broken } = {
  Disagreement: disagreement,
  Limited: limited,
  TimedOut: timedOut,
  TooLarge: tooLarge,
  Unconfirmed: unconfirmed,
  WrongChain: wrongChain
}
/** Returns the answer to a fault. A node's 429 gets the same answer as later calls that are held back because of it. */
export const saidOf = (reason: UpstreamError["reason"]): typeof broken =>
  reason._tag === "BadStatus" && reason.status === TOO_MANY ? limited : (faults[reason._tag] ?? broken)

const TOO_MANY = 429
