/** Chooses between the answers of several nodes to one call. */
import * as Result from "effect/Result"

import { JsonRpcError } from "../error/JsonRpcError.ts"
import type { WireOutcome } from "../transport/Transport.ts"

/**
 * Returns the outcome of a call to a node, with the node's name in its error. A name that is there already stays. A
 * parameter that cannot be sent is no fault of a node.
 */
export const ofNode = (outcome: WireOutcome, node: string): WireOutcome => {
  if (Result.isSuccess(outcome)) return outcome
  const { method, node: inner, reason } = outcome.failure
  return inner === undefined && reason._tag !== "EncodeError"
    ? Result.fail(new JsonRpcError({ method, reason, node }))
    : outcome
}

/**
 * Returns the outcome that counts after one more node has answered. The outcome `before` did not settle the call. The
 * outcome `now` settles it unless `isOpen` is true.
 *
 * If both errors leave the call open, the more informative one counts. If both are equally informative, a retryable
 * error counts, so that the outcome does not seem final; otherwise the first error counts.
 */
export const choose = (before: WireOutcome | undefined, now: WireOutcome, isOpen: boolean): WireOutcome => {
  if (before === undefined || Result.isSuccess(now)) {
    return now
  }
  if (Result.isSuccess(before)) {
    return before
  }
  return isOpen && weight(before.failure) >= weight(now.failure) ? before : now
}

const weight = (error: JsonRpcError): number => worth(error) + (error.retryable ? 0.5 : 0)

/**
 * Returns how informative an error is: 4 for a server's error about the question, 3 for a server's error about itself,
 * 2 for an invalid answer, 1 for no answer, 0 for a call that was never sent.
 */
const worth = ({ reason }: JsonRpcError): number => {
  switch (reason._tag) {
    case "RemoteError":
      return reason.kind === "notFound" || reason.kind === "pruned" ? 4 : 3
    case "TimeoutError":
      return 1
    case "TransportError":
      return reason.withheld === true ? 0 : 1
    default:
      return 2
  }
}
