/** Async iteration that can be ended from outside. */

/** Iterates over another iterator. It can be ended from outside, even while a caller waits for the next item. */
export class Iteration<A> implements AsyncIterator<A, undefined> {
  readonly #open: () => Promise<AsyncIterator<A>>
  readonly #onEnd: () => void
  #source: Promise<AsyncIterator<A>> | undefined
  /** Settles when all earlier requests have their items. */
  #turn: Promise<unknown> = Promise.resolve()
  /** Wakes the request that is waiting for the source. */
  #wake: (() => void) | undefined
  #ending: Promise<void> | undefined
  /** The failure with which the next request rejects. It is used only once. */
  #failure: { readonly reason: unknown } | undefined

  /** The first `next` calls `open`, and reads the returned iterator one item at a time. */
  constructor(open: () => Promise<AsyncIterator<A>>, onEnd: () => void) {
    this.#open = open
    this.#onEnd = onEnd
  }

  next(): Promise<IteratorResult<A, undefined>> {
    const result = this.#turn.then(() => this.#pull())
    this.#turn = result.catch(() => {})
    return result
  }

  async return(): Promise<IteratorResult<A, undefined>> {
    await this.end()
    return DONE
  }

  /** Ends the iteration, with a failure if a reason is given. Resolves when the source has ended too. */
  end(failure?: { readonly reason: unknown }): Promise<void> {
    if (this.#ending === undefined) {
      this.#failure = failure
      this.#ending = this.#endSource()
      this.#onEnd()
      this.#wake?.()
    }
    return this.#ending
  }

  async #pull(): Promise<IteratorResult<A, undefined>> {
    if (this.#ending !== undefined) {
      return this.#ended()
    }
    const { promise: woken, resolve } = Promise.withResolvers<void>()
    this.#wake = resolve
    try {
      this.#source ??= this.#open()
      const result = await Promise.race([this.#source.then((source) => source.next()), woken])
      if (result !== undefined && !result.done) {
        return result
      }
    } catch (reason) {
      void this.end({ reason })
    }
    void this.end()
    return this.#ended()
  }

  #ended(): typeof DONE {
    const failure = this.#failure
    if (failure !== undefined) {
      this.#failure = undefined
      throw failure.reason
    }
    return DONE
  }

  async #endSource(): Promise<void> {
    try {
      await (await this.#source)?.return?.()
    } catch {
      // The source never began, or it has already failed.
    }
  }
}

const DONE = { done: true, value: undefined } as const
