/**
 * Counts the answers of each project that wait for their readers.
 *
 * Such an answer holds its piece, and the blocks that were read ahead of it, until its caller reads or the write timeout
 * ends it. Without a bound for each project, the downloads of one project that nobody reads take the memory and the disk
 * from all the others.
 */
import * as Effect from "effect/Effect"

/** Maximum number of answers of a project that wait for their readers: as many as calls of a new project run at once. */
const MOST = 100

export class UnreadAnswers {
  readonly #waiting = new Map<string, number>()
  readonly #most: number

  constructor(most: number = MOST) {
    this.#most = most
  }

  /** True if no further answer of the project may begin. */
  isFull(project: string): boolean {
    return (this.#waiting.get(project) ?? 0) >= this.#most
  }

  /** Waits for a reader, and counts the answer of the project meanwhile. */
  waiting<A, E>(project: string, drained: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      this.#add(project, 1)
      return Effect.ensuring(
        drained,
        Effect.sync(() => this.#add(project, -1))
      )
    })
  }

  #add(project: string, more: number): void {
    const count = (this.#waiting.get(project) ?? 0) + more
    if (count === 0) this.#waiting.delete(project)
    else this.#waiting.set(project, count)
  }
}
