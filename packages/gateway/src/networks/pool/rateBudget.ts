/** Counts the calls that a node may get per second and per day. */

/** Maximum numbers of calls to a node. */
export interface NodeRateLimits {
  /** Maximum number of calls in any period of one second. */
  readonly perSecond?: number | undefined
  /** Maximum number of calls in a day (UTC), counted in this process. */
  readonly perDay?: number | undefined
}

const SECOND = 1000
const DAY = 86_400_000

/** The budget of one node. Times are in milliseconds of the monotonic clock. */
export class RateBudget {
  /** The times of the last `perSecond` calls, in a ring. The oldest is at the index `#next`. */
  readonly #times: Float64Array | undefined
  readonly #perDay: number
  /** Milliseconds to add to the monotonic clock to get the time of the wall clock. */
  readonly #offset: number
  #next = 0
  #day = 0
  #today = 0

  constructor({ perDay, perSecond }: NodeRateLimits, offset: number) {
    this.#times = perSecond === undefined ? undefined : new Float64Array(perSecond).fill(-Infinity)
    this.#perDay = perDay ?? Infinity
    this.#offset = offset
  }

  /** Milliseconds between two calls, if the budget of a day is spread evenly; 0 without a limit per day. */
  get pause(): number {
    return DAY / this.#perDay
  }

  /** Returns the milliseconds until a call may be sent; zero if it may be sent now. */
  wait(now: number): number {
    const bySecond = this.#times === undefined ? 0 : Math.max(0, this.#times[this.#next]! + SECOND - now)
    return this.#used(now) < this.#perDay ? bySecond : DAY - ((now + this.#offset) % DAY)
  }

  /** Counts a call. Returns false, and counts nothing, if the call may not be sent now. */
  take(now: number): boolean {
    if (this.wait(now) > 0) return false
    this.#today = this.#used(now) + 1
    this.#day = this.#dayOf(now)
    if (this.#times !== undefined) {
      this.#times[this.#next] = now
      this.#next = (this.#next + 1) % this.#times.length
    }
    return true
  }

  /** Returns the number of calls left today; undefined if there is no limit per day. */
  left(now: number): number | undefined {
    return this.#perDay === Infinity ? undefined : Math.max(0, this.#perDay - this.#used(now))
  }

  #used(now: number): number {
    return this.#dayOf(now) === this.#day ? this.#today : 0
  }

  #dayOf(now: number): number {
    return Math.floor((now + this.#offset) / DAY)
  }
}
