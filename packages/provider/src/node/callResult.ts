/** Turns the outcome of a call that was run here into the answer of eth_call. */
import * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as ProviderRefusal from "./ProviderRefusal.ts"

/** Returns the verdict of an answer. Of a call's outcome: its bytes, or the error that a node answers with. */
export const of = (verdict: Verdict<unknown>): Result.Result<Verdict<unknown>, ErrorObject> => {
  const { value } = verdict
  return CallOutcome.isOutcome(value)
    ? Result.mapBoth(CallOutcome.toAnswer(value), {
        onFailure: ProviderRefusal.failed,
        onSuccess: (data) => map(verdict, () => data, { claims: (claim) => [claim] })
      })
    : Result.succeed(verdict)
}
