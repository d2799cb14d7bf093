/** Limits the memory of requests. */

/** A limit on the bytes that all requests together hold in memory. */
export class MemoryBudget {
  readonly #limit: () => number
  #used = 0
  /** The requests that wait for bytes, first come first served. */
  readonly #waiting = new Set<Waiting>()
  #isServing = false

  /** `limit` returns the number of bytes that may be taken. The number may change at any time. */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Number of bytes that are taken now. */
  get used(): number {
    return this.#used
  }

  /** Takes this number of bytes and returns true. If they are not free, it takes nothing and returns false. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit()) return false
    this.#used += bytes
    return true
  }

  /**
   * Raises the bytes of a holder to this number and returns true. If they are not free, it changes nothing and returns
   * false. A holder that has as many keeps what it has, even above a limit that was lowered.
   */
  raise(holder: { held: number }, bytes: number): boolean {
    const more = bytes - holder.held
    if (more <= 0) return true
    if (!this.take(more)) return false
    holder.held += more
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
    this.#serve()
  }

  /**
   * Takes this number of bytes as soon as they are free, and then calls `done` with true. If the number is larger than
   * the limit, it calls `done` with false. `done` may be called before this method returns. Requests are served in
   * order: a small one does not overtake a large one. The returned function cancels the wait. After the wait, it does
   * nothing.
   */
  wait(bytes: number, done: (isTaken: boolean) => void): () => void {
    const waiting: Waiting = { bytes, done }
    this.#waiting.add(waiting)
    this.#serve()
    return () => {
      // the next request may need fewer bytes, and so many may be available now
      if (this.#waiting.delete(waiting)) this.#serve()
    }
  }

  /** Serves waiting requests. It does not call itself: a served request may end at once and give its bytes back. */
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
