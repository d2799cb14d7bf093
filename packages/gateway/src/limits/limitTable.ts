/** The counts of the limiter in memory, for a limited number of ids. */
import * as LimitCounts from "./limitCounts.ts"

/** The counts by id. Counts that equal new counts are deleted, a few at a time. */
export class LimitTable {
  readonly #capacity: number
  readonly #counts = new Map<string, LimitCounts.LimitCounts>()
  readonly #shared = LimitCounts.make()
  #cursor = this.#counts.entries()

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#counts.size
  }

  find(id: string): LimitCounts.LimitCounts | undefined {
    return this.#counts.get(id)
  }

  /** Returns the counts of an id. If the table is full, all new ids share one entry. */
  at(id: string, now: number): LimitCounts.LimitCounts {
    const known = this.#counts.get(id)
    if (known !== undefined) return known
    // For each new entry, two old entries are checked and deleted if possible. So the table has few unused entries.
    this.#forget(now)
    this.#forget(now)
    if (this.#counts.size >= this.#capacity) return this.#shared
    const counts = LimitCounts.make()
    this.#counts.set(id, counts)
    return counts
  }

  #forget(now: number): void {
    const next = this.#cursor.next()
    if (next.done === true) {
      this.#cursor = this.#counts.entries()
      return
    }
    const [id, counts] = next.value
    if (counts.underWay === 0 && counts.idleFrom <= now) this.#counts.delete(id)
  }
}
