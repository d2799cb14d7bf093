/** Proves that a call reverted, or failed in another way. Loaded when a call fails. */
import * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import * as OnlyProven from "@plumbline/eth-methods/verified/OnlyProven"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as JsonRpcServer from "@plumbline/jsonrpc-core/server/JsonRpcServer"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { PassedResult } from "./Proving.ts"

/**
 * Runs the call of a request, and returns the error with which nodes answer it, with the verdict on it. Returns undefined
 * for a call that does not fail, or that cannot be run here.
 */
export const read = Effect.fnUntraced(function* (
  client: VerdictEthClient.Client,
  params: ReadonlyArray<unknown>
): Effect.fn.Return<PassedResult | undefined> {
  const asked = JsonRpcServer.decodeParams(EthMethods.find("eth_call")!, params)
  if (Result.isFailure(asked)) return undefined
  const found = yield* Effect.result(client.call(...(asked.success as Parameters<typeof client.call>)))
  if (Result.isFailure(found)) return undefined
  const { success: verdict } = found
  const answer = CallOutcome.toAnswer(verdict.value)
  if (Result.isSuccess(answer) || answer.failure.reason._tag !== "RemoteError") return undefined
  const { code, data, message } = answer.failure.reason
  return {
    result: { error: { code, message, data } },
    verdict: { ...verdict, _tag: OnlyProven.from(verdict)._tag === "Proven" ? "VERIFIED" : "CLAIMED" }
  }
})
