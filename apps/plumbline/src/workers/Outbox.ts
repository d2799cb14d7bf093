/** Gathers the messages of one turn of the event loop, because each message on its own costs a system call. */
export class Outbox<Message> {
  readonly #send: (messages: ReadonlyArray<Message>) => void
  #waiting: Array<Message> = []

  constructor(send: (messages: ReadonlyArray<Message>) => void) {
    this.#send = send
  }

  /** Sends a message with the others of this turn. */
  add(message: Message): void {
    if (this.#waiting.push(message) === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    this.#send(messages)
  }
}
