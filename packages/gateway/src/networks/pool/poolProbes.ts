/** Probes the nodes of a pool: finds out which are down, which are behind, and what their latest blocks are. */
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

import * as SilentNodes from "../silentNodes.ts"
import * as PoolHeight from "./height.ts"
import { callOf, type NodeFailure, isFaultOfNode } from "./nodeCall.ts"
import * as NodeCapabilities from "./nodeCapabilities.ts"
import * as PoolNodeRefusal from "./nodeRefusal.ts"
import * as PoolCall from "./poolCall.ts"
import type { HeadTag, RoutedCall } from "./poolCall.ts"
import type { PoolHeads } from "./poolHeads.ts"
import { aheadText, type PoolMember } from "./poolMember.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

export interface PoolProbes {
  /**
   * Updates the state of a node after a failed try. If the node answered with an error object, `refusal` says what that
   * error means for the pool.
   */
  readonly judged: (
    member: PoolMember,
    error: NodeFailure,
    refusal: PoolNodeRefusal.NodeRefusal | undefined,
    question: RoutedCall,
    clock: Clock.Clock
  ) => Effect.Effect<void>
  /** Records that a caller left after it waited for `millis`. If the wait was long, the node is probed. */
  readonly abandoned: (member: PoolMember, millis: number) => Effect.Effect<void>
  /** Does the same as `abandoned`, in the background. */
  readonly leave: (member: PoolMember, millis: number) => void
  /** Asks a node for one of its heads. `left` is the time limit in milliseconds. */
  readonly lookAt: (member: PoolMember, tag: HeadTag, left: number) => Effect.Effect<void>
  /** Looks for a newer head of a node in the background, at most once per `LOOK_PAUSE`. */
  readonly refresh: (member: PoolMember, now: number) => void
  /** Looks for newer heads of the nodes whose head is not young enough for the served tip, if nodes are probed. */
  readonly sample: (now: number) => void
}

/** If a caller leaves after it has waited this many milliseconds without an answer, the node is probed. */
const PATIENCE = 1000

/** The share of a node's daily budget that probes of a silent node may use. */
const SHARE = 0.1

/** Time between two questions to a node for the blocks that it has, in milliseconds. */
const STATED_EVERY = 10 * 60_000

/** Age in milliseconds from which the head of a node is looked for again while callers ask for heads. */
const SAMPLE_AGE = 2000

/** Minimum time between two checks for a newer head of a node, in milliseconds. */
const LOOK_PAUSE = 1000

export const make = Effect.fnUntraced(function* (
  pool: ReadonlyArray<PoolMember>,
  settings: ResolvedPoolSettings,
  heads: PoolHeads
): Effect.fn.Return<PoolProbes, never, Scope.Scope> {
  const scope = yield* Scope.Scope
  const probes = new Probes(pool, settings, heads, scope, Effect.runForkWith(yield* Effect.context()))
  const { pulse, watch } = settings
  if (watch !== undefined) yield* Effect.forkScoped(Effect.forever(probes.round(watch)))
  if (pulse !== undefined) {
    yield* SilentNodes.listen(
      pool.map((member) => ({
        heard: () => member.heard,
        most: Math.max(pulse, (member.budget?.pause ?? 0) / SHARE),
        ask: Effect.suspend(() => (member.isDown ? Effect.void : probes.watch(member)))
      }))
    )
  }
  return probes
})

class Probes implements PoolProbes {
  readonly #pool: ReadonlyArray<PoolMember>
  readonly #settings: ResolvedPoolSettings
  readonly #heads: PoolHeads
  readonly #scope: Scope.Scope
  readonly #run: (work: Effect.Effect<unknown>) => void
  readonly #question: RoutedCall
  /** Time limit of a probe, in milliseconds. */
  readonly #limit: number

  constructor(
    pool: ReadonlyArray<PoolMember>,
    settings: ResolvedPoolSettings,
    heads: PoolHeads,
    scope: Scope.Scope,
    run: (work: Effect.Effect<unknown>) => void
  ) {
    this.#pool = pool
    this.#settings = settings
    this.#heads = heads
    this.#scope = scope
    this.#run = run
    this.#question = PoolCall.foreign(settings.probe, "read", true).plain
    this.#limit = settings.pulse === undefined ? settings.tryTimeout : Math.min(settings.tryTimeout, SilentNodes.PROBE)
  }

  readonly judged: PoolProbes["judged"] = (member, error, refusal, question, clock) => {
    const now = Monotonic.millis(clock)
    if (!isFaultOfNode(error)) {
      if (refusal === undefined) member.answered()
      else {
        if (refusal.isState === true) member.noted(refusal.kind, clock.currentTimeMillisUnsafe())
        member.refused(refusal, question, now)
      }
      return Effect.void
    }
    const { reason } = error
    // A node without a proof has still answered.
    if (reason._tag === "Unproven") {
      member.answered()
      return Effect.void
    }
    // The pool itself made these faults without asking the node.
    if (reason._tag === "WrongChain" || reason._tag === "Limited") return Effect.void
    if (member.probed?.fault === error) {
      if (member.probed.isJudged) return Effect.void
      member.probed.isJudged = true
    }
    member.noted(reason._tag, clock.currentTimeMillisUnsafe())
    if (reason._tag === "BadStatus" && (reason.status === 429 || reason.retryAfter !== undefined)) {
      member.refusals++
      member.limited(reason.retryAfter, LIMITED, now)
      return Effect.void
    }
    const isDown = member.failed(reason._tag)
    return isDown || this.#settings.pulse !== undefined ? this.watch(member) : Effect.void
  }

  readonly abandoned: PoolProbes["abandoned"] = (member, millis) =>
    millis >= PATIENCE && !member.isDown ? this.watch(member) : Effect.void

  readonly leave: PoolProbes["leave"] = (member, millis) => {
    const watching = this.abandoned(member, millis)
    if (watching !== Effect.void) this.#run(watching)
  }

  readonly lookAt: PoolProbes["lookAt"] = (member, tag, left) =>
    tag === "latest"
      ? Effect.ignore(noted(member, tag, callOf(member, this.#settings.probe, [], left)))
      : this.#settings.blocks === undefined
        ? Effect.void
        : Effect.ignore(noted(member, tag, callOf(member, this.#settings.blocks, [tag, false], left)))

  readonly refresh: PoolProbes["refresh"] = (member, now) => {
    if (now - member.lookedAt < LOOK_PAUSE || member.isDown || member.isWatched) return
    member.lookedAt = now
    this.#run(Effect.forkIn(this.#probe(member), this.#scope))
  }

  readonly sample: PoolProbes["sample"] = (now) => {
    if (this.#settings.pulse === undefined) return
    for (const member of this.#pool) {
      const most = Math.max(SAMPLE_AGE, (member.budget?.pause ?? 0) / SHARE)
      if (now - member.seenAt > most) this.refresh(member, now)
    }
  }

  /**
   * Probes a node until it answers: after each pause if the node is down, otherwise at once. A node has at most one
   * such loop. With a pulse, the probes of a node that is not down overlap.
   */
  watch(member: PoolMember): Effect.Effect<void> {
    return Effect.suspend(() => {
      if (member.isWatched) return Effect.void
      member.isWatched = true
      return this.#watching(member).pipe(
        Effect.annotateLogs({ node: member.name }),
        Effect.forkIn(this.#scope),
        Effect.asVoid
      )
    })
  }

  readonly #watching = Effect.fnUntraced({ self: this }, function* (member: PoolMember) {
    const settings = this.#settings
    const clock = yield* Clock.Clock
    const isOver = Effect.suspend(() => {
      if (member.isDown) return Effect.succeed(false)
      const { calls } = member
      // The probe was not sent if the node is pausing or has no budget left.
      return Effect.map(this.#probe(member), () => !member.isInDoubt || member.calls === calls)
    })
    const doubted = settings.pulse === undefined ? isOver : SilentNodes.isBroken(isOver, settings.failures)
    while (!member.isDown) {
      if (yield* doubted) {
        member.isWatched = false
        return
      }
    }
    yield* Effect.logWarning("a node is down")
    do {
      yield* Effect.sleep(Math.max(settings.cooldown, member.restLeft(Monotonic.millis(clock))))
      yield* this.#probe(member)
    } while (member.isDown)
    // This comes before any other step, because another fault of the node could follow.
    member.isWatched = false
    if (settings.maxLag !== undefined) this.#compare(Monotonic.millis(clock))
    yield* Effect.logInfo("a node is up again")
  })

  /** Asks all nodes for their latest blocks, compares them, and pauses. */
  round(pause: number): Effect.Effect<void> {
    const round = Effect.forEach(this.#pool, (member) => (member.isDown ? Effect.void : this.#look(member)), {
      concurrency: "unbounded",
      discard: true
    })
    const compared = Effect.clockWith((clock) =>
      Effect.forEach(
        this.#compare(Monotonic.millis(clock)),
        (member) =>
          Effect.annotateLogs(Effect.logWarning("a node is ahead", aheadText(member.lead)), { node: member.name }),
        { discard: true }
      )
    )
    // a lone node gets every call, whatever it has
    const stated =
      this.#settings.hasCapabilities && this.#pool.length > 1
        ? Effect.forEach(this.#pool, (member) => this.#askStated(member), { concurrency: "unbounded", discard: true })
        : Effect.void
    return round.pipe(Effect.andThen(compared), Effect.andThen(stated), Effect.andThen(Effect.sleep(pause)))
  }

  #probe(member: PoolMember): Effect.Effect<void> {
    return this.#ask(member, this.#settings.probe, [])
  }

  #look(member: PoolMember): Effect.Effect<void> {
    const { blocks } = this.#settings
    return blocks === undefined ? this.#probe(member) : this.#ask(member, blocks, ["latest", false])
  }

  /** Asks a node for its latest block, and updates its state. */
  #ask(member: PoolMember, method: string, params: ReadonlyArray<unknown>): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      const begun = Monotonic.millis(clock)
      if (member.restLeft(begun) > 0) return Effect.void
      return Effect.matchEffect(callOf(member, method, params, this.#limit), {
        onSuccess: (result) =>
          Effect.sync(() => {
            const now = Monotonic.millis(clock)
            member.answered(now - begun)
            const head = PoolHeight.readHead(result)
            if (head === undefined) member.heads.latest = -1
            else member.saw(head, now, clock.currentTimeMillisUnsafe())
          }),
        onFailure: (error) =>
          this.judged(member, error, PoolNodeRefusal.of(error, this.#question.trait), this.#question, clock)
      })
    })
  }

  /** Asks a node which blocks it has. A node without the method states nothing, and an error is no fault. */
  #askStated(member: PoolMember): Effect.Effect<void> {
    return Effect.clockWith((clock) => {
      const now = Monotonic.millis(clock)
      if (member.isDown || member.restLeft(now) > 0 || now - member.statedAt < STATED_EVERY) return Effect.void
      member.statedAt = now
      return Effect.match(callOf(member, NodeCapabilities.METHOD, [], this.#limit), {
        onFailure: () => void (member.stated = undefined),
        onSuccess: (answer) => void (member.stated = NodeCapabilities.read(answer))
      })
    })
  }

  /** Compares the nodes with the served tip. Returns the nodes whose head is not believed any more. */
  #compare(now: number): ReadonlyArray<PoolMember> {
    const { maxLag } = this.#settings
    const tip = this.#heads.tip(now, Infinity)
    const far: Array<PoolMember> = []
    for (const member of this.#pool) {
      const { latest } = member.heads
      member.behind = latest < 0 || tip < 0 ? undefined : Math.max(0, tip - latest)
      member.isBehind = maxLag !== undefined && member.behind !== undefined && member.behind > maxLag
      const lead = latest > tip && this.#heads.isFar(member, now) ? latest - tip : 0
      if (lead > 0 && member.lead === 0) far.push(member)
      member.lead = lead
    }
    return far
  }
}

/** Milliseconds of pause for a node that answered 429 without a duration. */
const LIMITED = 1000

/** Records the head in the answer of a node. */
const noted = (member: PoolMember, tag: HeadTag, asked: ReturnType<typeof callOf>): Effect.Effect<void, NodeFailure> =>
  Effect.clockWith((clock) =>
    Effect.map(asked, (result) => {
      const head = PoolHeight.readHead(result)
      if (head !== undefined) member.sees(tag, head.number, Monotonic.millis(clock))
    })
  )
