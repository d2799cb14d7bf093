/** Sends batches to a store in this process, one at a time, without starting a fiber. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"

import { PARTS } from "../clock/running.ts"
import type { UsageBatch } from "./usageBatch.ts"

export class AtOnce {
  readonly #commit: (batch: UsageBatch, done: (isDurable: boolean) => void) => boolean
  /** Maximum time for one batch, in milliseconds. Time in which this process did not run is not counted. */
  readonly #attempt: number
  /** Called when no batch is being written. */
  #onEnded: (() => void) | undefined
  #underWay: UnderWay | undefined
  /** One timer for all batches. A batch normally ends long before the timer fires. */
  #timer: NodeJS.Timeout | undefined

  constructor(commit: (batch: UsageBatch, done: (isDurable: boolean) => void) => boolean, attempt: Duration.Duration) {
    this.#commit = commit
    this.#attempt = Duration.toMillis(attempt)
  }

  /**
   * Sends a batch. Calls `onEnd` once, perhaps before `send` returns: with true when the batch is durable, with
   * false if the batch must be sent another way.
   */
  send(batch: UsageBatch, onEnd: (isDurable: boolean) => void): void {
    // A timer that is already running ends its current part too early for this batch.
    const underWay = { onEnd, left: this.#timer === undefined ? PARTS : PARTS + 1 }
    this.#underWay = underWay
    const hasBegun = this.#commit(batch, (isDurable) => this.#end(underWay, isDurable))
    if (!hasBegun) return this.#end(underWay, false)
    if (this.#underWay === undefined) return
    if (this.#timer === undefined && Number.isFinite(this.#attempt)) this.#watch()
  }

  /** Completes when no batch is being written. */
  readonly ended: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.#underWay === undefined) resume(Effect.void)
    else this.#onEnded = () => resume(Effect.void)
  })

  /** Stops the timer for late batches. */
  close(): void {
    clearTimeout(this.#timer)
  }

  #watch(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const underWay = this.#underWay
      if (underWay === undefined) return
      if (--underWay.left === 0) this.#end(underWay, false)
      else this.#watch()
    }, this.#attempt / PARTS)
  }

  #end(underWay: UnderWay, isDurable: boolean): void {
    // A late batch was already reported as failed, so its result is ignored.
    if (this.#underWay !== underWay) return
    this.#underWay = undefined
    underWay.onEnd(isDurable)
    // The end of a batch can begin the next one.
    if (this.#underWay !== undefined) return
    this.#onEnded?.()
    this.#onEnded = undefined
  }
}

interface UnderWay {
  readonly onEnd: (isDurable: boolean) => void
  /** Number of parts of the time limit that are left. */
  left: number
}
