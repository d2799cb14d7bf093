/** Decides when the limit store is asked again after a failure. */
import * as Backoff from "@plumbline/jsonrpc-core/time/Backoff"
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type * as Clock from "effect/Clock"
import type * as Random from "effect/Random"

import type { LimiterError } from "./LimiterError.ts"

type Randomness = (typeof Random.Random)["Service"]

/**
 * The state of a store that can fail. After a failure the store is not asked for a while. Then one call at a time tries
 * it again.
 */
export class Outage {
  readonly #clock: Clock.Clock
  readonly #random: Randomness
  #state: "untried" | "up" | "down" = "untried"
  #error: LimiterError | undefined
  #failures = 0
  /** End of the pause, in milliseconds of the monotonic clock: a pause must end even if the wall clock is set back. */
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
   * Returns the reason why the store must not be asked now. If the result is undefined, ask the store, and then call
   * `answered`, `failed` or `abandoned`.
   */
  begin(): LimiterError | undefined {
    if (this.#error === undefined) return undefined
    if (this.#trying || this.#now() < this.#retryAt) return this.#error
    this.#trying = true
    return undefined
  }

  /** Records an answer of the store. Returns true if the store was down before. */
  answered(): boolean {
    const wasDown = this.#state === "down"
    this.#state = "up"
    this.#error = undefined
    this.#failures = 0
    this.#trying = false
    return wasDown
  }

  /** Records a failure of the store. Returns true if the store was not down before. */
  failed(error: LimiterError): boolean {
    // If several calls under way fail together, only the first failure counts.
    if (this.#state === "down" && !this.#trying) return false
    const wasUp = this.#state !== "down"
    this.#retryAt = this.#now() + Backoff.delay(BACKOFF, this.#failures, this.#random.nextDoubleUnsafe())
    this.#failures++
    this.#state = "down"
    this.#error = error
    this.#trying = false
    return wasUp
  }

  /** Records that the call to the store was interrupted before an answer. */
  abandoned(): void {
    this.#trying = false
  }

  #now(): number {
    return Monotonic.millis(this.#clock)
  }
}

const BACKOFF: Backoff.Backoff = { initial: 250, factor: 2, max: 5000, jitter: 0.5 }
