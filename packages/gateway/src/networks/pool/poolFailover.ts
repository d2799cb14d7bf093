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

/** The nodes of a pool, and the parts that its calls use. */
export interface FailoverParts {
  readonly pool: ReadonlyArray<PoolMember>
  readonly settings: ResolvedPoolSettings
  readonly choice: NodeChoice
  readonly heads: PoolHeads
  readonly probes: PoolProbes
  readonly ofChain: ChainIdCheck
  readonly clock: Clock.Clock
}

export const make = (parts: FailoverParts): PoolFailover => new Failover(parts)

class Failover implements PoolFailover {
  readonly parts: FailoverParts
  /** True if the pool has several nodes. */
  readonly isShared: boolean
  readonly #hasBudgets: boolean

  constructor(parts: FailoverParts) {
    this.parts = parts
    this.isShared = parts.pool.length > 1
    this.#hasBudgets = parts.pool.some(({ budget }) => budget !== undefined)
  }

  readonly attempt: PoolFailover["attempt"] = (member, asked, question, clock, left) =>
    this.tried(member, asked, question, clock, Exit.succeed, (error) =>
      Effect.andThen(
        this.judged(member, error, PoolNodeRefusal.of(error, question.trait), question, clock, left),
        Exit.fail(error)
      )
    )

  readonly run: PoolFailover["run"] = (request) => this.#turns(request, 0)

  readonly plainly: PoolFailover["plainly"] = (request, send, done) => {
    const { choice, clock, probes, settings } = this.parts
    const { question } = request
    const begun = Monotonic.millis(clock)
    const member = choice.next(question, NONE, begun)!
    if (!this.#isPlain(member, question, begun)) return undefined
    const left =
      this.isShared && choice.hasAnother(question, [member], begun)
        ? Math.min(settings.timeout, settings.tryTimeout)
        : settings.timeout
    const sent = send(member, left, (outcome) => {
      const exit = Exit.isExit(outcome) ? (outcome as Exit.Exit<Uint8Array, NodeFailure>) : undefined
      const now = Monotonic.millis(clock)
      if (exit?._tag === "Success" && this.#isEnough(member, question, exit.value, now)) {
        answered(member, question.trait, now - begun)
        done(outcome)
      } else done(this.#turns(request, 0, { member, begun, outcome }))
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

  /** Runs a try, records its answer, and continues with the function for its outcome. */
  tried<A, B, R, S>(
    member: PoolMember,
    asked: NodeEffect<A, R>,
    { trait }: RoutedCall,
    clock: Clock.Clock,
    onSuccess: (answer: A) => NodeEffect<B, S>,
    onFailure: (error: NodeFailure) => NodeEffect<B, S>,
    begun = Monotonic.millis(clock)
  ): NodeEffect<B, R | S> {
    return asked.pipe(
      Effect.onInterrupt(() => this.parts.probes.abandoned(member, Monotonic.millis(clock) - begun)),
      Effect.matchEffect({
        onSuccess: (answer) => {
          answered(member, trait, Monotonic.millis(clock) - begun)
          return onSuccess(answer)
        },
        onFailure
      })
    )
  }

  judged(
    member: PoolMember,
    error: NodeFailure,
    refusal: PoolNodeRefusal.NodeRefusal | undefined,
    question: RoutedCall,
    clock: Clock.Clock,
    left: number
  ): Effect.Effect<void> {
    const { probes, settings } = this.parts
    // Earlier tries left too little time to judge this node.
    return left < settings.tryTimeout && isLate(error)
      ? Effect.void
      : probes.judged(member, error, refusal, question, clock)
  }

  /** Records the head that an answer names, and judges it. A lone node has nothing to compare it with. */
  standingOf(member: PoolMember, tag: HeadTag, head: number, now: number): HeadStanding {
    const { heads, probes } = this.parts
    member.sees(tag, head, now)
    if (!this.isShared) return "served"
    probes.sample(now)
    return heads.standing(member, tag, head, now)
  }

  /**
   * Asks one node after another. `waited` is the time in milliseconds for which the call has already waited for a
   * budget.
   */
  #turns<A, R>(request: PoolRequest<A, R>, waited: number, made?: FirstTry<A>): NodeEffect<A, R> {
    return Effect.clockWith((clock) => {
      const { choice, settings } = this.parts
      const { question, suits } = request
      const begun = made?.begun ?? Monotonic.millis(clock)
      const first = made?.member ?? choice.next(question, NONE, begun, suits)!
      if (made === undefined && this.#hasBudgets && waited < MAX_WAIT && first.barrier(question, begun) !== undefined) {
        const wait = choice.soonest(question, begun)
        if (waited + wait <= MAX_WAIT)
          return Effect.andThen(Effect.sleep(Math.ceil(wait)), this.#turns(request, waited + wait))
      }
      // Nodes that are down may hang. They are tried, but the caller gets an early error.
      const end = begun + (first.isDown ? Math.min(settings.timeout, TIMEOUT_DOWN) : settings.timeout)
      const tries = new CallTries(this, request, clock, end)
      return made === undefined ? tries.begin(first) : tries.goOn(made)
    })
  }

  /** True if an answer needs no further node, and records the head that it names. */
  #isEnough(member: PoolMember, question: RoutedCall, answer: Uint8Array, now: number): boolean {
    const { heads } = this.parts
    const { tag, trait } = question
    if (this.isShared && trait.isNullable && isNull(answer)) return false
    if (tag === undefined) return true
    const head = heads.named(question, answer)
    if (head === undefined) {
      heads.use(member, tag, now)
      return true
    }
    if (this.standingOf(member, tag, head, now) !== "served") return false
    heads.give(tag, head, now)
    return true
  }

  /** True if a node can be asked at once: nothing has to be waited for, and no second node is asked beside it. */
  #isPlain(member: PoolMember, question: RoutedCall, now: number): boolean {
    const { heads, settings } = this.parts
    return (
      (settings.chain === undefined || member.isChecked) &&
      !member.isDown &&
      member.budget === undefined &&
      member.ban(question, now) === undefined &&
      (!this.isShared ||
        (settings.hedge === undefined &&
          (question.tag === undefined ||
            question.trait.gives !== undefined ||
            !heads.isStale(member, question.tag, now))))
    )
  }
}

/** The tries of one call. */
class CallTries<A, R> {
  readonly #failover: Failover
  readonly #request: PoolRequest<A, R>
  readonly #clock: Clock.Clock
  /** The end of the call's time, in milliseconds of the monotonic clock. */
  readonly #end: number
  #asked: ReadonlyArray<PoolMember> = NONE
  /** Nodes that are behind the head that a caller has seen. They are asked last. */
  #behind: ReadonlyArray<PoolMember> = NONE
  #kept: BestOutcome<A> | undefined
  #unsure: UpstreamError | undefined
  /** Number of tries that run now: more than one when the call is hedged. */
  #underWay = 1

  constructor(failover: Failover, request: PoolRequest<A, R>, clock: Clock.Clock, end: number) {
    this.#failover = failover
    this.#request = request
    this.#clock = clock
    this.#end = end
  }

  /** Asks a first node, and then others. */
  begin(first: PoolMember): NodeEffect<A, R> {
    const { hedge } = this.#failover.parts.settings
    const { bytesOf, question } = this.#request
    if (hedge === undefined || !this.#failover.isShared || question.trait.kind !== "read" || bytesOf === undefined) {
      return this.#from(first)
    }
    const usual = first.latencies?.of(question.trait.method)
    return usual === undefined
      ? this.#from(first)
      : Effect.raceFirst(this.#from(first), this.#hedged(Math.max(hedge.minimum, usual), hedge.most))
  }

  /** Continues after the first try. */
  goOn({ begun, member, outcome }: FirstTry<A>): NodeEffect<A, R> {
    this.#asked = [member]
    return this.#send(member, begun, outcome)
  }

  #from(member: PoolMember): NodeEffect<A, R> {
    const { choice, heads, probes, settings } = this.#failover.parts
    const { question } = this.#request
    const { tag } = question
    const now = Monotonic.millis(this.#clock)
    this.#asked = this.#asked === NONE ? [member] : [...this.#asked, member]
    const barrier = member.barrier(question, now)
    if (barrier !== undefined) {
      this.#keep(barrier instanceof Error ? WORTH.fault : WORTH.refusal, Exit.fail(barrier))
      return this.#another(member)
    }
    const isDoubtful =
      this.#failover.isShared &&
      tag !== undefined &&
      question.trait.gives === undefined &&
      heads.isStale(member, tag, now)
    if (!isDoubtful || (this.#behind === NONE && !choice.hasAnother(question, this.#asked, now))) {
      return this.#send(member, now)
    }
    const left = Math.min(this.#end - now, settings.tryTimeout, MAX_LOOK)
    return Effect.flatMap(probes.lookAt(member, tag, left), () => {
      const later = Monotonic.millis(this.#clock)
      if (!heads.isStale(member, tag, later)) return this.#send(member, later)
      this.#behind = [...this.#behind, member].sort((a, b) => b.heads[tag] - a.heads[tag])
      return this.#another(member)
    })
  }

  #send(member: PoolMember, now: number, known?: NodeEffect<A>): NodeEffect<A, R> {
    const { choice, ofChain, settings } = this.#failover.parts
    const { ask, bytesOf, question } = this.#request
    const left = this.#end - now
    const own = choice.hasAnother(question, this.#asked, now) ? Math.min(left, settings.tryTimeout) : left
    return this.#failover.tried(
      member,
      known ?? ofChain(member, ask, own),
      question,
      this.#clock,
      bytesOf === undefined || (question.tag === undefined && !question.trait.isNullable)
        ? Exit.succeed
        : (answer) => this.#looked(member, answer),
      (error) => this.#failed(member, error, own),
      now
    )
  }

  /** Accepts an answer, or asks another node that may have a better one. */
  #looked(member: PoolMember, answer: A): NodeEffect<A, R> {
    const { heads } = this.#failover.parts
    const { bytesOf, question } = this.#request
    const { tag, trait } = question
    const bytes = bytesOf!(answer)
    if (tag !== undefined) {
      const head = heads.named(question, bytes)
      const now = Monotonic.millis(this.#clock)
      if (head !== undefined) {
        const standing = this.#failover.standingOf(member, tag, head, now)
        if (standing !== "served") {
          this.#keep(WORTH[standing], Exit.succeed(answer), head)
          return this.#another(member)
        }
        heads.give(tag, head, now)
        return Exit.succeed(answer)
      }
      heads.use(member, tag, now)
    }
    if (!this.#failover.isShared || !trait.isNullable || !isNull(bytes)) return Exit.succeed(answer)
    this.#keep(WORTH.answer, Exit.succeed(answer))
    const { history } = trait
    return this.#another(member, (other) => isKnownToBeAhead(other, member) || reachesBack(other, member, history))
  }

  #failed(member: PoolMember, error: NodeFailure, left: number): NodeEffect<A, R> {
    const { question } = this.#request
    const { kind } = question.trait
    const refusal = PoolNodeRefusal.of(error, question.trait)
    const judging = this.#failover.judged(member, error, refusal, question, this.#clock, left)
    const next = (): NodeEffect<A, R> => {
      if (refusal === undefined && !isFaultOfNode(error)) {
        return this.#unsure === undefined ? Exit.fail(error) : this.#inDoubt(this.#unsure, member)
      }
      this.#keep(refusal === undefined ? WORTH.fault : WORTH.refusal, Exit.fail(error))
      if (refusal !== undefined) {
        if (!refusal.another.has(kind)) return this.#closing(member)
        const { heads } = this.#failover.parts
        const isOfHead = refusal.isOfHead === true && !heads.isEarly(member, Monotonic.millis(this.#clock))
        return this.#another(member, isOfHead ? (other) => mayKnowMore(other, member) : undefined)
      }
      const { notDone } = error as UpstreamError
      if (kind === "submission" && !notDone) this.#unsure ??= error as UpstreamError
      return kind === "other" && !notDone ? this.#closing(member) : this.#another(member)
    }
    return judging === Effect.void ? next() : Effect.flatMap(judging, next)
  }

  #another(last: PoolMember, wanted: IsSuitable = always): NodeEffect<A, R> {
    const { choice, heads } = this.#failover.parts
    const { question, suits } = this.#request
    const now = Monotonic.millis(this.#clock)
    if (this.#end <= now) return this.#closing(last)
    const fits: IsSuitable = suits === undefined ? wanted : (member) => suits(member) && wanted(member)
    const next = choice.next(question, this.#asked, now, fits)
    const [late] = this.#behind
    const hasLate = late !== undefined && fits(late)
    // A node that is behind is better than one whose head is not believed.
    if (next !== undefined && !(hasLate && heads.isFar(next, now))) return this.#from(next)
    if (!hasLate) return this.#closing(last)
    this.#behind = this.#behind.slice(1)
    return this.#send(late, now)
  }

  /** Asks one more node after each delay, in addition to the tries that already run. */
  #hedged(delay: number, most: number): NodeEffect<A, R> {
    return most === 0
      ? Effect.never
      : Effect.andThen(
          Effect.sleep(delay),
          Effect.suspend(() => {
            const { question } = this.#request
            const now = Monotonic.millis(this.#clock)
            const next = this.#failover.parts.choice.next(question, this.#asked, now, isFit)
            if (next === undefined || next.barrier(question, now) !== undefined) return Effect.never
            this.#underWay++
            next.hedges++
            return Effect.raceFirst(this.#from(next), this.#hedged(delay, most - 1))
          })
        )
  }

  #keep(worth: number, exit: Exit.Exit<A, NodeFailure>, head = -1): void {
    const kept = this.#kept
    const isBetter =
      kept === undefined ||
      worth > kept.worth ||
      // of early heads, the one that is nearest to the served tip
      (worth === kept.worth && (worth === WORTH.early ? head < kept.head : head > kept.head))
    if (isBetter) this.#kept = { worth, exit, head }
  }

  /** Ends the call with the best of the answers, without asking another node. */
  #closing(last: PoolMember): NodeEffect<A> {
    const { heads, settings } = this.#failover.parts
    const { tag } = this.#request.question
    if (--this.#underWay > 0) return Effect.never
    // No node was asked the question: the time ran out while nodes were asked for their heads.
    if (this.#kept === undefined) return Exit.fail(timedOut(settings.timeout))
    const { exit, head, worth } = this.#kept
    const now = Monotonic.millis(this.#clock)
    // The nodes that could tell if it is a lie could not be asked.
    if (worth === WORTH.far) return Exit.fail(unconfirmed(head, heads.tip(now)))
    const before = head >= 0 ? heads.give(tag!, head, now) : undefined
    if (before !== undefined) return Effect.andThen(wentBack(tag!, before, head), exit)
    return this.#unsure === undefined || worth > WORTH.refusal ? exit : this.#inDoubt(this.#unsure, last)
  }

  #inDoubt(fault: UpstreamError, last: PoolMember): NodeEffect<A> {
    const { doubt } = this.#request
    return doubt === undefined ? Exit.fail(fault) : doubt(fault, last, this.#clock, this.#end)
  }
}

const answered = (member: PoolMember, trait: RoutedCall["trait"], millis: number): void => {
  member.answered(millis)
  if (member.latencies !== undefined && trait.isKnown) member.latencies.add(trait.method, millis)
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
