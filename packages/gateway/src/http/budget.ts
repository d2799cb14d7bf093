/** The memory of requests. */

/** A bound on the memory that all requests together hold. */
export class Budget {
  readonly #limit: () => number
  #used = 0
  /** Those who wait for room, the first to be served first. */
  readonly #waiting = new Set<Waiting>()
  #isServing = false

  /** The limit may change while it is used. */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Bytes that are taken. */
  get used(): number {
    return this.#used
  }

  /** Takes so many bytes, or says that there are not so many. */
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
   * Takes so many bytes as soon as there are, and then calls `done` with true; with false if there will never be so many.
   * It may call before it returns. In turn: whoever wants little does not pass by those who wait for more. What is returned
   * gives up the wait, and does nothing when it is over.
   */
  wait(bytes: number, done: (isTaken: boolean) => void): () => void {
    const waiting: Waiting = { bytes, done }
    this.#waiting.add(waiting)
    this.#serve()
    return () => {
      // whoever waits behind it may want less
      if (this.#waiting.delete(waiting)) this.#serve()
    }
  }

  /** A loop, because whoever is served may be done at once, and then comes back here. */
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
