/** Counts the lies of a node, and sets the node aside for a time after a lie. */
import { LONGEST_REST, RestPeriods } from "@plumbline/jsonrpc-core/time/RestPeriods"

import type { LieCount, UpstreamLies, UpstreamVerdicts } from "../networks/Upstream.ts"

/**
 * Maximum number of kinds of lies that are counted separately. The name of a check can contain the name of a field,
 * which the node chooses.
 */
const MAX_KINDS = 100

/** The name of the check that a node fails if it answers `null`, and another node proves that the thing exists. */
export const WITHHELD = "absent"

type LieTally = Omit<LieCount, "asideUntil" | "isLying" | "node" | "trustedSince">

/** A refuted answer: the values that the check compared, the parameters of the call, and the order to lie, if any. */
export interface LieDetails extends Pick<LieCount, "block" | "drill" | "expected" | "got"> {
  readonly params?: ReadonlyArray<unknown> | undefined
}

/** The time for which the lies of a drill are counted after the last of them, in milliseconds. */
const DRILL_KEPT = 3_600_000

/** Maximum length of a value that a check compared. A node chooses the value in its answer. */
const MAX_VALUE = 200

/** The lies of one kind in a drill, with the time of the last one by the monotonic clock. */
interface DrillTally {
  readonly tally: LieTally
  readonly now: number
}

interface Doubt {
  readonly methods: Set<string>
  readonly since: number
  readonly until: number
}

export class NodeReputation {
  readonly name: string
  readonly #rests: RestPeriods
  readonly #first: number
  /** The checks that refuted answers, with the methods of these answers, the time of the last lie, and its end. */
  readonly #doubts = new Map<string, Doubt>()
  /** The check that refuted an answer last. */
  #refuted = ""
  #total = 0
  #ordered = 0
  #verified = 0
  #claimed = 0
  #last: UpstreamLies["last"] | undefined
  #trustedSince: number | undefined
  readonly #counts = new Map<string, LieTally>()
  /** The lies of drills, which have a map of their own, so that they leave other lies their kinds. */
  readonly #drills = new Map<string, DrillTally>()
  /** The time of the last lie, by the monotonic clock. */
  #liedAt = Number.NEGATIVE_INFINITY

  /**
   * `rest` is the time for which the node is set aside after a first lie, in milliseconds. An only node is not set aside,
   * but it is not trusted for that time.
   */
  constructor(name: string, rest: number, isOnly = false) {
    this.name = name
    this.#first = rest
    this.#rests = new RestPeriods(isOnly ? 0 : rest)
  }

  /**
   * Counts a lie, and sets the node aside. If the node was set aside shortly before, the time doubles. Returns true if
   * the caller must log the lie; equal lies within a second are logged once. `at` is the time of the wall clock, and
   * `now` is the time of the monotonic clock.
   */
  lied(method: string, check: string, at: number, now: number, details?: LieDetails): boolean {
    const isNews = this.note(method, check, at, now, details)
    this.#trustedSince = undefined
    this.#liedAt = now
    this.#rests.begin(now)
    this.#refuted = check
    const isFull = this.#doubts.size >= MAX_KINDS && !this.#doubts.has(check)
    const kind = isFull ? OTHERS : check
    const methods = this.#doubts.get(kind)?.methods ?? new Set()
    this.#doubts.set(kind, { methods: methods.add(method), since: now, until: now + LONGEST_REST })
    return isNews
  }

  /** Counts an answer that is a lie or a mistake. The node is not set aside. Returns the same as `lied`. */
  note(method: string, check: string, at: number, now: number, details: LieDetails = {}): boolean {
    const isNews = this.#last === undefined || at - Date.parse(this.#last.at) >= 1000 || this.#last.check !== check
    this.#total++
    if (details.drill !== undefined) this.#ordered++
    this.#last = { check, method, at: new Date(at).toISOString() }
    const { block, drill, expected, got, params } = details
    const kind =
      drill === undefined ? this.#kindOf(method, check) : { key: `${drill.at} ${method} ${check}`, method, check }
    const before = drill === undefined ? this.#counts.get(kind.key) : this.#drills.get(kind.key)?.tally
    const tally: LieTally = {
      method: kind.method,
      check: kind.check,
      count: (before?.count ?? 0) + 1,
      firstAt: before?.firstAt ?? at,
      lastAt: at,
      expected: printable(expected),
      got: printable(got),
      ...(params === undefined ? {} : { params: printable(JSON.stringify(params)) }),
      ...(block === undefined ? {} : { block }),
      ...(drill === undefined ? {} : { drill })
    }
    if (drill === undefined) this.#counts.set(kind.key, tally)
    else this.#drills.set(kind.key, { tally, now })
    this.#forgetDrills(now)
    return isNews
  }

  /**
   * Forgets the drills whose last lie was long ago, and the oldest if there are too many. It uses the monotonic clock: if
   * the wall clock goes forward by hours, the current drill is still counted.
   */
  #forgetDrills(now: number): void {
    for (const [key, drill] of this.#drills) {
      if (now - drill.now > DRILL_KEPT || this.#drills.size > MAX_KINDS) this.#drills.delete(key)
    }
  }

  /** Returns the kind of a lie that no operator ordered. */
  #kindOf(method: string, check: string) {
    const key = `${method} ${check}`
    return this.#counts.size < MAX_KINDS || this.#counts.has(key)
      ? { key, method, check }
      : { key: OTHERS, method: OTHERS, check: OTHERS }
  }

  /** Counts an answer that passed. */
  passed(isVerified: boolean): void {
    if (isVerified) this.#verified++
    else this.#claimed++
  }

  /** The number of answers that passed, by verdict. */
  get verdicts(): UpstreamVerdicts {
    return { verified: this.#verified, claimed: this.#claimed }
  }

  /**
   * Records an answer that passed its checks and was asked for at `asked`. After the rest, it ends the doubts of the checks
   * that refuted an answer to the same method, unless it was asked for before the lie. An only node has no rest, but its
   * doubts stay as long as a first rest after the last lie. `at` is the time of the wall clock.
   */
  answered(method: string, asked: number, at: number, now: number): void {
    if (this.#doubts.size === 0 || this.isResting(now) || now - this.#liedAt < this.#first) return
    for (const [check, { methods, since }] of this.#doubts) {
      if (asked > since && methods.has(method)) this.#doubts.delete(check)
    }
    if (this.#doubts.size === 0) this.#trustedSince = at
  }

  /**
   * Returns the trust in the node. It lies from a lie until, for each check that refuted an answer, an answer to such a
   * method has passed its checks. Ten minutes after the last lie by a check, such an answer is no longer waited for.
   */
  trust(at: number, now: number): Pick<LieCount, "isLying" | "trustedSince"> {
    const ends = Array.from(this.#doubts.values(), ({ until }) => until)
    for (const [check, { until }] of this.#doubts) if (until <= now) this.#doubts.delete(check)
    if (ends.length > 0 && this.#doubts.size === 0) this.#trustedSince = at - (now - Math.max(...ends))
    const isLying = this.isResting(now) || this.#doubts.size > 0
    return isLying || this.#trustedSince === undefined ? { isLying } : { isLying, trustedSince: this.#trustedSince }
  }

  /** Returns the milliseconds for which the node is still set aside. */
  restLeft(now: number): number {
    return this.#rests.left(now)
  }

  /** True while the node is set aside. `now` is the time of the monotonic clock. */
  isResting(now: number): boolean {
    return this.#rests.isResting(now)
  }

  /** The check that refuted an answer last; empty before the first lie. */
  get refuted(): string {
    return this.#refuted
  }

  get lies(): UpstreamLies | undefined {
    if (this.#last === undefined) return undefined
    const checks: Record<string, number> = {}
    for (const { check, count } of this.#counts.values()) checks[check] = (checks[check] ?? 0) + count
    const ordered = this.#ordered === 0 ? {} : { ordered: this.#ordered }
    return { count: this.#total, ...ordered, checks, last: this.#last }
  }

  /** Returns the lies by kind. `now` is the time of the monotonic clock. */
  counts(now: number): ReadonlyArray<LieTally> {
    this.#forgetDrills(now)
    return [...this.#counts.values(), ...Array.from(this.#drills.values(), ({ tally }) => tally)]
  }
}

/** True if a node is set aside. If all nodes have lied, none is set aside, because each answer is checked anyway. */
export const isAside = (standings: ReadonlyArray<NodeReputation>, standing: NodeReputation, now: number): boolean =>
  standing.isResting(now) && standings.some((other) => !other.isResting(now))

const printable = (value: string | undefined): string | undefined =>
  value?.slice(0, MAX_VALUE).replaceAll(/[^\u0020-\u007e]/gu, "?")

const OTHERS = "others"
