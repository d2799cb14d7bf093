/** Times in which the limit store is not asked, because it failed. */
import type * as Clock from "effect/Clock"
import type * as Random from "effect/Random"

import type { LimiterError } from "./LimiterError.ts"

type Randomness = (typeof Random.Random)["Service"]

/** Whether a store can be asked: after a failure it is left alone for a while, and then tried by one call at a time. */
export class Outage {
  readonly #clock: Clock.Clock
  readonly #random: Randomness
  #state: "untried" | "up" | "down" = "untried"
  #error: LimiterError | undefined
  #failures = 0
  #retryAt = 0
  #trying = false

  constructor(clock: Clock.Clock, random: Randomness) {
    this.#clock = clock
    this.#random = random
  }

  get state(): "untried" | "up" | "down" {
    return this.#state
  }

  /** Why the store is not to be asked now; undefined if it is, and then one of the others must follow. */
  begin(): LimiterError | undefined {
    if (this.#error === undefined) return undefined
    if (this.#trying || this.#clock.currentTimeMillisUnsafe() < this.#retryAt) return this.#error
    this.#trying = true
    return undefined
  }

  /** It has answered. True if it was down. */
  answered(): boolean {
    const wasDown = this.#state === "down"
    this.#state = "up"
    this.#error = undefined
    this.#failures = 0
    this.#trying = false
    return wasDown
  }

  /** It has not answered. True if it was not known to be down. */
  failed(error: LimiterError): boolean {
    // Of all the calls that were under way when it failed, one is enough.
    if (this.#state === "down" && !this.#trying) return false
    const wasUp = this.#state !== "down"
    const longest = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE)
    this.#retryAt = this.#clock.currentTimeMillisUnsafe() + longest * (0.5 + this.#random.nextDoubleUnsafe() / 2)
    this.#failures++
    this.#state = "down"
    this.#error = error
    this.#trying = false
    return wasUp
  }

  /** Nobody waited for the answer. */
  abandoned(): void {
    this.#trying = false
  }
}

const FIRST_PAUSE = 250
const LONGEST_PAUSE = 5000
