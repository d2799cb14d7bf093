/** The times for which one node is not asked, after it lied or failed. */
import * as Backoff from "./Backoff.ts"

/** The longest rest: ten minutes, in milliseconds. */
export const LONGEST_REST = 600_000

/**
 * Doubles each rest that begins soon after the last one, up to `LONGEST_REST`. Soon means: before twice the length of
 * the last rest has passed since its end. All times are milliseconds of one monotonic clock.
 *
 * ```ts import.meta.vitest
 * import { RestPeriods } from "@plumbline/jsonrpc-core"
 *
 * const rests = new RestPeriods.RestPeriods(10_000)
 * rests.begin(0)
 * rests.isResting(9_999) // => true
 * rests.left(9_999) // => 1
 * rests.begin(10_000)
 * rests.isResting(29_999) // => true
 * rests.isResting(30_000) // => false
 * ```
 */
export class RestPeriods {
  readonly #first: number
  #until = 0
  /** Number of rests in a row. */
  #count = 0

  /** `first` is the length of a first rest, in milliseconds. */
  constructor(first: number) {
    this.#first = first
  }

  /** Begins a rest, unless one is running. */
  begin(now: number): void {
    if (now < this.#until) return
    this.#count = now < this.#until + 2 * this.#length() ? this.#count + 1 : 1
    this.#until = now + this.#length()
  }

  /** True during a rest. */
  isResting(now: number): boolean {
    return now < this.#until
  }

  /** Returns the milliseconds until the rest is over; 0 without a rest. */
  left(now: number): number {
    return Math.max(0, this.#until - now)
  }

  #length(): number {
    if (this.#count === 0) return 0
    return Backoff.delay({ initial: this.#first, factor: 2, max: LONGEST_REST, jitter: 0 }, this.#count - 1, 0)
  }
}
