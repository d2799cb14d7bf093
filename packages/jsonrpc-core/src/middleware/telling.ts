/** Of what several nodes said to one call, which counts. */
import * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { Outcome } from "../transport/Transport.ts"

/**
 * What counts after one more node has spoken. `before` did not end the matter; `now` does, unless `isOpen`.
 *
 * Of errors that leave the matter open the more telling one counts. Of equals it is one that may not last, so that nobody
 * takes the whole for hopeless, and else the first.
 */
export const choose = (before: Outcome | undefined, now: Outcome, isOpen: boolean): Outcome => {
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
 * How much an error says: 4 what a server said about the question, 3 what a server said about itself, 2 an answer that is
 * none, 1 that no answer came, 0 that nobody was asked.
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
