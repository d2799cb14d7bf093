/**
 * A transport over several nodes that gives what enough of them agree on.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { type Answer, DisagreementError, JsonRpcError } from "../error/JsonRpcError.ts"
import type { Call, Outcome, Transport } from "../transport/Transport.ts"
import * as CanonicalJson from "./canonicalJson.ts"
import * as Concurrent from "./concurrent.ts"
import { anotherMayAnswer, type Node } from "./Fallback.ts"

/** How many must agree, and on what. */
export interface Options {
  /** So many nodes must give the same answer. With half of them or fewer, the quicker of two answers counts. */
  readonly needed: number
  /**
   * A text that is equal for two results that count as the same. Default: `canonical`. A result on which it throws is not
   * an answer.
   */
  readonly canonical?: ((result: unknown, call: Call) => string) | undefined
}

/**
 * Asks all nodes at the same time, and gives the answer that `needed` of them agree on.
 *
 * It answers as soon as enough agree, as the first of them wrote it, and interrupts the rest. As soon as no agreement is
 * possible any more it fails with `DisagreementError`, which holds each node's name and what it said.
 *
 * Errors of servers are answers too: they agree when code and kind are the same, and the `RemoteError` of the first of
 * them is the outcome. Those that say more about the node than about the question (`Fallback.anotherMayAnswer`) count
 * only when the nodes can agree on nothing better. A fault (no answer, a broken answer) agrees with nothing.
 *
 * Of a packet each call is decided by itself. A call that is not idempotent goes to the first node only, and what that
 * says is the outcome: asking several would do it several times. For "latest" nodes differ honestly, so name a block.
 *
 * A `needed` that is no whole number from one to the number of nodes is a mistake of the program, and throws.
 *
 * ```ts import.meta.vitest
 * import { Quorum, Transport } from "@plumbline/jsonrpc-core"
 * import { Effect } from "effect"
 *
 * const node = (name: string, result: unknown) => {
 *   const call = () => Effect.succeed(result)
 *   return { name, transport: Transport.Transport.of({ call, callAll: Transport.oneByOne(call) }) }
 * }
 * const nodes = [node("a", "0xAB"), node("b", "0xab"), node("liar", "0x00")]
 * await Effect.runPromise(Quorum.make(nodes, { needed: 2 }).call({ method: "m", params: [] })) // => "0xAB"
 *
 * const failed = await Effect.runPromise(Effect.flip(Quorum.make(nodes, { needed: 3 }).call({ method: "m", params: [] })))
 * failed.message // => "m: DisagreementError: fewer than 3 of 3 nodes agree"
 * ```
 */
export const make = (nodes: ReadonlyArray<Node>, options: Options): Transport["Service"] => {
  const { needed } = options
  const canonicalOf = options.canonical ?? canonical
  if (!Number.isSafeInteger(needed) || needed < 1 || needed > nodes.length) {
    throw new RangeError(`Quorum: needed must be a whole number from 1 to ${nodes.length}, not ${needed}`)
  }

  const keyOf = (said: Outcome, call: Call): string | undefined => {
    if (Result.isFailure(said)) {
      const { reason } = said.failure
      return reason._tag === "RemoteError" ? `error ${reason.code} ${reason.kind}` : undefined
    }
    try {
      return `result ${canonicalOf(said.success, call)}`
    } catch {
      return undefined
    }
  }

  return Concurrent.make(nodes, (calls) => {
    const polls = calls.map((): Array<Vote> => [])
    return {
      turn: () => Effect.void,
      hear: (at, index, said) => {
        const call = calls[at]!
        const votes = polls[at]!
        votes.push({ index, said, key: keyOf(said, call) })
        const missing = nodes.length - votes.length
        for (const isLesser of [false, true]) {
          const group = largestGroup(votes, isLesser)
          if (group.length >= needed) {
            return group[0]!.said
          }
          if (group.length + missing >= needed) {
            return undefined
          }
        }
        const answers = nodes.map(({ name }, index) =>
          answerOf(
            name,
            votes.find((vote) => vote.index === index)
          )
        )
        return Result.fail(
          new JsonRpcError({ method: call.method, reason: new DisagreementError({ needed, answers }) })
        )
      }
    }
  })
}

/**
 * What two results are compared by: the JSON text with members in order and hex strings in lower case.
 *
 * So the order of members does not matter, nor the case of hex strings, names of members included. Anything else does.
 * Build on it where nodes are known to differ in something that you do not need.
 *
 * ```ts import.meta.vitest
 * import { Quorum } from "@plumbline/jsonrpc-core"
 *
 * Quorum.canonical({ to: "0xAB", from: null }) // => '{"from":null,"to":"0xab"}'
 * ```
 */
export const canonical = (result: unknown): string => CanonicalJson.text(result)

/** What one node said. Two agree when their keys are equal; without a key it agrees with nothing. */
interface Vote {
  readonly index: number
  readonly said: Outcome
  readonly key: string | undefined
}

/** The most votes that agree, the earliest first: among the lesser errors, or among all else. */
const largestGroup = (votes: ReadonlyArray<Vote>, isLesser: boolean): ReadonlyArray<Vote> => {
  const counted = votes.filter(({ key, said }) => key !== undefined && isLesser === isLesserError(said))
  return counted
    .map(({ key }) => counted.filter((other) => other.key === key))
    .reduce((largest, group) => (group.length > largest.length ? group : largest), [])
}

const isLesserError = (said: Outcome): boolean => Result.isFailure(said) && anotherMayAnswer(said.failure)

const answerOf = (node: string, vote: Vote | undefined): Answer => {
  if (vote === undefined) {
    return { node, error: "not waited for" }
  }
  if (Result.isFailure(vote.said)) {
    return { node, error: vote.said.failure.message }
  }
  return vote.key === undefined
    ? { node, error: "a result that cannot be compared" }
    : { node, result: vote.said.success }
}
