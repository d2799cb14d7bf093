/** Turns the outcome of a call, which was run here or is the node's word, into the answer of its method. */
import * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import type { Client, RunName } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import * as ProviderRefusal from "./ProviderRefusal.ts"

/** Returns the read of the client that runs the method; undefined for a method that runs nothing. */
export const runOf = (client: Client, method: string): Client[RunName] | undefined => {
  const name = RUNS.get(method)
  return name === undefined ? undefined : client[name]
}

const RUNS: ReadonlyMap<string, RunName> = new Map([
  ["eth_call", "call"],
  ["eth_estimateGas", "estimateGas"],
  ["eth_createAccessList", "createAccessList"],
  ["eth_simulateV1", "simulate"]
])

/**
 * Returns the node's answer to a method as the outcome that has this answer. So every outcome is made here, whatever
 * fields a node adds to its answer.
 */
export const ofNode = (method: string, answer: unknown): CallOutcome.AnyOutcome => {
  switch (method) {
    case "eth_estimateGas":
      return { _tag: "Estimated", gas: answer as bigint, tooLow: 0n }
    case "eth_createAccessList":
      return { _tag: "Listed", list: answer as CallOutcome.Listed["list"] }
    case "eth_simulateV1":
      return { _tag: "Simulated", blocks: answer as CallOutcome.Simulated["blocks"] }
    default:
      return { _tag: "Returned", data: answer as CallOutcome.Returned["data"], gasUsed: 0n }
  }
}

/** The node's own error about a call, where the policy lets the node's word pass. */
export interface NodeError {
  readonly _tag: "NodeError"
  readonly error: JsonRpcError
}

/** Returns the verdict about the answer, or the error that a node answers with, which keeps the verdict. */
export const of = (
  method: string,
  verdict: Verdict<CallOutcome.AnyOutcome | NodeError>
): Result.Result<Verdict<unknown>, ErrorObject.ErrorObject> =>
  Result.mapBoth(answerOf(method, verdict.value), {
    onFailure: (error) => ProviderRefusal.withVerdict(ProviderRefusal.failed(error), verdict),
    onSuccess: (answer) => map(verdict, (): unknown => answer, { claims: (claim) => [claim] })
  })

const answerOf = (method: string, outcome: CallOutcome.AnyOutcome | NodeError) =>
  outcome._tag === "NodeError" ? Result.fail(outcome.error) : CallOutcome.toAnswer(outcome, method)

/**
 * Returns the error of a run that gave no answer. If the node failed a read, its error has no data, and no text that is
 * JSON: clients take both for the data of a revert, and follow an `OffchainLookup` in it (EIP-3668).
 */
export const failed = (error: JsonRpcError): ErrorObject.ErrorObject => {
  const failure = ProviderRefusal.failed(error)
  if (error.reason._tag !== "RemoteError") return failure
  return ErrorObject.make(failure.code, JSON_TEXT.test(failure.message) ? error.message : failure.message)
}

/** Matches a text that can be JSON. ethers searches it for the data of a revert. */
const JSON_TEXT = /^\s*[{["]/u
