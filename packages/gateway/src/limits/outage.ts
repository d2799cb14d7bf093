/** Periods in which the limit store is not asked, because it failed. */
import type * as Clock from "effect/Clock"
import type * as Random from "effect/Random"

import * as Monotonic from "../clock/monotonic.ts"
import type { LimiterError } from "./LimiterError.ts"

type Randomness = (typeof Random.Random)["Service"]

/**
 * Decides whether a store can be asked: after a failure it is left alone for a while, and then tried by one call at a
 * time.
 */
export class Outage {
  readonly #clock: Clock.Clock
  readonly #random: Randomness
  #state: "untried" | "up" | "down" = "untried"
  #error: LimiterError | undefined
  #failures = 0
  /** Milliseconds of the monotonic clock: the wall clock may be set back, and a pause must still end. */
  #retryAt = 0
  #trying = false

  constructor(clock: Clock.Clock, random: Randomness) {
    this.#clock = clock
    this.#random = random
  }

  get state(): "untried" | "up" | "down" {
    return this.#state
  }

  /**
   * Returns the reason why the store must not be asked now. If it is undefined, ask the store and then call one of the
   * other methods.
   */
  begin(): LimiterError | undefined {
    if (this.#error === undefined) return undefined
    if (this.#trying || this.#now() < this.#retryAt) return this.#error
    this.#trying = true
    return undefined
  }

  /** Notes an answer. Returns true if the store was down. */
  answered(): boolean {
    const wasDown = this.#state === "down"
    this.#state = "up"
    this.#error = undefined
    this.#failures = 0
    this.#trying = false
    return wasDown
  }

  /** Notes a failure. Returns true if the store was not known to be down. */
  failed(error: LimiterError): boolean {
    // Of all calls that were under way at the failure, only one counts.
    if (this.#state === "down" && !this.#trying) return false
    const wasUp = this.#state !== "down"
    const longest = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE)
    this.#retryAt = this.#now() + longest * (0.5 + this.#random.nextDoubleUnsafe() / 2)
    this.#failures++
    this.#state = "down"
    this.#error = error
    this.#trying = false
    return wasUp
  }

  /** Notes that the caller gave up before the answer. */
  abandoned(): void {
    this.#trying = false
  }

  #now(): number {
    return Monotonic.millisOf(this.#clock)
  }
}

const FIRST_PAUSE = 250
const LONGEST_PAUSE = 5000
