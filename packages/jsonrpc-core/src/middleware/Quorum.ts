/**
 * A transport over several nodes that returns the answer on which enough of them agree.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { type AnswerOfNode, DisagreementError, JsonRpcError } from "../error/JsonRpcError.ts"
import type { WireCall, WireOutcome, Transport } from "../transport/Transport.ts"
import * as CanonicalJson from "./canonicalJson.ts"
import * as Concurrent from "./concurrent.ts"
import { anotherMayAnswer, type NamedTransport } from "./Fallback.ts"
import * as OptionFault from "./optionFault.ts"

/** The number of nodes that must agree, and the rule that decides whether two results agree. */
export interface QuorumOptions {
  /**
   * Number of nodes that must give the same answer. If `needed` is at most half of the nodes, two answers can reach
   * that number, and the first of the two counts.
   */
  readonly needed: number
  /**
   * Returns a text that is equal for two results that count as the same. Default: `canonical`. If it throws on a
   * result, that result is not an answer.
   */
  readonly canonical?: ((result: unknown, call: WireCall) => string) | undefined
}

/**
 * Asks all nodes at the same time, and returns the answer on which `needed` of them agree.
 *
 * As soon as enough nodes agree, the outcome is the result as the first of these nodes wrote it, and the other calls
 * are interrupted. As soon as agreement is impossible, the call fails with `DisagreementError`, which contains each
 * node's name and answer.
 *
 * Errors of servers are answers too. Errors agree if their code and kind are the same; the outcome is then the first
 * `RemoteError`. Errors about the node rather than the question (`Fallback.anotherMayAnswer`) count only if the nodes
 * agree on no other answer. A fault (no answer, a broken answer) agrees with nothing.
 *
 * Each call of a packet is decided separately. A call that is not idempotent is sent only to the first node, whose
 * answer is the outcome, because several nodes would do the call several times. Honest nodes differ for "latest", so
 * name a block.
 *
 * If `needed` is not a whole number from one to the number of nodes, each call fails with `OptionsError`.
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
 * failed.message // => "m: fewer than 3 of 3 nodes agree"
 * ```
 */
export const make = (nodes: ReadonlyArray<NamedTransport>, options: QuorumOptions): Transport["Service"] => {
  const { needed } = options
  const canonicalOf = options.canonical ?? canonical
  if (nodes.length === 0) {
    return OptionFault.transport("nodes", "must name at least one node")
  }
  if (!Number.isSafeInteger(needed) || needed < 1 || needed > nodes.length) {
    return OptionFault.transport("Quorum.needed", `must be a whole number from 1 to ${nodes.length}, not ${needed}`)
  }

  const keyOf = (said: WireOutcome, call: WireCall): string | undefined => {
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
 * Returns the text by which results are compared: the JSON text with sorted members and with hex strings in lower case.
 *
 * The order of members makes no difference, nor does the case of hex strings, including names of members. Every other
 * difference counts. Wrap this function if nodes are known to differ in a part that you do not need.
 *
 * ```ts import.meta.vitest
 * import { Quorum } from "@plumbline/jsonrpc-core"
 *
 * Quorum.canonical({ to: "0xAB", from: null }) // => '{"from":null,"to":"0xab"}'
 * ```
 */
export const canonical = (result: unknown): string => CanonicalJson.text(result)

/** The answer of one node. Two votes agree if their keys are equal. A vote without a key agrees with nothing. */
interface Vote {
  readonly index: number
  readonly said: WireOutcome
  readonly key: string | undefined
}

/**
 * Returns the largest group of votes that agree, in order of arrival: among the errors about the node, or among all
 * other votes.
 */
const largestGroup = (votes: ReadonlyArray<Vote>, isLesser: boolean): ReadonlyArray<Vote> => {
  const counted = votes.filter(({ key, said }) => key !== undefined && isLesser === isLesserError(said))
  return counted
    .map(({ key }) => counted.filter((other) => other.key === key))
    .reduce((largest, group) => (group.length > largest.length ? group : largest), [])
}

const isLesserError = (said: WireOutcome): boolean => Result.isFailure(said) && anotherMayAnswer(said.failure)

const answerOf = (node: string, vote: Vote | undefined): AnswerOfNode => {
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
