/**
 * Prevents several sockets from completing large WebSocket messages in the same turn of the event loop. `ws` joins,
 * unmasks and checks a message in a single step, when its last chunk arrives. For 5 MB that takes about ten
 * milliseconds.
 */
import type { Socket } from "node:net"

import type { WebSocket } from "ws"

import type { StepScheduler } from "../pipeline/stepScheduler.ts"

/** Minimum size of a large message, in bytes. The time to receive a smaller message is not counted. */
const LARGE = 256 * 1024

/** Pauses sockets in the middle of a large message while the budget of the turn is used up. */
export class LargeMessages {
  readonly #turns: StepScheduler
  readonly #now: () => number
  /** Sockets in the middle of a large message, in the order in which their messages became large. */
  readonly #receiving = new Set<Receiving>()

  constructor(turns: StepScheduler, now: () => number = () => performance.now()) {
    this.#turns = turns
    this.#now = now
    turns.onSpent(() => {
      for (const receiving of this.#receiving) receiving.hold()
    })
  }

  /**
   * Watches a socket until it closes. Call it before any other listener is added, so that the time of other listeners
   * is not counted.
   */
  follow(socket: WebSocket, transport: Socket): void {
    const turns = this.#turns
    const receiving = new Receiving(socket, transport, turns)
    let bytes = 0
    let began = 0
    transport.prependListener("data", () => {
      began = this.#now()
    })
    socket.on("message", (message: Buffer) => {
      bytes = 0
      this.#receiving.delete(receiving)
      if (message.length >= LARGE) turns.spend(this.#now() - began)
    })
    transport.on("data", (chunk: Uint8Array) => {
      bytes += chunk.length
      if (bytes < LARGE) return
      this.#receiving.add(receiving)
      if (turns.isSpent) receiving.hold()
    })
    socket.once("close", () => this.#receiving.delete(receiving))
  }
}

/** One socket, which can be paused until a turn belongs to input. */
class Receiving {
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #turns: StepScheduler
  #isHeld = false

  constructor(socket: WebSocket, transport: Socket, turns: StepScheduler) {
    this.#socket = socket
    this.#transport = transport
    this.#turns = turns
    // ws resumes reading by itself when it has processed a chunk. This listener pauses again before any data arrives.
    transport.on("resume", () => {
      if (this.#isHeld) transport.pause()
    })
  }

  hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    this.#transport.pause()
    this.#turns.wait(() => {
      this.#isHeld = false
      // If the connection itself has paused the socket, the connection also resumes it later.
      if (!this.#socket.isPaused) this.#transport.resume()
    })
  }
}
