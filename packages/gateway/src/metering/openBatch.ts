/** The batch that collects usages until it is written, and the calls that wait for it. */
import type * as Exit from "effect/Exit"

import type { MeteringError } from "./MeteringError.ts"
import type { Usage } from "./Usage.ts"
import * as Fold from "./usageBatch.ts"

export class OpenBatch {
  readonly fold: Fold.UsageFold
  /** The number of calls that wait for this batch. */
  calls = 0
  #listeners: Array<(exit: Exit.Exit<void, MeteringError>) => void> = []
  /** The callers that wait for room. */
  #forRoom: Array<() => void> = []

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

  /** Adds one waiting call. `told` is called with the exit passed to `tell`. */
  join(told: (exit: Exit.Exit<void, MeteringError>) => void): void {
    this.calls++
    this.#listeners.push(told)
  }

  /** Tells the exit to all calls that wait now, which ends their wait. Later calls wait for the next `tell`. */
  tell(exit: Exit.Exit<void, MeteringError>): void {
    const listeners = this.#listeners
    this.#listeners = []
    this.calls = 0
    for (const listener of listeners) listener(exit)
  }

  /** Calls back once, when the calls that wait for room are woken. */
  onWoken(callback: () => void): void {
    this.#forRoom.push(callback)
  }

  /** Wakes the calls that wait for room: a new open batch has room, or none is to be waited for. */
  wake(): void {
    for (const callback of this.#forRoom.splice(0)) callback()
  }
}
