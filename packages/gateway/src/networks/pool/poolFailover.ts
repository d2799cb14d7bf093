/**
 * The tries of a call. A call asks one node after another until one answers, or until there is no reason to ask
 * another.
 */
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { PlainCall } from "../Upstream.ts"
import { UpstreamError } from "../UpstreamError.ts"
import type { ChainIdCheck } from "./chainIdCheck.ts"
import { type AskNode, type NodeEffect, type NodeFailure, isFaultOfNode, isLate } from "./nodeCall.ts"
import type { HistoryData } from "./nodeCapabilities.ts"
import type { NodeChoice, IsSuitable } from "./nodeRank.ts"
import * as PoolNodeRefusal from "./nodeRefusal.ts"
import type { HeadTag, RoutedCall } from "./poolCall.ts"
import type { HeadStanding, PoolHeads } from "./poolHeads.ts"
import type { PoolMember } from "./poolMember.ts"
import type { PoolProbes } from "./poolProbes.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

/** A call on its way to the nodes of a pool, with the functions that handle its answers. */
export interface PoolRequest<A, R> {
  readonly question: RoutedCall
  readonly ask: AskNode<A, R>
  /** True for nodes that can get this call. Default: all nodes. */
  readonly suits?: IsSuitable | undefined
  /** Returns the bytes of an answer, if the answer is JSON. Default: answers are not inspected. */
  readonly bytesOf?: ((answer: A) => Uint8Array) | undefined
  /**
   * Resolves a submission that a node may have accepted. Default: the call fails with the fault that caused the doubt.
   */
  readonly doubt?: UncertainSubmission<A> | undefined
}

/**
 * Resolves a submission that a node may have accepted. `fault` is the error that caused the doubt, and `last` is the
 * node that answered last.
 */
export type UncertainSubmission<A> = (
  fault: UpstreamError,
  last: PoolMember,
  clock: Clock.Clock,
  end: number
) => NodeEffect<A>

export interface PoolFailover {
  /** Runs one try, which must have its own time limit, and updates the state of the node. */
  readonly attempt: <A, R>(
    member: PoolMember,
    asked: NodeEffect<A, R>,
    question: RoutedCall,
    clock: Clock.Clock,
    left: number
  ) => NodeEffect<A, R>
  /** Asks one node after another. */
  readonly run: <A, R>(request: PoolRequest<A, R>) => NodeEffect<A, R>
  /**
   * Asks a node without an Effect, if there is nothing to wait for before it. `send` sends the question within a time.
   * `done` gets the answer, or an effect that continues with the outcome of this try. Returns undefined if `run` has to
   * ask; then nothing was sent.
   */
  readonly plainly: <A extends Uint8Array>(
    request: PoolRequest<A, never>,
    send: (member: PoolMember, left: number, told: (outcome: NodeEffect<A>) => void) => PlainCall | undefined,
    done: (outcome: NodeEffect<A>) => void
  ) => PlainCall | undefined
}

/** A try of a call, made before the others. */
interface FirstTry<A> {
  readonly member: PoolMember
  /** The moment at which the node was asked, in milliseconds of the monotonic clock. */
  readonly begun: number
  readonly outcome: NodeEffect<A>
}

export const make = (
  pool: ReadonlyArray<PoolMember>,
  settings: ResolvedPoolSettings,
  choice: NodeChoice,
  heads: PoolHeads,
  probes: PoolProbes,
  ofChain: ChainIdCheck,
  clock: Clock.Clock
): PoolFailover => {
  const isShared = pool.length > 1
  const hasBudgets = pool.some(({ budget }) => budget !== undefined)

  const answered = (member: PoolMember, trait: RoutedCall["trait"], millis: number): void => {
    member.answered(millis)
    if (member.latencies !== undefined && trait.isKnown) member.latencies.add(trait.method, millis)
  }

  /** Runs a try, records its answer, and continues with the function for its outcome. */
  const tried = <A, B, R, S>(
    member: PoolMember,
    asked: NodeEffect<A, R>,
    { trait }: RoutedCall,
    clock: Clock.Clock,
    onSuccess: (answer: A) => NodeEffect<B, S>,
    onFailure: (error: NodeFailure) => NodeEffect<B, S>,
    begun = Monotonic.millis(clock)
  ): NodeEffect<B, R | S> => {
    return asked.pipe(
      Effect.onInterrupt(() => probes.abandoned(member, Monotonic.millis(clock) - begun)),
      Effect.matchEffect({
        onSuccess: (answer) => {
          answered(member, trait, Monotonic.millis(clock) - begun)
          return onSuccess(answer)
        },
        onFailure
      })
    )
  }

  const judged = (
    member: PoolMember,
    error: NodeFailure,
    refusal: PoolNodeRefusal.NodeRefusal | undefined,
    question: RoutedCall,
    clock: Clock.Clock,
    left: number
  ): Effect.Effect<void> =>
    // Earlier tries left too little time to judge this node.
    left < settings.tryTimeout && isLate(error) ? Effect.void : probes.judged(member, error, refusal, question, clock)

  const attempt: PoolFailover["attempt"] = (member, asked, question, clock, left) =>
    tried(member, asked, question, clock, Exit.succeed, (error) =>
      Effect.andThen(
        judged(member, error, PoolNodeRefusal.of(error, question.trait), question, clock, left),
        Exit.fail(error)
      )
    )

  /**
   * Asks one node after another. `waited` is the time in milliseconds for which the call has already waited for a
   * budget.
   */
  const turns = <A, R>(request: PoolRequest<A, R>, waited: number, made?: FirstTry<A>): NodeEffect<A, R> =>
    Effect.clockWith((clock) => {
      const { ask, bytesOf, doubt, question, suits } = request
      const { kind } = question.trait
      const { tag } = question
      const begun = made?.begun ?? Monotonic.millis(clock)
      const first = made?.member ?? choice.next(question, NONE, begun, suits)!
      if (made === undefined && hasBudgets && waited < MAX_WAIT && first.barrier(question, begun) !== undefined) {
        const wait = choice.soonest(question, begun)
        if (waited + wait <= MAX_WAIT)
          return Effect.andThen(Effect.sleep(Math.ceil(wait)), turns(request, waited + wait))
      }
      // Nodes that are down may hang. They are tried, but the caller gets an early error.
      const end = begun + (first.isDown ? Math.min(settings.timeout, TIMEOUT_DOWN) : settings.timeout)
      let asked: ReadonlyArray<PoolMember> = NONE
      /** Nodes that are behind the head that a caller has seen. They are asked last. */
      let behind: ReadonlyArray<PoolMember> = NONE
      let kept: BestOutcome<A> | undefined
      let unsure: UpstreamError | undefined
      /** Number of tries that run now: more than one when the call is hedged. */
      let underWay = 1

      const keep = (worth: number, exit: Exit.Exit<A, NodeFailure>, head = -1): void => {
        const isBetter =
          kept === undefined ||
          worth > kept.worth ||
          // of early heads, the one that is nearest to the served tip
          (worth === kept.worth && (worth === WORTH.early ? head < kept.head : head > kept.head))
        if (isBetter) kept = { worth, exit, head }
      }

      /** Ends the call with the best of the answers, without asking another node. */
      const closing = (last: PoolMember): NodeEffect<A> => {
        if (--underWay > 0) return Effect.never
        // No node was asked the question: the time ran out while nodes were asked for their heads.
        if (kept === undefined) return Exit.fail(timedOut(settings.timeout))
        const { exit, head, worth } = kept
        const now = Monotonic.millis(clock)
        // The nodes that could tell if it is a lie could not be asked.
        if (worth === WORTH.far) return Exit.fail(unconfirmed(head, heads.tip(now)))
        const before = head >= 0 ? heads.give(tag!, head, now) : undefined
        if (before !== undefined) return Effect.andThen(wentBack(tag!, before, head), exit)
        return unsure === undefined || worth > WORTH.refusal ? exit : inDoubt(unsure, last)
      }

      const inDoubt = (fault: UpstreamError, last: PoolMember): NodeEffect<A> =>
        doubt === undefined ? Exit.fail(fault) : doubt(fault, last, clock, end)

      const another = (last: PoolMember, wanted: IsSuitable = always): NodeEffect<A, R> => {
        const now = Monotonic.millis(clock)
        if (end <= now) return closing(last)
        const fits: IsSuitable = suits === undefined ? wanted : (member) => suits(member) && wanted(member)
        const next = choice.next(question, asked, now, fits)
        const [late] = behind
        const hasLate = late !== undefined && fits(late)
        // A node that is behind is better than one whose head is not believed.
        if (next !== undefined && !(hasLate && heads.isFar(next, now))) return from(next)
        if (!hasLate) return closing(last)
        behind = behind.slice(1)
        return send(late, now)
      }

      const failed = (member: PoolMember, error: NodeFailure, left: number): NodeEffect<A, R> => {
        const refusal = PoolNodeRefusal.of(error, question.trait)
        const judging = judged(member, error, refusal, question, clock, left)
        const next = (): NodeEffect<A, R> => {
          if (refusal === undefined && !isFaultOfNode(error)) {
            return unsure === undefined ? Exit.fail(error) : inDoubt(unsure, member)
          }
          keep(refusal === undefined ? WORTH.fault : WORTH.refusal, Exit.fail(error))
          if (refusal !== undefined) {
            if (!refusal.another.has(kind)) return closing(member)
            const isOfHead = refusal.isOfHead === true && !heads.isEarly(member, Monotonic.millis(clock))
            return another(member, isOfHead ? (other) => mayKnowMore(other, member) : undefined)
          }
          const { notDone } = error as UpstreamError
          if (kind === "submission" && !notDone) unsure ??= error as UpstreamError
          return kind === "other" && !notDone ? closing(member) : another(member)
        }
        return judging === Effect.void ? next() : Effect.flatMap(judging, next)
      }

      /** Accepts an answer, or asks another node that may have a better one. */
      const looked = (member: PoolMember, answer: A): NodeEffect<A, R> => {
        const bytes = bytesOf!(answer)
        if (tag !== undefined) {
          const head = heads.named(question, bytes)
          const now = Monotonic.millis(clock)
          if (head !== undefined) {
            const standing = standingOf(member, tag, head, now)
            if (standing !== "served") {
              keep(WORTH[standing], Exit.succeed(answer), head)
              return another(member)
            }
            heads.give(tag, head, now)
            return Exit.succeed(answer)
          }
          heads.use(member, tag, now)
        }
        if (!isShared || !question.trait.isNullable || !isNull(bytes)) return Exit.succeed(answer)
        keep(WORTH.answer, Exit.succeed(answer))
        const { history } = question.trait
        return another(member, (other) => isKnownToBeAhead(other, member) || reachesBack(other, member, history))
      }

      const send = (member: PoolMember, now: number, known?: NodeEffect<A>): NodeEffect<A, R> => {
        const left = end - now
        const own = choice.hasAnother(question, asked, now) ? Math.min(left, settings.tryTimeout) : left
        return tried(
          member,
          known ?? ofChain(member, ask, own),
          question,
          clock,
          bytesOf === undefined || (tag === undefined && !question.trait.isNullable)
            ? Exit.succeed
            : (answer) => looked(member, answer),
          (error) => failed(member, error, own),
          now
        )
      }

      const from = (member: PoolMember): NodeEffect<A, R> => {
        const now = Monotonic.millis(clock)
        asked = asked === NONE ? [member] : [...asked, member]
        const barrier = member.barrier(question, now)
        if (barrier !== undefined) {
          keep(barrier instanceof Error ? WORTH.fault : WORTH.refusal, Exit.fail(barrier))
          return another(member)
        }
        const isDoubtful =
          isShared && tag !== undefined && question.trait.gives === undefined && heads.isStale(member, tag, now)
        if (!isDoubtful || (behind === NONE && !choice.hasAnother(question, asked, now))) return send(member, now)
        const left = Math.min(end - now, settings.tryTimeout, MAX_LOOK)
        return Effect.flatMap(probes.lookAt(member, tag, left), () => {
          const later = Monotonic.millis(clock)
          if (!heads.isStale(member, tag, later)) return send(member, later)
          behind = [...behind, member].sort((a, b) => b.heads[tag] - a.heads[tag])
          return another(member)
        })
      }

      /** Asks one more node after each delay, in addition to the tries that already run. */
      const hedged = (delay: number, most: number): NodeEffect<A, R> =>
        most === 0
          ? Effect.never
          : Effect.andThen(
              Effect.sleep(delay),
              Effect.suspend(() => {
                const now = Monotonic.millis(clock)
                const next = choice.next(question, asked, now, isFit)
                if (next === undefined || next.barrier(question, now) !== undefined) return Effect.never
                underWay++
                next.hedges++
                return Effect.raceFirst(from(next), hedged(delay, most - 1))
              })
            )

      if (made !== undefined) {
        asked = [first]
        return send(first, begun, made.outcome)
      }
      const { hedge } = settings
      if (hedge === undefined || !isShared || kind !== "read" || bytesOf === undefined) return from(first)
      const usual = first.latencies?.of(question.trait.method)
      return usual === undefined
        ? from(first)
        : Effect.raceFirst(from(first), hedged(Math.max(hedge.minimum, usual), hedge.most))
    })

  /** Records the head that an answer names, and judges it. A lone node has nothing to compare it with. */
  const standingOf = (member: PoolMember, tag: HeadTag, head: number, now: number): HeadStanding => {
    member.sees(tag, head, now)
    if (!isShared) return "served"
    probes.sample(now)
    return heads.standing(member, tag, head, now)
  }

  /** True if an answer needs no further node, and records the head that it names. */
  const isEnough = (member: PoolMember, question: RoutedCall, answer: Uint8Array, now: number): boolean => {
    const { tag, trait } = question
    if (isShared && trait.isNullable && isNull(answer)) return false
    if (tag === undefined) return true
    const head = heads.named(question, answer)
    if (head === undefined) {
      heads.use(member, tag, now)
      return true
    }
    if (standingOf(member, tag, head, now) !== "served") return false
    heads.give(tag, head, now)
    return true
  }

  /** True if a node can be asked at once: nothing has to be waited for, and no second node is asked beside it. */
  const isPlain = (member: PoolMember, question: RoutedCall, now: number): boolean =>
    (settings.chain === undefined || member.isChecked) &&
    !member.isDown &&
    member.budget === undefined &&
    member.ban(question, now) === undefined &&
    (!isShared ||
      (settings.hedge === undefined &&
        (question.tag === undefined ||
          question.trait.gives !== undefined ||
          !heads.isStale(member, question.tag, now))))

  const plainly: PoolFailover["plainly"] = (request, send, done) => {
    const { question } = request
    const begun = Monotonic.millis(clock)
    const member = choice.next(question, NONE, begun)!
    if (!isPlain(member, question, begun)) return undefined
    const left =
      isShared && choice.hasAnother(question, [member], begun)
        ? Math.min(settings.timeout, settings.tryTimeout)
        : settings.timeout
    const sent = send(member, left, (outcome) => {
      const exit = Exit.isExit(outcome) ? (outcome as Exit.Exit<Uint8Array, NodeFailure>) : undefined
      const now = Monotonic.millis(clock)
      if (exit?._tag === "Success" && isEnough(member, question, exit.value, now)) {
        answered(member, question.trait, now - begun)
        done(outcome)
      } else done(turns(request, 0, { member, begun, outcome }))
    })
    return (
      sent && {
        abort: () => {
          sent.abort()
          probes.leave(member, Monotonic.millis(clock) - begun)
        }
      }
    )
  }

  return { attempt, run: (request) => turns(request, 0), plainly }
}

/** Maximum number of milliseconds that a call waits for a node's head. */
const MAX_LOOK = 1000

const timedOut = (millis: number): UpstreamError => new UpstreamError({ reason: { _tag: "TimedOut", after: millis } })

const unconfirmed = (head: number, tip: number): UpstreamError =>
  new UpstreamError({ reason: { _tag: "Unconfirmed", head, tip } })

/** Maximum number of milliseconds that a call waits in total for a budget per second. */
const MAX_WAIT = 2000

/** Maximum number of milliseconds that a call waits while all nodes are down. Probes ask such nodes too. */
const TIMEOUT_DOWN = 3000

/**
 * The best outcome so far, while the call asks further nodes. An answer is better than a refusal, and a refusal is
 * better than a fault. An answer that is a little early is better than one that goes back, and both are better than one
 * that names a head that is not believed.
 */
interface BestOutcome<A> {
  readonly worth: number
  readonly exit: Exit.Exit<A, NodeFailure>
  /** The head that the answer names, or -1. */
  readonly head: number
}

const WORTH = { fault: 1, refusal: 2, far: 3, late: 4, early: 5, answer: 6 } as const

/** Tells the operator that callers get a lower head than before: a reorganisation, or no node has the higher one. */
const wentBack = (tag: HeadTag, from: number, to: number): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logWarning("the head went back"), { tag, from, to })

const NONE: ReadonlyArray<PoolMember> = []

const always = (): boolean => true

/** True for nodes that can get a call in addition to another node. */
const isFit = (member: PoolMember): boolean => !member.isDown

/** True if the other node may have a newer block: its latest block is newer, or one of the two is not known. */
const mayKnowMore = (other: PoolMember, member: PoolMember): boolean =>
  other.heads.latest < 0 || member.heads.latest < 0 || other.heads.latest > member.heads.latest

const isKnownToBeAhead = (other: PoolMember, member: PoolMember): boolean =>
  member.heads.latest >= 0 && other.heads.latest > member.heads.latest

/**
 * True if the other node states that it has older data of a kind. So the node may have answered `null` for old data. Both
 * statements are read at the same head, because equal nodes are a block apart for moments.
 */
const reachesBack = (other: PoolMember, member: PoolMember, history: HistoryData): boolean =>
  (other.oldestOf(history, member.heads.latest) ?? Infinity) < (member.oldestOf(history) ?? -Infinity)

const isNull = (bytes: Uint8Array): boolean => bytes.length === 4 && bytes[0] === 0x6e
