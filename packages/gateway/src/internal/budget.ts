/** A bound on the memory that all requests together hold. */
export class Budget {
  readonly #limit: () => number
  #used = 0

  /** The limit may change while it is used. */
  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** Takes so many bytes, or says that there are not so many. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#limit()) return false
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }
}
