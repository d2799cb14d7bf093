/**
 * Asks several nodes the same question, and returns the answer on which enough of them agree. Nodes of one operator have
 * one vote.
 */
import * as RemoteKind from "@plumbline/jsonrpc-core/error/RemoteKind"
import * as Quorum from "@plumbline/jsonrpc-core/middleware/Quorum"
import * as JsonBytes from "@plumbline/jsonrpc-core/scan/JsonBytes"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import { UpstreamError } from "../UpstreamError.ts"
import type { ChainIdCheck } from "./chainIdCheck.ts"
import { type AskNode, type NodeEffect, type NodeFailure, isFaultOfNode } from "./nodeCall.ts"
import type { NodeChoice, IsSuitable } from "./nodeRank.ts"
import * as PoolNodeRefusal from "./nodeRefusal.ts"
import type { RoutedCall } from "./poolCall.ts"
import type { PoolFailover } from "./poolFailover.ts"
import type { PoolMember } from "./poolMember.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

/** The answer of one node. Answers agree if their keys are equal. */
interface Vote {
  readonly member: PoolMember
  readonly key: string
  readonly exit: Exit.Exit<Uint8Array, NodeFailure>
}

export type AskQuorum = (question: RoutedCall, ask: AskNode<Uint8Array>) => NodeEffect<Uint8Array>

/**
 * Asks `of` nodes at the same time. If a node gives no answer, the next node replaces it. The result is the bytes of
 * the first of the agreeing nodes. Calls that still run are cancelled.
 */
export const make = (
  settings: ResolvedPoolSettings,
  choice: NodeChoice,
  tries: PoolFailover,
  ofChain: ChainIdCheck
): AskQuorum => {
  const { agree, of } = settings.quorum!

  return (question, ask) =>
    Effect.clockWith((clock) => {
      const end = Monotonic.millis(clock) + settings.timeout
      const done = Deferred.makeUnsafe<Uint8Array, NodeFailure>()
      const asked: Array<PoolMember> = []
      /** The operators that are asked now, or that have voted. */
      const seated = new Set<string>()
      const isNew: IsSuitable = ({ operator }) => !seated.has(operator)
      const votes: Array<Vote> = []
      let first: NodeFailure | undefined
      let isDecided = false

      /** Counts a vote. Returns the next step. */
      const count = (vote: Vote): Effect.Effect<void> => {
        if (isDecided) return Effect.void
        votes.push(vote)
        const same = votes.filter(({ key }) => key === vote.key)
        if (same.length < agree) return Effect.void
        isDecided = true
        const others = votes.filter(({ key }) => key !== vote.key)
        return Effect.andThen(disagreed(question, others), Deferred.done(done, same[0]!.exit))
      }

      /** Asks one node after another until one of them votes. */
      const seat: Effect.Effect<void> = Effect.suspend(() => {
        const now = Monotonic.millis(clock)
        const member = isDecided || now >= end ? undefined : choice.next(question, asked, now, isNew)
        if (member === undefined) return Effect.void
        asked.push(member)
        const barrier = member.barrier(question, now)
        if (barrier !== undefined) {
          first ??= barrier
          return seat
        }
        seated.add(member.operator)
        const left = Math.min(end - now, choice.hasAnother(question, asked, now) ? settings.tryTimeout : Infinity)
        return Effect.flatMap(
          Effect.exit(tries.attempt(member, ofChain(member, ask, left), question, clock, left)),
          (exit) => {
            if (Exit.isSuccess(exit)) return count({ member, key: keyOf(exit.value), exit })
            const error = Exit.findErrorOption(exit)
            if (error._tag === "None") return Effect.interrupt
            const failure = error.value
            if (!isFaultOfNode(failure) && PoolNodeRefusal.of(failure, question.trait) === undefined) {
              return count({ member, key: keyOfError(failure), exit })
            }
            first ??= failure
            seated.delete(member.operator)
            return seat
          }
        )
      })

      const seats = Effect.forEach(Array.from({ length: of }), () => seat, { concurrency: "unbounded", discard: true })
      const undecided = Effect.suspend(() => {
        if (isDecided) return Effect.never
        if (votes.length === 0 && first !== undefined) return Effect.fail(first)
        const most = Math.max(0, ...votes.map(({ key }) => votes.filter((other) => other.key === key).length))
        const reason = { _tag: "Disagreement", agreed: most, needed: agree, answered: votes.length } as const
        return Effect.andThen(
          most === votes.length ? Effect.void : disagreed(question, votes),
          Effect.fail(new UpstreamError({ reason }))
        )
      })
      return Effect.raceFirst(Deferred.await(done), Effect.andThen(seats, undecided))
    })
}

/** Counts and logs the nodes whose answers differ from the others. */
const disagreed = ({ trait }: RoutedCall, votes: ReadonlyArray<Vote>): Effect.Effect<void> => {
  if (votes.length === 0) return Effect.void
  for (const { member } of votes) member.disagreements++
  const nodes = votes.map(({ member }) => member.name).join(", ")
  return Effect.annotateLogs(Effect.logWarning("nodes disagree"), { nodes, method: trait.method })
}

const keyOf = (answer: Uint8Array): string => {
  const value = JsonBytes.parse(answer)
  // An answer that is nested too deeply cannot be serialised. It agrees only with identical bytes.
  try {
    return `result ${Quorum.canonical(value)}`
  } catch {
    return `bytes ${decoder.decode(answer)}`
  }
}

const keyOfError = (error: NodeFailure): string =>
  error instanceof UpstreamError ? error.reason._tag : `error ${error.code} ${RemoteKind.of(error)}`

const decoder = new TextDecoder()
