/** The honesty of a node: its lies, and the time for which it is set aside because of one. */
import type { Lies } from "../networks/Upstream.ts"

/** The longest rest of a node that lies again and again: ten minutes, in milliseconds. */
export const LONGEST_REST = 600_000

/** Kinds of lies that are counted apart. A check may name a field, and a node may send any number of those. */
const MAX_KINDS = 100

/** Lies of one node about one method, found by one check. */
export interface Count {
  readonly method: string
  readonly check: string
  readonly count: number
}

export class Standing {
  readonly name: string
  readonly #rest: number
  #total = 0
  #last: Lies["last"] | undefined
  readonly #counts = new Map<string, { method: string; check: string; count: number }>()
  #until = 0
  /** The number of rests in a row. */
  #rests = 0

  constructor(name: string, rest: number) {
    this.name = name
    this.#rest = rest
  }

  /**
   * Counts a lie. Returns true if it is to be logged: lies of the same second are one line. The node rests, for twice
   * as long as the last time if it lies again soon after a rest. `at` is of the wall clock, `now` of the monotonic one.
   */
  lied(method: string, check: string, at: number, now: number): boolean {
    const isNews = this.note(method, check, at)
    if (now >= this.#until) {
      const last = this.#restOf(this.#rests)
      this.#rests = now < this.#until + 2 * last ? this.#rests + 1 : 1
      this.#until = now + this.#restOf(this.#rests)
    }
    return isNews
  }

  /** Counts an answer that may be a lie or a mistake. The node is not set aside. */
  note(method: string, check: string, at: number): boolean {
    const isNews = this.#last === undefined || at - Date.parse(this.#last.at) >= 1000 || this.#last.check !== check
    this.#total++
    this.#last = { check, method, at: new Date(at).toISOString() }
    const kind = `${method} ${check}`
    const count = this.#counts.get(kind) ?? this.#open(kind, method, check)
    count.count++
    return isNews
  }

  #open(kind: string, method: string, check: string) {
    const isFull = this.#counts.size >= MAX_KINDS
    const count = (isFull ? this.#counts.get(OTHERS) : undefined) ?? {
      method: isFull ? OTHERS : method,
      check: isFull ? OTHERS : check,
      count: 0
    }
    this.#counts.set(isFull ? OTHERS : kind, count)
    return count
  }

  /** `now` is of the monotonic clock. */
  isResting(now: number): boolean {
    return now < this.#until
  }

  get lies(): Lies | undefined {
    if (this.#last === undefined) return undefined
    const checks: Record<string, number> = {}
    for (const { check, count } of this.#counts.values()) checks[check] = (checks[check] ?? 0) + count
    return { count: this.#total, checks, last: this.#last }
  }

  get counts(): ReadonlyArray<Count> {
    return [...this.#counts.values()]
  }

  #restOf(rests: number): number {
    return rests === 0 ? 0 : Math.min(LONGEST_REST, this.#rest * 2 ** (rests - 1))
  }
}

const OTHERS = "others"
