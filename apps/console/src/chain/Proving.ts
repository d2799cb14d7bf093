/**
 * Answers JSON-RPC questions with a verdict: it sends a method and its parameters over the page's transport, and proves
 * the answer in this page.
 */
import type { CallBasis } from "@plumbline/eth-methods/call/CallEngine"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { type Middleware, Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Anchor from "@plumbline/verdict/Anchor"
import type * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import * as CallReads from "./CallReads.ts"
import { NetworkClients } from "./NetworkClients.ts"

/** A question: the method and the parameters of a JSON-RPC request. */
export interface RpcQuestion {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A call that the page sent for one question. A proof can take several calls. */
export interface SentCall extends RpcQuestion {
  /** The error of the call, if it failed. */
  readonly error: JsonRpcError | undefined
}

/** The reason why there is no answer. */
export interface ProvingFailure {
  /** The tag of the error, such as `RemoteError` or `TimeoutError`. */
  readonly kind: string
  /** The code of a JSON-RPC error, if the node sent one. */
  readonly code: number | undefined
  /** The HTTP status, if there is one. */
  readonly status: number | undefined
  /** The seconds after which the service will answer again, if it says so. */
  readonly retryAfter: number | undefined
  readonly message: string
}

/** The outcome of a question. */
export type ProvingOutcome =
  | {
      readonly _tag: "VERIFIED"
      readonly result: unknown
      readonly anchor: Anchor.Anchor
      readonly proven: ReadonlyArray<string>
      readonly claimed: ReadonlyArray<Claim.ClaimSentence>
      /** The basis of a call that was run in this page. */
      readonly call?: CallBasis | undefined
    }
  | {
      readonly _tag: "CLAIMED"
      readonly result: unknown
      readonly proven: ReadonlyArray<string>
      readonly claimed: ReadonlyArray<Claim.ClaimSentence>
      readonly call?: CallBasis | undefined
    }
  | { readonly _tag: "REFUTED"; readonly check: string; readonly expected: string; readonly got: string }
  | { readonly _tag: "FAILED"; readonly failure: ProvingFailure }

/** An outcome with the calls that led to it. */
export interface Answered {
  readonly question: RpcQuestion
  readonly outcome: ProvingOutcome
  readonly sent: ReadonlyArray<SentCall>
}

/** Sends a question, and proves as much of the answer as possible. Never fails: an error is an outcome. */
export const ask = Effect.fnUntraced(function* (
  question: RpcQuestion
): Effect.fn.Return<Answered, never, NetworkClients | Transport> {
  const [answered] = yield* askAll([question])
  return answered!
})

/**
 * Sends questions one after the other. One proving node answers all of them, and remembers what it proved. With `runsCalls`
 * set to false, `eth_call` is asked of the node; by default, the page runs calls itself.
 */
export const askAll = Effect.fnUntraced(function* (
  questions: ReadonlyArray<RpcQuestion>,
  { runsCalls = true }: { readonly runsCalls?: boolean } = {}
): Effect.fn.Return<ReadonlyArray<Answered>, never, NetworkClients | Transport> {
  const { network, trust } = yield* NetworkClients
  const { TrustedBlock } = yield* Effect.promise(() => import("@plumbline/eth-methods/trust/TrustedBlock"))
  const [ProvingNode, ProviderRefusal, OnlyProven] = yield* Effect.promise(() =>
    Promise.all([
      import("@plumbline/provider/node/ProvingNode"),
      import("@plumbline/provider/node/ProviderRefusal"),
      import("@plumbline/eth-methods/verified/OnlyProven")
    ])
  )
  /** Returns the outcome of a call that reverted or halted, which follows from the state as a result does. */
  const endOf = (error: ErrorObject): ProvingOutcome | undefined => {
    const verdict = ProviderRefusal.verdictOf(error)
    if (verdict === undefined) return undefined
    const isProven = OnlyProven.from(verdict)._tag === "Proven"
    return passed({ result: { error }, verdict: { ...verdict, _tag: isProven ? "VERIFIED" : "CLAIMED" } })
  }
  const transport = yield* Transport
  const log: Array<SentCall> = []
  const { chainIdOf, engineOf } = yield* Effect.promise(() => import("./NetworkRules.ts"))
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const node = yield* ProvingNode.make({
        unprovable: "mark",
        chainId: chainIdOf(network),
        calls: runsCalls ? engineOf(network) : undefined
      })
      const answers: Array<Answered> = []
      for (const question of questions) {
        const from = log.length
        const result = yield* Effect.result(node.answer(question))
        const sent = log.slice(from)
        answers.push({
          question,
          sent,
          outcome: Result.isSuccess(result)
            ? passed(result.success)
            : (endOf(result.failure) ?? refused(result.failure, sent))
        })
      }
      return answers
    })
  ).pipe(Effect.provideService(TrustedBlock, trust), Effect.provideService(Transport, recorded(log)(transport)))
})

/** Sends a question without proving the answer, for methods that this page cannot prove. */
export const believe = Effect.fnUntraced(function* (
  question: RpcQuestion,
  reason: string
): Effect.fn.Return<Answered, never, Transport> {
  const transport = yield* Transport
  const found = yield* Effect.result(transport.call({ ...question, idempotent: false }))
  const error = Result.isFailure(found) ? found.failure : undefined
  return {
    question,
    sent: [{ ...question, error }],
    outcome: Result.isSuccess(found)
      ? { _tag: "CLAIMED", result: found.success, proven: [], claimed: [{ field: "value", reason }] }
      : { _tag: "FAILED", failure: failureOf(found.failure) }
  }
})

/** Returns the parts of an error that a page shows: its kind, code, status and sentence. */
export const failureOf = ({ reason }: JsonRpcError): ProvingFailure => {
  const { _tag, message } = reason
  const { code, retryAfter, status } = reason as {
    readonly code?: number
    readonly status?: number
    readonly retryAfter?: Duration.Duration
  }
  return {
    kind: _tag,
    code,
    status,
    retryAfter: retryAfter === undefined ? undefined : Math.ceil(Duration.toSeconds(retryAfter)),
    message
  }
}

/** Maximum number of recorded calls for one question. */
const MAX_SENT = 200

/** Records each call with its error. */
const recorded =
  (log: Array<SentCall>): Middleware =>
  (node) => ({
    call: (call) =>
      Effect.tapError(
        Effect.tap(node.call(call), () => keep(log, { ...call, error: undefined })),
        (error) => keep(log, { ...call, error })
      ),
    callAll: (calls) =>
      Effect.tap(node.callAll(calls), (outcomes) =>
        Effect.forEach(calls, (call, at) => {
          const outcome = outcomes[at]
          return keep(log, {
            ...call,
            error: outcome !== undefined && Result.isFailure(outcome) ? outcome.failure : undefined
          })
        })
      )
  })

const keep = (log: Array<SentCall>, { error, method, params }: SentCall): Effect.Effect<void> =>
  Effect.sync(() => {
    if (log.length < MAX_SENT) log.push({ method, params, error })
  })

/** A result in wire form, and the verdict on it. */
export interface PassedResult {
  readonly result: unknown
  readonly verdict: {
    readonly _tag: "VERIFIED" | "CLAIMED"
    readonly anchor: Anchor.Anchor | Anchor.WeakAnchor | null
    readonly proven: ReadonlyArray<Evidence.Evidence>
    readonly claimed: ReadonlyArray<Claim.Claim>
  }
}

/** Returns the outcome of a verdict. */
export const passed = ({ result, verdict }: PassedResult): ProvingOutcome => {
  const proven = [...new Set(verdict.proven.map(({ sentence }) => sentence))]
  const claimed = verdict.claimed.map(({ field, reason }) => ({ field, reason: reason.sentence }))
  const { anchor } = verdict
  const call = CallReads.basisOf(verdict.proven)
  return verdict._tag === "VERIFIED" && anchor !== null && !Anchor.isWeak(anchor)
    ? { _tag: "VERIFIED", result, anchor, proven, claimed, call }
    : { _tag: "CLAIMED", result, proven, claimed, call }
}

const refused = (
  error: { readonly code: number; readonly message: string; readonly data?: unknown },
  sent: ReadonlyArray<SentCall>
): ProvingOutcome => {
  const data = error.data as { readonly check?: string; readonly expected?: string; readonly got?: string } | undefined
  if (error.code === REFUTED && data?.check !== undefined) {
    return { _tag: "REFUTED", check: data.check, expected: data.expected ?? "", got: data.got ?? "" }
  }
  const last = sent.findLast((one) => one.error !== undefined)?.error
  if (last !== undefined) return { _tag: "FAILED", failure: failureOf(last) }
  const kind = error.code === INVALID_PARAMS ? "InvalidParams" : "NoAnswer"
  return {
    _tag: "FAILED",
    failure: { kind, code: error.code, status: undefined, retryAfter: undefined, message: error.message }
  }
}

/** The proving node's error codes for a refuted answer, and for parameters that no method accepts. */
const REFUTED = -32_099
const INVALID_PARAMS = -32_602
