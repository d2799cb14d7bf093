/** Turns the outcome of a call that was run here into the answer of eth_call. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as ProviderRefusal from "./ProviderRefusal.ts"

/**
 * Returns the bytes of an outcome, or the error that a node answers with, which keeps the verdict on the outcome. The
 * node's word is bytes already.
 */
export const of = (
  verdict: Verdict<Hex.Hex | CallOutcome.CallOutcome>
): Result.Result<Verdict<unknown>, ErrorObject> => {
  const { value } = verdict
  return typeof value === "string"
    ? Result.succeed(verdict)
    : Result.mapBoth(CallOutcome.toAnswer(value), {
        onFailure: (error) => ProviderRefusal.withVerdict(ProviderRefusal.failed(error), verdict),
        onSuccess: (data) => map(verdict, () => data, { claims: (claim) => [claim] })
      })
}
