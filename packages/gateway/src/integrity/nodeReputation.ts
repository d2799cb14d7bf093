/** Counts the lies of a node, and sets the node aside for a time after a lie. */
import { RestPeriods } from "@plumbline/jsonrpc-core/time/RestPeriods"

import type { LieCount, UpstreamLies, UpstreamVerdicts } from "../networks/Upstream.ts"

/**
 * Maximum number of kinds of lies that are counted separately. The name of a check can contain the name of a field,
 * which the node chooses.
 */
const MAX_KINDS = 100

type LieTally = Omit<LieCount, "isResting" | "node">

export class NodeReputation {
  readonly name: string
  readonly #rests: RestPeriods
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
