/** Counts the lies of a node, and sets the node aside for a time after a lie. */
import { LONGEST_REST, RestPeriods } from "@plumbline/jsonrpc-core/time/RestPeriods"

import type { LieCount, UpstreamLies, UpstreamVerdicts } from "../networks/Upstream.ts"

/**
 * Maximum number of kinds of lies that are counted separately. The name of a check can contain the name of a field,
 * which the node chooses.
 */
const MAX_KINDS = 100

type LieTally = Omit<LieCount, "isLying" | "node">

export class NodeReputation {
  readonly name: string
  readonly #rests: RestPeriods
  /** The method of the last lie, and the end of the time in which it counts; undefined if the node is trusted. */
  #doubt: { readonly method: string; readonly until: number } | undefined
  #total = 0
  #verified = 0
  #claimed = 0
  #last: UpstreamLies["last"] | undefined
  readonly #counts = new Map<string, { -readonly [Field in keyof LieTally]: LieTally[Field] }>()

  constructor(name: string, rest: number) {
    this.name = name
    this.#rests = new RestPeriods(rest)
  }

  /**
   * Counts a lie, and sets the node aside. If the node was set aside shortly before, the time doubles. Returns true if
   * the caller must log the lie; equal lies within a second are logged once. `at` is the time of the wall clock, and
   * `now` is the time of the monotonic clock.
   */
  lied(method: string, check: string, at: number, now: number): boolean {
    const isNews = this.note(method, check, at)
    this.#rests.begin(now)
    this.#doubt = { method, until: now + LONGEST_REST }
    return isNews
  }

  /** Counts an answer that is a lie or a mistake. The node is not set aside. Returns the same as `lied`. */
  note(method: string, check: string, at: number): boolean {
    const isNews = this.#last === undefined || at - Date.parse(this.#last.at) >= 1000 || this.#last.check !== check
    this.#total++
    this.#last = { check, method, at: new Date(at).toISOString() }
    const kind = `${method} ${check}`
    const count = this.#counts.get(kind) ?? this.#open(kind, method, check)
    count.count++
    count.lastAt = at
    return isNews
  }

  #open(kind: string, method: string, check: string) {
    const isFull = this.#counts.size >= MAX_KINDS
    const count = (isFull ? this.#counts.get(OTHERS) : undefined) ?? {
      method: isFull ? OTHERS : method,
      check: isFull ? OTHERS : check,
      count: 0,
      lastAt: 0
    }
    this.#counts.set(isFull ? OTHERS : kind, count)
    return count
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
   * Records an answer that no check refuted. After the rest, a proven answer, or an answer to the method about which the
   * node lied, makes the node trusted again.
   */
  answered(method: string, isVerified: boolean, now: number): void {
    if (this.#doubt !== undefined && (isVerified || method === this.#doubt.method) && !this.isResting(now))
      this.#doubt = undefined
  }

  /**
   * True from a lie until the node is trusted again. A node that is not asked is trusted again ten minutes after its last
   * lie.
   */
  isLying(now: number): boolean {
    return this.isResting(now) || (this.#doubt !== undefined && now < this.#doubt.until)
  }

  /** Returns the milliseconds for which the node is still set aside. */
  restLeft(now: number): number {
    return this.#rests.left(now)
  }

  /** True while the node is set aside. `now` is the time of the monotonic clock. */
  isResting(now: number): boolean {
    return this.#rests.isResting(now)
  }

  get lies(): UpstreamLies | undefined {
    if (this.#last === undefined) return undefined
    const checks: Record<string, number> = {}
    for (const { check, count } of this.#counts.values()) checks[check] = (checks[check] ?? 0) + count
    return { count: this.#total, checks, last: this.#last }
  }

  get counts(): ReadonlyArray<LieTally> {
    return [...this.#counts.values()]
  }
}

const OTHERS = "others"
