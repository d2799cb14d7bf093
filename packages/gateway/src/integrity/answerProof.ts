/** Proves the answers of one node with `ProvingNode`. */
import type { CallEngine, CallRun } from "@plumbline/eth-methods/call/CallEngine"
import type { AnyOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type { OfChain } from "@plumbline/eth-methods/proof/Verify"
import type * as SenderRecovery from "@plumbline/eth-methods/sender/SenderRecovery"
import { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as ProviderRefusal from "@plumbline/provider/node/ProviderRefusal"
import * as ProvingNode from "@plumbline/provider/node/ProvingNode"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Predicate from "effect/Predicate"
import type * as Scope from "effect/Scope"

import * as PoolNodeRefusal from "../networks/pool/nodeRefusal.ts"
import type { Upstream, UpstreamAnswer } from "../networks/Upstream.ts"
import type { UpstreamError } from "../networks/UpstreamError.ts"
import * as AnswerVerdict from "./answerVerdict.ts"
import * as Faults from "./faults.ts"
import * as NodeTransport from "./nodeTransport.ts"

/** Asks a node, with an empty record of the call. The verdict is attached to the answer. */
export type AskProven = (
  method: string,
  params: ReadonlyArray<unknown>,
  record: NodeTransport.AnswerLedger
) => Effect.Effect<UpstreamAnswer, ErrorObject | UpstreamError>

/** The options of `make`. */
export interface AnswerProofOptions {
  readonly unprovable: "refuse" | "mark"
  readonly chain: OfChain
  readonly trust: TrustedBlock["Service"]
  readonly recovery: SenderRecovery.RecoveryEngine | undefined
  readonly calls: CallEngine | undefined
  /** Maximum work to prove the logs of one range. */
  readonly logWork: number
  /** Maximum time for it, in milliseconds. */
  readonly logTime: number | undefined
}

/** Makes the function that asks a node and proves its answers. */
export const make = Effect.fnUntraced(function* (
  name: string,
  upstream: Upstream,
  { calls, chain, logTime, logWork, recovery, trust, unprovable }: AnswerProofOptions
): Effect.fn.Return<AskProven, never, Scope.Scope> {
  const node = yield* ProvingNode.make({
    ...chain,
    unprovable,
    recovery,
    calls: calls && notingBounds(calls),
    maxLogWork: logWork,
    maxLogTime: logTime
  }).pipe(
    Effect.provideService(Transport, NodeTransport.make(upstream)),
    Effect.provideService(TrustedBlock, noting(trust))
  )
  return (method, params, record) =>
    Effect.suspend(() =>
      Effect.matchEffect(Effect.provideService(node.answer({ method, params }), NodeTransport.Current, record), {
        onFailure: (error) => {
          const verdict = ProviderRefusal.verdictOf(error)
          return Exit.fail(
            verdict === undefined
              ? failure(error, record, method)
              : AnswerVerdict.attachToError(error, AnswerVerdict.of(verdict, name))
          )
        },
        onSuccess: ({ result, verdict }) =>
          Exit.succeed(
            AnswerVerdict.attach(encoder.encode(JSON.stringify(result) ?? "null"), AnswerVerdict.of(verdict, name))
          )
      })
    )
})

/** Wraps a source of trust and records its failures, because the node is not at fault for them. */
const noting = ({ resolve }: TrustedBlock["Service"]): TrustedBlock["Service"] => ({
  resolve: (block) =>
    Effect.tapError(resolve(block), () =>
      Effect.map(NodeTransport.Current, (record) => {
        record.isTrustless = true
      })
    )
})

/** Wraps an engine and records the calls that it cannot run for any node: they reach a bound, or need what it lacks. */
const notingBounds = ({ name, over }: CallEngine): CallEngine => ({
  name,
  over: (node, chainId) => {
    const { createAccessList, estimateGas, hint, run, simulate } = over(node, chainId)
    return {
      hint,
      run: notingBound(run),
      createAccessList: notingBound(createAccessList),
      estimateGas: notingBound(estimateGas),
      simulate: notingBound(simulate)
    }
  }
})

/** Wraps one method of an engine. */
const notingBound =
  <O extends AnyOutcome, Request>(run: CallRun<O, Request>): CallRun<O, Request> =>
  (...call) =>
    Effect.tapError(run(...call), (error) =>
      error._tag === "CallError" && error.reason._tag !== "Unavailable"
        ? Effect.map(NodeTransport.Current, (record) => {
            record.isNotRun = true
          })
        : Effect.void
    )

/**
 * Returns a fault of the node for a lie, a missing proof or a transport failure, so that another node is asked. Other
 * errors are returned as they are, as the answer to the caller.
 */
const failure = (
  error: ErrorObject,
  record: NodeTransport.AnswerLedger,
  method: string
): ErrorObject | UpstreamError => {
  if (record.isTrustless || record.asked === 0) return error
  // the node's own error, whatever its code: a code of ours in it must not hide a lie
  if (!ProviderRefusal.isOwn(error) && error.code === record.refusal?.code) {
    // the pool asks each other node after an error about the node. Nothing proves one about the question, so a liar must
    // not end a read with it
    return READS.test(method) && !PoolNodeRefusal.isOfNode(error) ? Faults.unproven(error) : error
  }
  switch (error.code) {
    case ProviderRefusal.OUT_OF_BOUNDS:
      return ProviderRefusal.isLate(error) ? Faults.unproven(error) : error
    case ProviderRefusal.REFUTED:
      return Faults.refuted(readRefuted(error), ProviderRefusal.anchorOf(error), record.result)
    case ProviderRefusal.UNPROVEN:
    case ProviderRefusal.UNAVAILABLE:
      return record.isNotRun ? error : Faults.unproven(error)
    case ProviderRefusal.DISCONNECTED:
    case ErrorCode.RESOURCE_UNAVAILABLE:
      return record.fault ?? Faults.unproven(error)
    default:
      return error
  }
}

/** Matches the methods that read. A transaction is sent to one node, whose error is the answer. */
const READS = /^eth_get/u

const readRefuted = ({ data, message }: ErrorObject) => {
  const member = (name: string): string =>
    Predicate.hasProperty(data, name) && Predicate.isString(data[name]) ? data[name] : ""
  return { check: member("check") || message, expected: member("expected"), got: member("got") }
}

const encoder = new TextEncoder()
