/** Sets of work under way. */
import * as Effect from "effect/Effect"

/** A set of work under way. `idle` waits until the set is empty. */
export class InFlight<A> implements Iterable<A> {
  readonly #items = new Set<A>()
  readonly #waiting: Array<() => void> = []

  get size(): number {
    return this.#items.size
  }

  add(item: A): void {
    this.#items.add(item)
  }

  delete(item: A): void {
    if (!this.#items.delete(item) || this.#items.size > 0) return
    for (const resume of this.#waiting.splice(0)) resume()
  }

  [Symbol.iterator](): Iterator<A> {
    return this.#items.values()
  }

  /** Succeeds as soon as the set is empty. */
  readonly idle: Effect.Effect<void> = Effect.callback((resume) => {
    if (this.#items.size === 0) resume(Effect.void)
    else this.#waiting.push(() => resume(Effect.void))
  })
}
