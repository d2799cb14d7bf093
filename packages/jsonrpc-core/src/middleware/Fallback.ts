/**
 * A transport over several nodes, asked one after the other.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { JsonRpcError, Reason } from "../error/JsonRpcError.ts"
import type { RemoteKind } from "../error/RemoteKind.ts"
import type { WireCall, WireOutcome, Transport } from "../transport/Transport.ts"
import { choose, ofNode } from "./answerChoice.ts"
import * as OptionFault from "./optionFault.ts"

/** A transport with a name. The name may appear in errors and logs, so it must not contain a secret. */
export interface NamedTransport {
  readonly name: string
  readonly transport: Transport["Service"]
}

/** Options for the answers after which the next node is asked. */
export interface FallbackOptions {
  /** Returns true for failures after which the next node is asked. Default: `anotherMayAnswer`. */
  readonly when?: ((error: JsonRpcError, call: WireCall) => boolean) | undefined
  /**
   * Returns true for calls whose result of `null` is doubted, because the next node may be ahead. Default: no calls.
   * Use it for lookups by a hash that the caller knows to exist. Elsewhere each `null` costs a call per node.
   */
  readonly onNull?: ((call: WireCall) => boolean) | undefined
}

/**
 * Asks the nodes in order until one has an answer.
 *
 * The next node is asked after a failure of the node rather than of the question (`anotherMayAnswer`). A reverted
 * execution or wrong parameters count as an answer. A call that is not idempotent is sent to the next node only if it
 * certainly was not done (`JsonRpcError.notDone`), even if `when` returns true. The calls of a packet that need another
 * node are sent to it together.
 *
 * A doubted `null` is the answer unless a later node has a result. Errors of later nodes do not replace it. So `null`
 * means "no node that answered knows it", not "it does not exist".
 *
 * If all nodes fail, the most informative error is returned, in this order: a server's error about the question
 * (`notFound`, `pruned`), a server's error about itself, an invalid answer, no answer, and last a node that was not
 * asked at all (`withheld`). Among equal errors, a `retryable` error is returned, or else the error of the first node.
 *
 * Nodes can be at different blocks. If two nodes answer two calls of one operation, "latest" can mean two blocks. So
 * ask for the number or hash of a block once, and name that block in the following calls. A node that does not have the
 * block yet reports that, and the next node is asked.
 *
 * Each call begins with the first node. Put a `CircuitBreaker` around each node, so that a dead node costs little.
 * Without any node, each call fails with `OptionsError`.
 *
 * ```ts import.meta.vitest
 * import { Fallback, JsonRpcError, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const behind = new JsonRpcError.RemoteError({ code: -32000, message: "header not found" })
 * const fails: Transport.Transport["Service"]["call"] = ({ method }) =>
 *   Effect.fail(new JsonRpcError.JsonRpcError({ method, reason: behind }))
 * const works: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x1")
 *
 * const { call } = Fallback.make([
 *   { name: "behind", transport: { call: fails, callAll: Transport.oneByOne(fails) } },
 *   { name: "ahead", transport: { call: works, callAll: Transport.oneByOne(works) } }
 * ])
 * await Effect.runPromise(call({ method: "eth_getBalance", params: [] })) // => "0x1"
 * ```
 */
export const make = (nodes: ReadonlyArray<NamedTransport>, options?: FallbackOptions): Transport["Service"] => {
  if (nodes.length === 0) {
    return OptionFault.transport("nodes", "must name at least one node")
  }
  if (nodes.length === 1) {
    return nodes[0]!.transport
  }
  const when = options?.when ?? anotherMayAnswer
  const onNull = options?.onNull ?? (() => false)
  const last = nodes.length - 1

  const goesOn = (call: WireCall, outcome: WireOutcome): boolean =>
    Result.isSuccess(outcome)
      ? outcome.success === null && call.idempotent !== false && onNull(call)
      : (call.idempotent !== false || outcome.failure.notDone) && when(outcome.failure, call)

  const callFrom = (
    index: number,
    call: WireCall,
    before: WireOutcome | undefined
  ): Effect.Effect<unknown, JsonRpcError> =>
    Effect.flatMap(Effect.result(nodes[index]!.transport.call(call)), (said) => {
      const now = ofNode(said, nodes[index]!.name)
      const isOpen = goesOn(call, now)
      const chosen = choose(before, now, isOpen)
      return isOpen && index < last ? callFrom(index + 1, call, chosen) : Effect.fromResult(chosen)
    })

  const callAll = (calls: ReadonlyArray<WireCall>): Effect.Effect<ReadonlyArray<WireOutcome>> => {
    const outcomes: Array<WireOutcome> = []
    const allFrom = (index: number, open: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<WireOutcome>> =>
      Effect.flatMap(nodes[index]!.transport.callAll(open.map((at) => calls[at]!)), (replies) => {
        const stillOpen: Array<number> = []
        open.forEach((at, position) => {
          const now = ofNode(replies[position]!, nodes[index]!.name)
          const isOpen = goesOn(calls[at]!, now)
          outcomes[at] = choose(outcomes[at], now, isOpen)
          if (isOpen) {
            stillOpen.push(at)
          }
        })
        return stillOpen.length > 0 && index < last ? allFrom(index + 1, stillOpen) : Effect.succeed(outcomes)
      })
    return allFrom(0, [...calls.keys()])
  }

  return {
    call: (call) => callFrom(0, call, undefined),
    callAll: (calls) => Effect.suspend(() => callAll(calls))
  }
}

/**
 * True for a failure of the node rather than of the question, so that another node may have the answer.
 *
 * This holds for every fault of the connection (`TransportError`, `TimeoutError`), for every invalid answer
 * (`ProtocolError`, `DecodeError`, `DisagreementError`), and for errors of these kinds: `rateLimited`, `quotaExceeded`,
 * `unauthorized`, `unavailable`, `timedOut`, `internal`, `batchTooLarge`, `methodNotFound`, `notFound`, `pruned`.
 *
 * ```ts import.meta.vitest
 * import { Fallback, JsonRpcError } from "@plumbline/jsonrpc-core"
 *
 * const said = (code: number, message: string) =>
 *   new JsonRpcError.JsonRpcError({ method: "m", reason: new JsonRpcError.RemoteError({ code, message }) })
 * Fallback.anotherMayAnswer(said(-32000, "header not found")) // => true
 * Fallback.anotherMayAnswer(said(3, "execution reverted")) // => false
 * ```
 */
export const anotherMayAnswer = ({ reason }: JsonRpcError): boolean =>
  reason._tag === "RemoteError" ? aboutTheNode.has(reason.kind) : !aboutTheCaller.has(reason._tag)

const aboutTheCaller: ReadonlySet<Reason["_tag"]> = /* @__PURE__ */ new Set(["EncodeError", "OptionsError"])

const aboutTheNode: ReadonlySet<RemoteKind> = /* @__PURE__ */ new Set([
  "rateLimited",
  "quotaExceeded",
  "unauthorized",
  "unavailable",
  "timedOut",
  "internal",
  "batchTooLarge",
  "methodNotFound",
  "notFound",
  "pruned"
])
