/**
 * One timer for many deadlines. Nearly every call ends long before its deadline. So most deadlines cost only an entry
 * in a set, and no timer.
 */

/** Work with a deadline. `late` is called when the deadline passes. */
export interface HasDeadline {
  readonly late: () => void
}

/** Milliseconds between two ticks. A deadline is reported up to one tick late. */
const TICK = 5

export class Deadlines {
  /** The work to report at each tick, keyed by the tick's number. */
  readonly #ticks = new Map<number, Set<HasDeadline>>()
  #timer: NodeJS.Timeout | undefined
  /** The number of the tick at which the timer fires. */
  #next = Infinity

  /** Adds work with a deadline this many milliseconds from now. Returns its tick, which `remove` needs. */
  add(work: HasDeadline, millis: number): number {
    const tick = Math.ceil((performance.now() + millis) / TICK)
    const known = this.#ticks.get(tick)
    if (known === undefined) this.#ticks.set(tick, new Set([work]))
    else known.add(work)
    if (tick < this.#next) this.#wait(tick)
    else this.#timer?.ref()
    return tick
  }

  remove(work: HasDeadline, tick: number): void {
    const known = this.#ticks.get(tick)
    if (known === undefined) return
    known.delete(work)
    if (known.size > 0) return
    this.#ticks.delete(tick)
    // The timer keeps running after the last work has ended, but must not keep the process alive.
    if (this.#ticks.size === 0) this.#timer?.unref()
  }

  #wait(tick: number): void {
    clearTimeout(this.#timer)
    this.#next = tick
    // Node would use one millisecond for a timeout above `LONGEST`.
    const millis = Math.min(tick * TICK - performance.now(), LONGEST)
    this.#timer = setTimeout(() => this.#ring(), Math.max(1, Math.ceil(millis)))
  }

  #ring(): void {
    this.#timer = undefined
    this.#next = Infinity
    const now = performance.now() / TICK
    let next = Infinity
    for (const [tick, works] of this.#ticks) {
      if (tick > now) {
        next = Math.min(next, tick)
        continue
      }
      this.#ticks.delete(tick)
      for (const work of works) work.late()
    }
    // The callbacks may have added work with an earlier deadline.
    if (next < this.#next) this.#wait(next)
  }
}

const LONGEST = 2 ** 31 - 1
