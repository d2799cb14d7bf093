/** A transport over several nodes that asks the next node when an answer is slow. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Result from "effect/Result"

import type { JsonRpcError } from "../error/JsonRpcError.ts"
import type { WireCall, WireOutcome, Transport } from "../transport/Transport.ts"
import { choose, ofNode } from "./answerChoice.ts"
import * as Concurrent from "./concurrent.ts"
import { anotherMayAnswer, type NamedTransport } from "./Fallback.ts"
import * as OptionFault from "./optionFault.ts"

/** The delay and the failures after which the next node is asked. */
export interface HedgeOptions {
  /**
   * Time without an answer after which the next node is asked as well. A good value is the time within which 19 of 20
   * answers arrive.
   */
  readonly delay: Duration.Input
  /** Returns true for failures after which the next node is asked at once. Default: `Fallback.anotherMayAnswer`. */
  readonly when?: ((error: JsonRpcError, call: WireCall) => boolean) | undefined
}

/**
 * Asks the first node, and the next one too if an answer is slow. The second node is asked if no answer came within
 * `delay`, or at once if the first failed in a way that may not affect another node. The third follows after twice the
 * delay, or when the second fails, and so on. The first good answer counts, and the other nodes are interrupted. Each
 * node is asked at most once.
 *
 * An answer is good if it is a result, or an error for which `when` is false, such as a reverted execution or wrong
 * parameters. If no node has a good answer, the error is the most informative of the nodes' errors, as with `Fallback`.
 *
 * The next node gets all calls of a packet that have no good answer yet. A call that is not idempotent is sent only to
 * the first node. Without any node, each call fails with `OptionsError`.
 *
 * ```ts import.meta.vitest
 * import { Hedge, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const slow: Transport.Transport["Service"]["call"] = () => Effect.never
 * const quick: Transport.Transport["Service"]["call"] = () => Effect.succeed("0x1")
 *
 * const { call } = Hedge.make(
 *   [
 *     { name: "slow", transport: { call: slow, callAll: Transport.oneByOne(slow) } },
 *     { name: "quick", transport: { call: quick, callAll: Transport.oneByOne(quick) } }
 *   ],
 *   { delay: "10 millis" }
 * )
 * await Effect.runPromise(call({ method: "eth_chainId", params: [] })) // => "0x1"
 * ```
 */
export const make = (nodes: ReadonlyArray<NamedTransport>, options: HedgeOptions): Transport["Service"] => {
  if (nodes.length === 0) {
    return OptionFault.transport("nodes", "must name at least one node")
  }
  const delay = Duration.toMillis(options.delay)
  const when = options.when ?? anotherMayAnswer

  return Concurrent.make(nodes, (calls) => {
    const turns = nodes.map((_, index) => Latch.makeUnsafe(index === 0))
    const best = new Map<number, WireOutcome>()
    const answers = calls.map(() => 0)

    return {
      turn: (index) =>
        Effect.timeoutOrElse(turns[index]!.await, { duration: delay * index, orElse: () => Effect.void }),
      hear: (at, index, answer) => {
        const said = ofNode(answer, nodes[index]!.name)
        const isOpen = Result.isFailure(said) && when(said.failure, calls[at]!)
        const outcome = choose(best.get(at), said, isOpen)
        answers[at]!++
        if (!isOpen || answers[at] === nodes.length) {
          return outcome
        }
        best.set(at, outcome)
        turns[index + 1]?.openUnsafe()
        return undefined
      }
    }
  })
}
