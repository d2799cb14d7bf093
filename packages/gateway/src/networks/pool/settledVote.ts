/**
 * The vote of a pool's nodes on the safe and the finalized block.
 *
 * The agreed block is the highest that more than half of all voters hold at or below their own. The voters are the nodes
 * of the network, whether they answer or not: of the answers alone, one fast liar would be the majority while the honest
 * nodes are slow. So a lie ahead needs more than half of the nodes, and a node that is alone behind holds nothing back.
 * No node is judged by its vote. Nodes are an epoch apart for moments, so calls go to any node, with the number of the
 * agreed block in place of the tag.
 *
 * **Too few votes.** A network with fewer than half of its nodes left goes on as with `latest`: one node's word counts,
 * and it does not go below the agreed block while a node that is asked has it. A vote counts for `KEPT`, so the agreed
 * block outlives a short silence of its voters. It is not kept for longer, because nothing tells a chain that finalizes
 * nothing from a block that has become old. Older votes are true, but too low: they would hold back the nodes that go on.
 *
 * **Budgets.** If half of the nodes have budgets that allow no vote each 15 seconds, there is none at all: a block that is
 * agreed on now and then would be below the one node's word of the time between.
 *
 * **Two nodes.** More than half of two is both, so each of them could hold the block back for good. As they cannot
 * outvote each other at `latest` either, they have no vote.
 *
 * **Going back.** The agreed block does not go back while a node still holds it. A reorganisation of the safe block takes
 * it from all honest nodes. A liar that claims to hold it still keeps it until the others reach it, but can raise it no
 * further.
 */
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"

import type { ChainIdCheck } from "./chainIdCheck.ts"
import * as PoolHeight from "./height.ts"
import { callOf, type NodeFailure } from "./nodeCall.ts"
import * as PoolNodeRefusal from "./nodeRefusal.ts"
import * as PoolCall from "./poolCall.ts"
import type { RoutedCall, SettledTag } from "./poolCall.ts"
import { type PoolHeads, wentBack } from "./poolHeads.ts"
import { type PoolMember, RANK } from "./poolMember.ts"
import { isLimit, type PoolProbes, SAMPLE_AGE, SHARE } from "./poolProbes.ts"
import type { ResolvedPoolSettings } from "./poolSettings.ts"

export interface SettledVote {
  /**
   * Asks the nodes for their blocks in the background, if their votes are not young enough. Returns the wait for the
   * first votes if there is no agreed block; undefined if there is nothing to wait for.
   */
  readonly poll: (tags: ReadonlyArray<SettledTag>, now: number) => Effect.Effect<void> | undefined
  /** Returns the number of the agreed block; undefined if there is none. */
  readonly height: (tag: SettledTag, now: number) => number | undefined
}

/** The parts of a pool that its vote uses. */
export interface VoteParts {
  readonly pool: ReadonlyArray<PoolMember>
  readonly settings: ResolvedPoolSettings
  readonly heads: PoolHeads
  readonly probes: PoolProbes
  readonly ofChain: ChainIdCheck
}

/** Minimum number of nodes that vote. */
const LEAST = 3

/** Maximum age in milliseconds of votes that spare a caller the wait for younger ones. */
const FRESH = 10_000

/** Maximum age in milliseconds of a vote that counts: a node may take `tryTimeout` (10 s) for each answer. */
const KEPT = 30_000

/** Time between two polls while the nodes agree on no block, in milliseconds. */
const UNSETTLED_PAUSE = 10_000

/** Maximum number of milliseconds for which a call waits for votes. */
const MAX_WAIT = 1000

/** Maximum number of milliseconds for which it waits for the other votes once the nodes agree on a first block. */
const GRACE = 500

/** Makes the vote of a pool; undefined if its nodes have none. */
export const make = Effect.fnUntraced(function* (
  parts: VoteParts
): Effect.fn.Return<SettledVote | undefined, never, Scope.Scope> {
  const { blocks, hasVote, pulse } = parts.settings
  if (!hasVote || blocks === undefined || pulse === undefined || !canAgree(parts.pool)) return undefined
  const scope = yield* Scope.Scope
  const fork = Effect.runForkWith(yield* Effect.context())
  const run = (work: Effect.Effect<void>): void => void fork(Effect.forkIn(work, scope))
  const votes = {
    safe: new TagVote("safe", blocks, parts, run),
    finalized: new TagVote("finalized", blocks, parts, run)
  }
  return {
    poll: (tags, now) =>
      tags.reduce<Effect.Effect<void> | undefined>((before, tag) => {
        const wait = votes[tag].poll(now)
        return before === undefined || wait === undefined ? (wait ?? before) : Effect.andThen(before, wait)
      }, undefined),
    height: (tag, now) => {
      const own = votes[tag].height(now, KEPT)
      if (tag === "finalized" || own === undefined) return own
      // a finalized block is safe, though the nodes were last asked for their safe blocks before
      return Math.max(own, votes.finalized.height(now, KEPT) ?? -1)
    }
  }
})

/**
 * Returns the milliseconds between two questions to a node. The questions for both tags share the part of a budget that
 * probes may use.
 */
const pauseOf = ({ budget }: PoolMember): number => ((budget?.spacing ?? 0) / SHARE) * 2

/** True if more than half of the nodes can be asked so often that their votes always count. */
const canAgree = (pool: ReadonlyArray<PoolMember>): boolean =>
  pool.length >= LEAST && pool.filter((member) => pauseOf(member) <= KEPT / 2).length * 2 > pool.length

/** The last answer of a node: the number of its block, or -1 if it knows none. */
interface Ballot {
  number: number
  at: number
  askedAt: number
  isAsked: boolean
  /** True if the node gave no answer when it was last asked. */
  hasFailed: boolean
}

/** The vote on the block of one tag. */
class TagVote {
  readonly #tag: SettledTag
  readonly #method: string
  readonly #question: RoutedCall
  readonly #parts: VoteParts
  readonly #run: (work: Effect.Effect<void>) => void
  readonly #ballots: ReadonlyMap<PoolMember, Ballot>
  /** The block that was last agreed on; -1 before the first. */
  #agreed = -1
  #polledAt = -Infinity
  /** Opens when the last poll has an outcome. */
  #outcome = Latch.makeUnsafe(true)
  /** True if the nodes had agreed on no block when the last poll began. */
  #isFirst = true
  /** False after a wait in vain, until the nodes agree on a block again: silent nodes delay no further call. */
  #isWorthWaiting = true

  constructor(tag: SettledTag, method: string, parts: VoteParts, run: (work: Effect.Effect<void>) => void) {
    this.#tag = tag
    this.#method = method
    this.#question = PoolCall.foreign(method, "read", true).plain
    this.#parts = parts
    this.#run = run
    this.#ballots = new Map(
      parts.pool.map((member) => [
        member,
        { number: -1, at: -Infinity, askedAt: -Infinity, isAsked: false, hasFailed: false }
      ])
    )
  }

  /**
   * Returns the agreed block by votes not older than `age`; undefined if too few nodes support any. `pending` is the
   * number for nodes that are asked now; by default that of their last vote.
   */
  height(now: number, age: number, pending?: number): number | undefined {
    let voters = 0
    const numbers: Array<number> = []
    for (const [member, { at, isAsked, number }] of this.#ballots) {
      if (member.wrong !== undefined) continue
      voters++
      if (isAsked && pending !== undefined) numbers.push(pending)
      else if (number >= 0 && now - at <= age) numbers.push(number)
    }
    if (voters < LEAST) return undefined
    numbers.sort((a, b) => b - a)
    const found = numbers[Math.floor(voters / 2)]
    if (found === undefined) return undefined
    return this.#isHeld(now) ? Math.max(found, this.#agreed) : found
  }

  /** True if a node still holds the agreed block. The last vote of a node counts until it answers again, or does not. */
  #isHeld(now: number): boolean {
    for (const [member, { at, hasFailed, isAsked, number }] of this.#ballots) {
      const counts = now - at <= KEPT || (isAsked && !hasFailed)
      if (number >= this.#agreed && counts && member.wrong === undefined) return true
    }
    return false
  }

  poll(now: number): Effect.Effect<void> | undefined {
    const isKnown = this.height(now, FRESH) !== undefined
    if (now - this.#polledAt > (isKnown ? SAMPLE_AGE : UNSETTLED_PAUSE)) this.#begin(now)
    const end = this.#polledAt + MAX_WAIT
    const outcome = this.#outcome
    if (isKnown || end <= now || !this.#isWorthWaiting || outcome.isOpen()) return undefined
    return Effect.clockWith((clock) => {
      const left = Math.max(0, end - Monotonic.millis(clock))
      return Effect.map(Effect.raceFirst(outcome.await, Effect.sleep(left)), () => {
        if (this.height(Monotonic.millis(clock), FRESH) === undefined) this.#isWorthWaiting = false
      })
    })
  }

  #begin(now: number): void {
    this.#polledAt = now
    this.#outcome = Latch.makeUnsafe()
    this.#isFirst = this.#agreed < 0
    for (const [member, ballot] of this.#ballots) {
      if (ballot.isAsked || now - ballot.askedAt < pauseOf(member)) continue
      if (member.rank(this.#question, now) >= RANK.tired || member.barrier(this.#question, now) !== undefined) continue
      ballot.isAsked = true
      ballot.askedAt = now
      this.#run(this.#ask(member, ballot))
    }
    this.#open(now)
  }

  #ask(member: PoolMember, ballot: Ballot): Effect.Effect<void> {
    const { ofChain, settings } = this.#parts
    const asked = ofChain(
      member,
      (node, left) => callOf(node, this.#method, [this.#tag, false], left),
      settings.tryTimeout
    )
    return Effect.clockWith((clock) =>
      Effect.ensuring(
        Effect.matchEffect(asked, {
          onSuccess: (block) =>
            this.#count(member, ballot, PoolHeight.readHead(block)?.number, Monotonic.millis(clock)),
          onFailure: (error) => {
            ballot.hasFailed = true
            return this.#failed(member, error, clock)
          }
        }),
        Effect.sync(() => {
          ballot.isAsked = false
          this.#open(Monotonic.millis(clock))
        })
      )
    )
  }

  /** Counts the vote of a node. Tells the operator if the agreed block is below one that callers have seen. */
  #count(member: PoolMember, ballot: Ballot, number: number | undefined, now: number): Effect.Effect<void> {
    ballot.number = number ?? -1
    ballot.at = now
    ballot.hasFailed = false
    if (number !== undefined) member.sees(this.#tag, number, now)
    const agreed = this.height(now, KEPT)
    if (agreed === undefined) return Effect.void
    this.#agreed = agreed
    this.#isWorthWaiting = true
    const before = this.#parts.heads.agree(this.#tag, agreed)
    return before === undefined ? Effect.void : wentBack(this.#tag, before, agreed)
  }

  /** Keeps the pause that a node asks for. Any other error is no fault: it may not know the tag, or be slow with it. */
  #failed(member: PoolMember, error: NodeFailure, clock: Clock.Clock): Effect.Effect<void> {
    const refusal = PoolNodeRefusal.of(error, this.#question.trait)
    return refusal?.kind === "rateLimited" || refusal?.kind === "quotaExceeded" || isLimit(error)
      ? this.#parts.probes.judged(member, error, refusal, this.#question, clock)
      : Effect.void
  }

  /**
   * Lets waiting calls go on if the nodes agree on a block, or can no longer do so. A first block that a vote can still
   * raise comes a little later: a fast node that is far behind must not decide. Later the block before is the bound.
   */
  #open(now: number): void {
    const outcome = this.#outcome
    const agreed = this.height(now, FRESH)
    const isOver = this.height(now, FRESH, Infinity) === agreed
    if (isOver || (agreed !== undefined && !this.#isFirst)) Latch.openUnsafe(outcome)
    else if (agreed !== undefined) this.#run(Effect.delay(Latch.open(outcome), GRACE))
  }
}
