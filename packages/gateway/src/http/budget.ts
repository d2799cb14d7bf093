/** The memory of requests. */

/** A bound on the memory that all requests together hold. */
export class Budget {
  readonly #limit: () => number
  #used = 0
  /** The requests that wait for bytes, in the order in which they are served. */
  readonly #waiting = new Set<Waiting>()
  #isServing = false

  /** The limit may change while it is used. */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Bytes taken now. */
  get used(): number {
    return this.#used
  }

  /** Takes this number of bytes and returns true, or returns false if they are not free. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit()) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
    this.#serve()
  }

  /**
   * Takes this number of bytes as soon as they are free, and then calls `done` with true. Calls it with false if they
   * can never be free. It may call `done` before it returns. Requests are served in order: a small one does not
   * overtake a large one. The returned function gives up the wait, and does nothing once the wait is over.
   */
  wait(bytes: number, done: (isTaken: boolean) => void): () => void {
    const waiting: Waiting = { bytes, done }
    this.#waiting.add(waiting)
    this.#serve()
    return () => {
      // the next in line may want fewer bytes
      if (this.#waiting.delete(waiting)) this.#serve()
    }
  }

  /** A loop, because a served request may finish at once and call this again. */
  #serve(): void {
    if (this.#isServing) return
    this.#isServing = true
    try {
      for (const waiting of this.#waiting) {
        const isPossible = waiting.bytes <= this.#limit()
        if (isPossible && !this.take(waiting.bytes)) break
        this.#waiting.delete(waiting)
        waiting.done(isPossible)
      }
    } finally {
      this.#isServing = false
    }
  }
}

interface Waiting {
  readonly bytes: number
  readonly done: (isTaken: boolean) => void
}
