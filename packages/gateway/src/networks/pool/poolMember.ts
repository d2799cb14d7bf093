/** The state of one node of a pool, according to calls and probes. */
import type { Capabilities } from "@plumbline/eth-methods/model/Capabilities"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Backoff from "@plumbline/jsonrpc-core/time/Backoff"

import type { UpstreamHealth, NodeError, UpstreamState, Upstream } from "../Upstream.ts"
import { UpstreamError } from "../UpstreamError.ts"
import { HeadClaim } from "./headClaim.ts"
import type { ProbedHead } from "./height.ts"
import * as NodeCapabilities from "./nodeCapabilities.ts"
import { NodeLatencies } from "./nodeLatencies.ts"
import type { NodeRefusal } from "./nodeRefusal.ts"
import type { HeadTag, RoutedCall } from "./poolCall.ts"
import type { PoolNode, ResolvedPoolSettings } from "./poolSettings.ts"
import { RateBudget } from "./rateBudget.ts"

export class PoolMember {
  readonly name: string
  readonly operator: string
  readonly upstream: Upstream
  readonly weight: number
  readonly cost: number
  readonly archive: boolean | undefined
  readonly budget: RateBudget | undefined
  /** The response times of the node by method; undefined if calls are not hedged. */
  readonly latencies: NodeLatencies | undefined
  /** The number of blocks that the node was behind the served tip at the last comparison; undefined if unknown. */
  behind: number | undefined
  /** True if the node is more blocks behind than the options allow. */
  isBehind = false
  /** The number of blocks above the served tip if they were too many to be believed; otherwise 0. */
  lead = 0
  /** True while a probe of the node runs. */
  isWatched = false
  /**
   * True after the node has returned the right chain id. Each fault resets it, because another node may answer at the
   * same address afterwards.
   */
  isChecked = false
  /** The error of calls while the node belongs to another chain; undefined otherwise. */
  wrong: UpstreamError | undefined
  /**
   * The fault of the last probe of the node's chain. All callers that waited for this probe get the fault, and it counts
   * once.
   */
  probed: { readonly fault: UpstreamError; isJudged: boolean } | undefined
  /** The numbers of the node's heads, as last reported; -1 if unknown. */
  readonly heads = { latest: -1, safe: -1, finalized: -1 }
  /** The claim of the node's heads above the served tip. */
  readonly claim = new HeadClaim()
  /** Time of the monotonic clock at which `heads.latest` was last reported. */
  seenAt = -Infinity
  /** Number of answers and faults of the node. While it stays the same, the node is silent. */
  heard = 0
  /** Number of calls sent to the node, including the pool's own. */
  calls = 0
  /** Number of calls to the node without an answer. */
  faults = 0
  readonly #faultsBy = new Map<UpstreamError["reason"]["_tag"], number>()
  /** Number of errors that said that the node cannot answer now, for example because of a limit or an overload. */
  refusals = 0
  /** Number of calls that the node got because another node was slow. */
  hedges = 0
  /** Number of answers of the node that differed from the answers of other nodes. */
  disagreements = 0
  /** Time at which the node was last asked which blocks it has. */
  statedAt = -Infinity
  /** The blocks that the node says it has; undefined if it does not say. */
  stated: Capabilities | undefined
  /** Time at which the pool last looked for a newer head of the node. */
  lookedAt = -Infinity
  readonly #limit: number
  #failures = 0
  #state: UpstreamState = "untried"
  #latency: number | undefined
  #head: { readonly head: ProbedHead; readonly at: number } | undefined
  #error: NodeError | undefined
  /** True if the node has answered since its last error. */
  #isOver = true
  /** The time until which the node is not asked, because it asked for a pause. */
  #restUntil = -Infinity
  /** The time until which the node is asked after the other nodes. */
  #tiredUntil = -Infinity
  /** Number of times in a row that the node asked for a pause without a duration. */
  #tired = 0
  /**
   * The methods that the node does not have, with the node's error for each. The map has at most as many entries as the
   * network has methods.
   */
  readonly #lacks = new Map<string, { readonly error: ErrorObject; readonly until: number }>()
  /**
   * For each kind of data, the depth from which on the node has none, according to its errors. A depth is a number of
   * blocks below the head.
   */
  readonly #depths = new Map<NodeCapabilities.HistoryData, { readonly depth: number; readonly until: number }>()

  /** `offset` is the number of milliseconds from the monotonic clock to the wall clock. */
  constructor(
    member: Pick<PoolNode, "name" | "operator" | "upstream"> & ResolvedPoolSettings["members"][number],
    { failures, hedge }: ResolvedPoolSettings,
    offset: number
  ) {
    const { archive, cost, name, operator, requestsPerDay, requestsPerSecond, upstream, weight } = member
    this.name = name
    this.operator = operator ?? name
    this.upstream = upstream
    this.weight = weight
    this.cost = cost
    this.archive = archive
    const isBounded = requestsPerDay !== undefined || requestsPerSecond !== undefined
    this.budget = isBounded
      ? new RateBudget({ perSecond: requestsPerSecond, perDay: requestsPerDay }, offset)
      : undefined
    this.latencies = hedge === undefined ? undefined : new NodeLatencies(hedge.percentile / 100)
    this.#limit = failures
  }

  get state(): UpstreamState {
    return this.wrong === undefined ? this.#state : "wrong"
  }

  get isDown(): boolean {
    return this.#state === "down"
  }

  /** True if the last call to the node ended without an answer. */
  get isInDoubt(): boolean {
    return this.#failures > 0
  }

  /** Returns the reason why the node cannot be asked now; undefined if it can be asked. */
  barrier(question: RoutedCall, now: number): ErrorObject | UpstreamError | undefined {
    const wait = this.budget === undefined ? 0 : this.budget.wait(now)
    return this.ban(question, now) ?? (wait > 0 ? limited(wait) : undefined)
  }

  /** Returns the reason why the node cannot be asked now, ignoring its budget. */
  ban({ trait }: RoutedCall, now: number): ErrorObject | UpstreamError | undefined {
    if (this.wrong !== undefined) return this.wrong
    if (this.#restUntil > now) return limited(this.#restUntil - now)
    const lack = this.#lacks.size === 0 ? undefined : this.#lacks.get(trait.method)
    if (lack !== undefined) {
      if (lack.until > now) return lack.error
      this.#lacks.delete(trait.method)
    }
    return undefined
  }

  /** Returns the rank of the node for a question. Nodes with a lower rank are asked first. */
  rank(question: RoutedCall, now: number): number {
    const unfit = this.hasData(question, now) === false
    return (
      (this.isDown ? RANK.down : 0) +
      (this.#tiredUntil > now ? RANK.tired : 0) +
      (unfit ? RANK.unfit : 0) +
      (this.isBehind ? RANK.behind : 0)
    )
  }

  /**
   * True if the node has the data of the oldest block of a call, and false if it has not; undefined if that is unknown.
   * The operator's word counts first, then the node's errors, then what the node states.
   */
  hasData({ oldest, trait: { blockAt, history } }: RoutedCall, now: number): boolean | undefined {
    if (oldest === undefined) return blockAt !== -1 && this.stated?.[history].disabled === true ? false : undefined
    const isState = history === "state" || history === "stateproofs"
    if (isState && this.archive === false) return this.heads.latest - oldest < KEPT_STATES
    if (isState && this.archive === true) return true
    if (this.#depths.size > 0 && this.#hasDropped(history, oldest, now)) return false
    const first = this.oldestOf(history)
    return first === undefined ? undefined : oldest >= first
  }

  /**
   * Returns the oldest block of which the node states that it has this data, when its latest block is `latest`; undefined
   * if it does not say.
   */
  oldestOf(history: NodeCapabilities.HistoryData, latest = this.heads.latest): number | undefined {
    return this.stated === undefined ? undefined : NodeCapabilities.oldestOf(this.stated, history, latest)
  }

  /** Returns the milliseconds until the node can be asked again. */
  restLeft(now: number): number {
    return Math.max(0, this.#restUntil - now)
  }

  /** Records an answer, and its response time in milliseconds. */
  answered(millis?: number): void {
    this.heard++
    this.#failures = 0
    this.#tired = 0
    this.#state = "up"
    this.#isOver = true
    if (millis !== undefined) {
      this.#latency = this.#latency === undefined ? millis : this.#latency + (millis - this.#latency) * WEIGHT
    }
  }

  /** Records a fault. Returns true if this fault takes the node down. */
  failed(reason: UpstreamError["reason"]["_tag"]): boolean {
    this.heard++
    this.faults++
    this.#faultsBy.set(reason, (this.#faultsBy.get(reason) ?? 0) + 1)
    this.isChecked = false
    // Another node may answer at this address afterwards.
    this.#lacks.clear()
    this.#depths.clear()
    this.stated = undefined
    this.statedAt = -Infinity
    if (this.isDown || ++this.#failures < this.#limit) return false
    this.#state = "down"
    this.heads.latest = this.heads.safe = this.heads.finalized = -1
    this.claim.clear()
    return true
  }

  /**
   * Records that the node is alive but cannot answer now. `told` is the pause that the node asked for, if it named one.
   */
  limited(told: number | undefined, guess: number, now: number): void {
    const tired = this.#tired
    this.answered()
    if (told !== undefined) this.#restUntil = Math.max(this.#restUntil, now + Math.min(told, MAX_REST))
    else if (guess > 0) {
      this.#tired = tired + 1
      this.#tiredUntil = now + Backoff.delay({ initial: guess, factor: 2, max: MAX_TIRED, jitter: 0 }, tired, 0)
    }
  }

  /** Records what an error object says about the node itself, apart from the call. */
  refused(refusal: NodeRefusal, { oldest, trait }: RoutedCall, now: number): void {
    if (refusal.isState === true) this.refusals++
    if (!refusal.isSure) {
      this.answered()
      return
    }
    this.limited(refusal.told, refusal.rest ?? 0, now)
    if (refusal.learned === "method" && trait.isKnown) {
      this.#lacks.set(trait.method, { error: refusal.error, until: now + MEMORY })
    }
    if (refusal.learned === "history" && this.archive === undefined && oldest !== undefined && this.heads.latest >= 0) {
      const depth = Math.max(MIN_DEPTH, this.heads.latest - oldest)
      const known = this.#depths.get(trait.history)
      this.#depths.set(trait.history, { depth: Math.min(depth, known?.depth ?? Infinity), until: now + MEMORY })
    }
  }

  /** Records an error for the operator. `at` is a time of the wall clock. */
  noted(kind: NodeError["kind"], at: number): void {
    const before = this.#error
    this.#error = { kind, since: this.#isOver || before?.kind !== kind ? at : before.since, at }
    this.#isOver = false
  }

  /** Records a head of the node. */
  sees(tag: HeadTag, number: number, now: number): void {
    this.heads[tag] = number
    if (tag === "latest") this.seenAt = now
  }

  /** Records the latest block of the node. `at` is a time of the wall clock. */
  saw(head: ProbedHead, now: number, at: number): void {
    this.sees("latest", head.number, now)
    this.#head = { head, at }
  }

  /**
   * Returns the highest block that the node may have. This is its last head. If the node has been silent since, because
   * it has a budget or asked for a pause, it may have all blocks that the fastest chain adds meanwhile.
   */
  reach(now: number): number {
    const age = now - this.seenAt
    return age <= VOTE_AGE ? this.heads.latest : this.heads.latest + Math.ceil(FASTEST * age)
  }

  /**
   * True if the head of the node counts for the served tip: the node is up, and its head is known and not older than
   * `age`. A node at block 0 has no chain yet.
   */
  hasHead(now: number, age: number): boolean {
    return this.heads.latest > 0 && now - this.seenAt <= age && !this.isDown && this.wrong === undefined
  }

  #hasDropped(history: NodeCapabilities.HistoryData, oldest: number, now: number): boolean {
    const known = this.#depths.get(history)
    if (known === undefined) return false
    if (known.until > now) return this.heads.latest - oldest >= known.depth
    this.#depths.delete(history)
    return false
  }

  /** Returns the state of the node for operators. `now` is monotonic; `at` is a time of the wall clock. */
  health(now: number, at: number): UpstreamHealth {
    const { behind, calls, faults, name, refusals, state, wrong } = this
    const seen = this.#head
    const rest = Math.max(this.#restUntil, this.#tiredUntil) - now
    return {
      name,
      state,
      ...(wrong === undefined ? {} : { problem: wrong.message }),
      ...(wrong === undefined && this.lead > 0 ? { problem: aheadText(this.lead) } : {}),
      behind,
      calls,
      faults,
      ...(this.#faultsBy.size === 0 ? {} : { faultsBy: Object.fromEntries(this.#faultsBy) }),
      refusals,
      hedges: this.hedges,
      disagreements: this.disagreements,
      ...(this.#latency === undefined ? {} : { responseMillis: Math.round(this.#latency * 10) / 10 }),
      ...(this.#error === undefined ? {} : { lastError: this.#error }),
      ...(rest > 0 ? { nextAttemptAt: Math.round(at + rest) } : {}),
      ...(seen === undefined ? {} : { head: { ...seen.head, seenAt: seen.at } }),
      ...(seen?.head.time === undefined ? {} : { lagMillis: Math.max(0, seen.at - seen.head.time) }),
      ...(this.budget?.left(now) === undefined ? {} : { leftToday: this.budget.left(now) }),
      ...(this.#lacks.size === 0 ? {} : { lacks: [...this.#lacks.keys()] })
    }
  }
}

/** Returns the sentence about a node whose latest block is not believed. */
export const aheadText = (lead: number): string =>
  `its latest block is not believed: it is ${lead} blocks above that of most nodes`

/**
 * The weights of a rank. Each weight is greater than the sum of all smaller weights. `usual` is added for an old block
 * if the node is not an archive.
 */
export const RANK = { usual: 1, behind: 2, unfit: 4, far: 8, tired: 16, down: 32 } as const

/** Maximum age in milliseconds at which a head is the node's own word about the chain of now. */
export const VOTE_AGE = 10_000

/** Maximum age of the head of a silent node that counts: a node whose budget of a day is used up is silent until midnight. */
export const SILENT_AGE = 86_400_000

/**
 * Blocks per millisecond of the fastest chain: twice the pace of a block each 250 ms. A pace that is measured would refuse
 * an honest node of a chain that stood still, or that makes blocks only for transactions.
 */
const FASTEST = 8 / 1000

/** Number of newest blocks whose state every node keeps, archive or not: 128 in geth and most other clients. */
export const KEPT_STATES = 128

/** The weight of the newest time in the moving average of response times. */
const WEIGHT = 0.1

/** Maximum pause in milliseconds for a node that asks for a pause of a certain duration. */
const MAX_REST = 5 * 60_000

/** Maximum pause in milliseconds for a node that asks for a pause without a duration. */
const MAX_TIRED = 60_000

/** Milliseconds for which the pool remembers that a node does not have a method or old blocks. */
const MEMORY = 10 * 60_000

/**
 * Number of newest blocks whose state every node has. If a node refuses a call about one of them, this says nothing
 * about older blocks.
 */
const MIN_DEPTH = 16

export const limited = (millis: number): UpstreamError =>
  new UpstreamError({ reason: { _tag: "Limited", after: Math.ceil(millis) } })
