/**
 * A transport over several nodes, asked one after the other.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { RemoteKind } from "../error/RemoteKind.ts"
import type { Call, Outcome, Transport } from "../transport/Transport.ts"
import { choose } from "./telling.ts"

/** A transport with a name. The name may appear in errors and logs: it must not hold a secret. */
export interface Node {
  readonly name: string
  readonly transport: Transport["Service"]
}

/** When the next node is asked. */
export interface Options {
  /** Which failures the next node is asked after. Default: `anotherMayAnswer`. */
  readonly when?: ((error: JsonRpcError, call: Call) => boolean) | undefined
  /**
   * Of which calls a result of `null` is doubted: the next node may be ahead. Default: of none. Good for what is looked up
   * by a hash that the caller knows to exist; elsewhere each `null` costs a call per node.
   */
  readonly onNull?: ((call: Call) => boolean) | undefined
}

/**
 * Asks the nodes in their order until one has an answer.
 *
 * The next node is asked after a failure that says more about the node than about the question (`anotherMayAnswer`). A
 * reverted execution or wrong parameters are an answer. A call that is not idempotent goes on only when it is known that
 * it was not done (`JsonRpcError.notDone`), whatever `when` says. Of a packet the calls that qualify go on together.
 *
 * A `null` that is doubted is the answer unless a later node has a result: the errors of later nodes do not undo what one
 * node said. So it means "no node that answered knows it", not "it does not exist".
 *
 * When all nodes failed, the error is the most telling of theirs: what a server said about the question (`notFound`,
 * `pruned`), else what a server said about itself, else an answer that is none, else that no answer came, else that a
 * node was not asked at all (`withheld`). Of equals it is one that is `retryable`, and else the first node's.
 *
 * Nodes are not equally far: two calls of one operation may be answered by two nodes, and "latest" then is two blocks.
 * Ask for the number or hash of a block once, and name it in the calls that follow. A node that does not have it yet says
 * so, and the next one is asked.
 *
 * Each call begins with the first node. What makes a dead one cheap is a `CircuitBreaker` around it. No node at all is a
 * mistake of the program, and throws.
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
export const make = (nodes: ReadonlyArray<Node>, options?: Options): Transport["Service"] => {
  if (nodes.length === 0) {
    throw new RangeError("Fallback: no nodes")
  }
  if (nodes.length === 1) {
    return nodes[0]!.transport
  }
  const when = options?.when ?? anotherMayAnswer
  const onNull = options?.onNull ?? (() => false)
  const last = nodes.length - 1

  const goesOn = (call: Call, outcome: Outcome): boolean =>
    Result.isSuccess(outcome)
      ? outcome.success === null && call.idempotent !== false && onNull(call)
      : (call.idempotent !== false || outcome.failure.notDone) && when(outcome.failure, call)

  const callFrom = (index: number, call: Call, before: Outcome | undefined): Effect.Effect<unknown, JsonRpcError> =>
    Effect.flatMap(Effect.result(nodes[index]!.transport.call(call)), (now) => {
      const isOpen = goesOn(call, now)
      const chosen = choose(before, now, isOpen)
      return isOpen && index < last ? callFrom(index + 1, call, chosen) : Effect.fromResult(chosen)
    })

  const callAll = (calls: ReadonlyArray<Call>): Effect.Effect<ReadonlyArray<Outcome>> => {
    const outcomes: Array<Outcome> = []
    const allFrom = (index: number, open: ReadonlyArray<number>): Effect.Effect<ReadonlyArray<Outcome>> =>
      Effect.flatMap(nodes[index]!.transport.callAll(open.map((at) => calls[at]!)), (replies) => {
        const stillOpen: Array<number> = []
        open.forEach((at, position) => {
          const now = replies[position]!
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
 * Whether a failure says more about the node than about the question, so that another node may have the answer.
 *
 * So it is with every fault of the way (`TransportError`, `TimeoutError`) and every answer that is none (`ProtocolError`,
 * `DecodeError`, `DisagreementError`), and with errors of these kinds: `rateLimited`, `quotaExceeded`, `unauthorized`,
 * `unavailable`, `timedOut`, `internal`, `batchTooLarge`, `methodNotFound`, `notFound`, `pruned`.
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
  reason._tag === "RemoteError" ? aboutTheNode.has(reason.kind) : reason._tag !== "EncodeError"

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
