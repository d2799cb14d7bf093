/**
 * The doubt after an outage: the store accepts a small change again, but no batch has been written yet. On a full disk
 * this can last, because a small change can succeed where a batch fails.
 */
import * as Monotonic from "@plumbline/jsonrpc-core/time/Monotonic"
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"

export class UnconfirmedRecovery {
  readonly #clock: Clock.Clock
  /** Milliseconds after which the doubt ends if there is no batch to write. */
  readonly #timeout: number
  #ends: number | undefined

  constructor(clock: Clock.Clock, timeout: Duration.Duration) {
    this.#clock = clock
    this.#timeout = Duration.toMillis(timeout)
  }

  begin(): void {
    this.#ends = Monotonic.millis(this.#clock) + this.#timeout
  }

  /** Ends the doubt. Call it when a batch was written. */
  end(): void {
    this.#ends = undefined
  }

  /**
   * True until a batch is written, or the timeout has passed without one. While a batch is being written, the doubt
   * remains.
   */
  holds(isWriting: boolean): boolean {
    if (this.#ends === undefined) return false
    if (!isWriting && Monotonic.millis(this.#clock) >= this.#ends) this.#ends = undefined
    return this.#ends !== undefined
  }
}
