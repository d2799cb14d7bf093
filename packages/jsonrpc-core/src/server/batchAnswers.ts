/** Collects the answers to the messages of a batch. */
import type * as ErrorObject from "../error/ErrorObject.ts"
import * as Message from "../message/Message.ts"

/**
 * The answers of a batch, by position. The batch is closed when its answers are too large or its time is up; then it
 * accepts no more answers.
 */
export class BatchAnswers {
  readonly #entries: ReadonlyArray<Message.PacketEntry>
  readonly #answers: Array<Uint8Array | undefined>
  #bytes = 0
  #closed: ErrorObject.ErrorObject | undefined
  #onClose: (() => void) | undefined

  constructor(entries: ReadonlyArray<Message.PacketEntry>) {
    this.#entries = entries
    this.#answers = Array.from({ length: entries.length }, () => undefined)
  }

  get isClosed(): boolean {
    return this.#closed !== undefined
  }

  /** Number of bytes of the present answers. */
  get bytes(): number {
    return this.#bytes
  }

  put(index: number, answer: Uint8Array | undefined): void {
    this.#answers[index] = answer
    this.#bytes += answer?.length ?? 0
  }

  /** Closes the batch: every message without an answer is answered with this error. */
  close(error: ErrorObject.ErrorObject): void {
    if (this.#closed === undefined) {
      this.#closed = error
      this.#onClose?.()
    }
  }

  /** Calls `hook` when the batch is closed, or at once if it is closed already. */
  onClose(hook: () => void): void {
    this.#onClose = hook
    if (this.#closed !== undefined) {
      hook()
    }
  }

  /** Returns the answers in the order of the messages. `other` answers messages that are not calls. */
  answers(other: (entry: Message.PacketEntry) => Uint8Array | undefined): Message.Answers {
    return this.#entries.map((entry, index) =>
      entry._tag !== "Request"
        ? other(entry)
        : (this.#answers[index] ?? (this.#closed && Message.failureBytes(entry.id, this.#closed)))
    )
  }
}
