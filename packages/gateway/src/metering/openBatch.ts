/** The batch that collects usages until it is written, and the calls that wait for it. */
import * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import type { MeteringError } from "./MeteringError.ts"
import type { Usage } from "./Usage.ts"
import * as Fold from "./usageBatch.ts"

export class OpenBatch {
  readonly fold: Fold.UsageFold
  /** The number of calls that wait for this batch. */
  calls = 0
  readonly #taken = Deferred.makeUnsafe<void>()
  #told = Deferred.makeUnsafe<void, MeteringError>()
  #listeners: Array<(exit: Exit.Exit<void, MeteringError>) => void> = []

  constructor(rowLimit: number) {
    this.fold = Fold.make(rowLimit)
  }

  /**
   * True if the usages can be added. An empty batch accepts any number of usages, because more usages than the limit
   * would otherwise wait for ever.
   */
  hasRoom(minute: number, usages: ReadonlyArray<Usage>): boolean {
    return this.fold.size() === 0 || this.fold.fits(minute, usages)
  }

  add(minute: number, usages: ReadonlyArray<Usage>): void {
    for (const usage of usages) this.fold.add(minute, usage)
  }

  /** Adds one waiting call. The effect ends with the exit passed to `tell`. */
  join(): Effect.Effect<void, MeteringError> {
    this.calls++
    return Deferred.await(this.#told)
  }

  /** Adds one waiting call that has no fiber. `told` is called with the exit passed to `tell`. */
  joinThen(told: (exit: Exit.Exit<void, MeteringError>) => void): void {
    this.calls++
    this.#listeners.push(told)
  }

  /** Tells the exit to all calls that wait now, which ends their wait. Later calls wait for the next `tell`. */
  tell(exit: Exit.Exit<void, MeteringError>): void {
    const told = this.#told
    const listeners = this.#listeners
    this.#told = Deferred.makeUnsafe()
    this.#listeners = []
    this.calls = 0
    Deferred.doneUnsafe(told, exit)
    for (const listener of listeners) listener(exit)
  }

  /** Completes when the batch is taken for writing. Then a new open batch has room. */
  get taken(): Effect.Effect<void> {
    return Deferred.await(this.#taken)
  }

  /** Wakes the calls that wait for room. Call it when the batch is taken for writing. */
  take(): void {
    Deferred.doneUnsafe(this.#taken, Exit.void)
  }
}
