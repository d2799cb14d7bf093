/**
 * The doubt behind an outage: the store takes a small change again, but no batch has been written yet. On a full disk that
 * can stay so, because a small change finds room where a batch finds none.
 */
import type * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"

import * as Monotonic from "../clock/monotonic.ts"

export class Doubt {
  readonly #clock: Clock.Clock
  /** Milliseconds after which the doubt ends if no batch has come. */
  readonly #patience: number
  #ends: number | undefined

  constructor(clock: Clock.Clock, patience: Duration.Duration) {
    this.#clock = clock
    this.#patience = Duration.toMillis(patience)
  }

  begin(): void {
    this.#ends = Monotonic.millisOf(this.#clock) + this.#patience
  }

  /** Ends the doubt, because a batch was written. */
  end(): void {
    this.#ends = undefined
  }

  /** True until a batch was written, or none has come for a while. A batch that is under way must show it first. */
  holds(isWriting: boolean): boolean {
    if (this.#ends === undefined) return false
    if (!isWriting && Monotonic.millisOf(this.#clock) >= this.#ends) this.#ends = undefined
    return this.#ends !== undefined
  }
}
