/**
 * One timer for many deadlines. Nearly every call ends long before its deadline, so most deadlines cost an entry in a set
 * and no timer.
 */

/** Work that is late at its deadline. */
export interface Late {
  readonly late: () => void
}

/** Milliseconds between two ticks. A deadline may be reported late by this time. */
const TICK = 5

export class Deadlines {
  /** The work of each tick, by its number. */
  readonly #ticks = new Map<number, Set<Late>>()
  #timer: NodeJS.Timeout | undefined
  /** The tick of the timer. */
  #next = Infinity

  /** Adds work with a deadline this many milliseconds from now. Returns its tick, to remove it by. */
  add(work: Late, millis: number): number {
    const tick = Math.ceil((performance.now() + millis) / TICK)
    const known = this.#ticks.get(tick)
    if (known === undefined) this.#ticks.set(tick, new Set([work]))
    else known.add(work)
    if (tick < this.#next) this.#wait(tick)
    else this.#timer?.ref()
    return tick
  }

  remove(work: Late, tick: number): void {
    const known = this.#ticks.get(tick)
    if (known === undefined) return
    known.delete(work)
    if (known.size > 0) return
    this.#ticks.delete(tick)
    // A timer of work that has ended may run out, but must not keep the process.
    if (this.#ticks.size === 0) this.#timer?.unref()
  }

  #wait(tick: number): void {
    clearTimeout(this.#timer)
    this.#next = tick
    // Of longer times Node makes one millisecond.
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
    // Late work may have added more.
    if (next < this.#next) this.#wait(next)
  }
}

const LONGEST = 2 ** 31 - 1
