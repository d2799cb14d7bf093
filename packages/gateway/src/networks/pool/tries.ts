/** The tries of a call: it asks nodes in turn, until one has an answer or there is no reason to ask another. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import { millisOf } from "../../clock/monotonic.ts"
import { UpstreamFault } from "../UpstreamFault.ts"
import { type Ask, type Asked, type Failure, isFaultOfNode, isLate } from "./asking.ts"
import type { OfChain } from "./chain.ts"
import type { Heads } from "./heads.ts"
import type { PoolMember } from "./member.ts"
import type { Probes } from "./probes.ts"
import type { Question } from "./question.ts"
import type { Choice, Suits } from "./rank.ts"
import * as PoolRefusal from "./refusal.ts"
import type { Settings } from "./settings.ts"

/** A question on its way to the nodes of a pool. */
export interface Errand<A, R> {
  readonly question: Question
  readonly ask: Ask<A, R>
  /** True for nodes that can be asked this. Default: all. */
  readonly suits?: Suits | undefined
  /** Returns the bytes of an answer that is JSON. Default: answers are not looked at. */
  readonly bytesOf?: ((answer: A) => Uint8Array) | undefined
  /** Resolves a submission that a node may have taken. Default: it fails with the fault that left it open. */
  readonly doubt?: Doubt<A> | undefined
}

/**
 * Resolves a submission that a node may have taken, from the fault that left it open and the node that answered last.
 */
export type Doubt<A> = (fault: UpstreamFault, last: PoolMember, clock: Clock.Clock, end: number) => Asked<A>

export interface Tries {
  /** Runs one try, which ends in time by itself, and updates the state of its node. */
  readonly attempt: <A, R>(
    member: PoolMember,
    asked: Asked<A, R>,
    question: Question,
    clock: Clock.Clock,
    left: number
  ) => Asked<A, R>
  /** Asks nodes in turn. */
  readonly run: <A, R>(errand: Errand<A, R>) => Asked<A, R>
}

export const make = (
  pool: ReadonlyArray<PoolMember>,
  settings: Settings,
  choice: Choice,
  heads: Heads,
  probes: Probes,
  ofChain: OfChain
): Tries => {
  const isShared = pool.length > 1
  const hasBudgets = pool.some(({ budget }) => budget !== undefined)

  /** Runs a try, and then calls the function for its outcome. */
  const tried = <A, B, R, S>(
    member: PoolMember,
    asked: Asked<A, R>,
    { trait }: Question,
    clock: Clock.Clock,
    onSuccess: (answer: A) => Asked<B, S>,
    onFailure: (error: Failure) => Asked<B, S>
  ): Asked<B, R | S> => {
    const begun = millisOf(clock)
    return asked.pipe(
      Effect.onInterrupt(() => probes.abandoned(member, millisOf(clock) - begun)),
      Effect.matchEffect({
        onSuccess: (answer) => {
          const millis = millisOf(clock) - begun
          member.answered(millis)
          if (member.latencies !== undefined && trait.isKnown) member.latencies.add(trait.method, millis)
          return onSuccess(answer)
        },
        onFailure
      })
    )
  }

  const judged = (
    member: PoolMember,
    error: Failure,
    refusal: PoolRefusal.Refusal | undefined,
    question: Question,
    clock: Clock.Clock,
    left: number
  ): Effect.Effect<void> =>
    // The time that earlier tries left was too short to judge the node.
    left < settings.tryTimeout && isLate(error) ? Effect.void : probes.judged(member, error, refusal, question, clock)

  const attempt: Tries["attempt"] = (member, asked, question, clock, left) =>
    tried(member, asked, question, clock, Exit.succeed, (error) =>
      Effect.andThen(
        judged(member, error, PoolRefusal.of(error, question.trait), question, clock, left),
        Exit.fail(error)
      )
    )

  /** `waited` is the time for which the call has waited for a budget. */
  const turns = <A, R>(errand: Errand<A, R>, waited: number): Asked<A, R> =>
    Effect.clockWith((clock) => {
      const { ask, bytesOf, doubt, question, suits } = errand
      const { kind } = question.trait
      const { tag } = question
      const begun = millisOf(clock)
      const first = choice.next(question, NONE, begun, suits)!
      if (hasBudgets && waited < MAX_WAIT && first.barrier(question, begun) !== undefined) {
        const wait = choice.soonest(question, begun)
        if (waited + wait <= MAX_WAIT)
          return Effect.andThen(Effect.sleep(Math.ceil(wait)), turns(errand, waited + wait))
      }
      // Nodes that are known to be down may hang. They are tried, but the caller gets an early answer.
      const end = begun + (first.isDown ? Math.min(settings.timeout, TIMEOUT_DOWN) : settings.timeout)
      let asked: ReadonlyArray<PoolMember> = NONE
      /** Nodes that are known to be behind the head that a caller has seen. */
      let behind: ReadonlyArray<PoolMember> = NONE
      let kept: Kept<A> | undefined
      let unsure: UpstreamFault | undefined
      /** Number of tries under way: more than one while an answer is slow. */
      let underWay = 1

      const keep = (worth: number, exit: Exit.Exit<A, Failure>, head = -1): void => {
        if (kept === undefined || worth > kept.worth || (worth === kept.worth && head > kept.head)) {
          kept = { worth, exit, head }
        }
      }

      /** Ends the call without asking another node, with the best of the nodes' answers. */
      const closing = (last: PoolMember): Asked<A> => {
        if (--underWay > 0) return Effect.never
        // Nothing was said: the time ran out while nodes were asked for their heads.
        if (kept === undefined) return Exit.fail(timedOut(settings.timeout))
        const { exit, head, worth } = kept
        if (head >= 0) heads.give(tag!, head)
        return unsure === undefined || worth === WORTH.answer ? exit : inDoubt(unsure, last)
      }

      const inDoubt = (fault: UpstreamFault, last: PoolMember): Asked<A> =>
        doubt === undefined ? Exit.fail(fault) : doubt(fault, last, clock, end)

      const another = (last: PoolMember, wanted: Suits = always): Asked<A, R> => {
        const now = millisOf(clock)
        if (end <= now) return closing(last)
        const fits: Suits = suits === undefined ? wanted : (member) => suits(member) && wanted(member)
        const next = choice.next(question, asked, now, fits)
        if (next !== undefined) return from(next)
        const [late] = behind
        if (late === undefined || !fits(late)) return closing(last)
        behind = behind.slice(1)
        return send(late, now)
      }

      const failed = (member: PoolMember, error: Failure, left: number): Asked<A, R> => {
        const refusal = PoolRefusal.of(error, question.trait)
        const judging = judged(member, error, refusal, question, clock, left)
        const next = (): Asked<A, R> => {
          if (refusal === undefined && !isFaultOfNode(error)) {
            return unsure === undefined ? Exit.fail(error) : inDoubt(unsure, member)
          }
          keep(refusal === undefined ? WORTH.fault : WORTH.refusal, Exit.fail(error))
          if (refusal !== undefined) {
            if (!refusal.another.has(kind)) return closing(member)
            return another(member, refusal.isOfHead === true ? (other) => mayKnowMore(other, member) : undefined)
          }
          const { notDone } = error as UpstreamFault
          if (kind === "submission" && !notDone) unsure ??= error as UpstreamFault
          return kind === "other" && !notDone ? closing(member) : another(member)
        }
        return judging === Effect.void ? next() : Effect.flatMap(judging, next)
      }

      /** Accepts an answer, or asks another node that may have a better one. */
      const looked = (member: PoolMember, answer: A): Asked<A, R> => {
        const bytes = bytesOf!(answer)
        if (tag !== undefined) {
          const head = heads.named(question, bytes)
          if (head !== undefined) {
            member.heads[tag] = head
            if (isShared && heads.isBack(tag, head)) {
              keep(WORTH.answer, Exit.succeed(answer), head)
              return another(member)
            }
            heads.give(tag, head)
            return Exit.succeed(answer)
          }
          heads.use(member, tag)
        }
        if (!isShared || !question.trait.isNullable || !isNull(bytes)) return Exit.succeed(answer)
        keep(WORTH.answer, Exit.succeed(answer))
        return another(member, (other) => isKnownToBeAhead(other, member))
      }

      const send = (member: PoolMember, now: number): Asked<A, R> => {
        const left = end - now
        const own = choice.hasAnother(question, asked, now) ? Math.min(left, settings.tryTimeout) : left
        return tried(
          member,
          ofChain(member, ask, own),
          question,
          clock,
          bytesOf === undefined || (tag === undefined && !question.trait.isNullable)
            ? Exit.succeed
            : (answer) => looked(member, answer),
          (error) => failed(member, error, own)
        )
      }

      const from = (member: PoolMember): Asked<A, R> => {
        const now = millisOf(clock)
        asked = asked === NONE ? [member] : [...asked, member]
        const barrier = member.barrier(question, now)
        if (barrier !== undefined) {
          keep(barrier instanceof Error ? WORTH.fault : WORTH.refusal, Exit.fail(barrier))
          return another(member)
        }
        const isDoubtful =
          isShared && tag !== undefined && question.trait.gives === undefined && heads.isStale(member, tag)
        if (!isDoubtful || (behind === NONE && !choice.hasAnother(question, asked, now))) return send(member, now)
        const left = Math.min(end - now, settings.tryTimeout, MAX_LOOK)
        return Effect.flatMap(probes.lookAt(member, tag, left), () => {
          if (!heads.isStale(member, tag)) return send(member, millisOf(clock))
          behind = [...behind, member].sort((a, b) => b.heads[tag] - a.heads[tag])
          return another(member)
        })
      }

      /** Asks one node more after each delay, in addition to those under way. */
      const hedged = (delay: number, most: number): Asked<A, R> =>
        most === 0
          ? Effect.never
          : Effect.andThen(
              Effect.sleep(delay),
              Effect.suspend(() => {
                const now = millisOf(clock)
                const next = choice.next(question, asked, now, isFit)
                if (next === undefined || next.barrier(question, now) !== undefined) return Effect.never
                underWay++
                next.hedges++
                return Effect.raceFirst(from(next), hedged(delay, most - 1))
              })
            )

      const { hedge } = settings
      if (hedge === undefined || !isShared || kind !== "read" || bytesOf === undefined) return from(first)
      const usual = first.latencies?.of(question.trait.method)
      return usual === undefined
        ? from(first)
        : Effect.raceFirst(from(first), hedged(Math.max(hedge.minimum, usual), hedge.most))
    })

  return { attempt, run: (errand) => turns(errand, 0) }
}

/** Milliseconds that a call waits for a node to tell its head. */
const MAX_LOOK = 1000

const timedOut = (millis: number): UpstreamFault => new UpstreamFault({ reason: { _tag: "TimedOut", after: millis } })

/** Milliseconds that a call waits in all for a budget of a second. */
const MAX_WAIT = 2000

/** Milliseconds that a call waits for nodes which are all down: probes ask them too. */
const TIMEOUT_DOWN = 3000

/** The best that nodes said so far, kept while the call asks on. An answer is worth more than a refusal, and that more than a fault. */
interface Kept<A> {
  readonly worth: number
  readonly exit: Exit.Exit<A, Failure>
  /** The head that the answer names, or -1. */
  readonly head: number
}

const WORTH = { fault: 1, refusal: 2, answer: 3 } as const

const NONE: ReadonlyArray<PoolMember> = []

const always = (): boolean => true

/** True for nodes that are worth a call in addition to another. */
const isFit = (member: PoolMember): boolean => !member.isDown

/** True unless the other node is known to have no newer block. */
const mayKnowMore = (other: PoolMember, member: PoolMember): boolean =>
  other.heads.latest < 0 || member.heads.latest < 0 || other.heads.latest > member.heads.latest

const isKnownToBeAhead = (other: PoolMember, member: PoolMember): boolean =>
  member.heads.latest >= 0 && other.heads.latest > member.heads.latest

const isNull = (bytes: Uint8Array): boolean => bytes.length === 4 && bytes[0] === 0x6e
