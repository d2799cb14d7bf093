/**
 * Large WebSocket messages arrive one after the other. `ws` joins, unmasks and checks a message in a single step, when
 * its last chunk arrives: some ten milliseconds for 5 MB. The messages of several sockets must not end in the same turn
 * of the event loop.
 */
import type { Socket } from "node:net"

import type { WebSocket } from "ws"

import type { Turns } from "../pipeline/turns.ts"

/** Bytes of a message from which its receiving counts. */
const LARGE = 256 * 1024

/** Holds back sockets in the middle of a large message while the budget of the turn is used up. */
export class LargeMessages {
  readonly #turns: Turns
  readonly #now: () => number
  /** Sockets in the middle of a large message, in the order in which they became so. */
  readonly #receiving = new Set<Receiving>()

  constructor(turns: Turns, now: () => number = () => performance.now()) {
    this.#turns = turns
    this.#now = now
    turns.onSpent(() => {
      for (const receiving of this.#receiving) receiving.hold()
    })
  }

  /** Follows a socket until it closes. It comes before any other listener of its messages, to see their time alone. */
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

/** One socket, which can be held back until there is a turn for input. */
class Receiving {
  readonly #socket: WebSocket
  readonly #transport: Socket
  readonly #turns: Turns
  #isHeld = false

  constructor(socket: WebSocket, transport: Socket, turns: Turns) {
    this.#socket = socket
    this.#transport = transport
    this.#turns = turns
    // ws reads on by itself when it has taken a chunk. This comes before any data.
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
      // A paused connection continues to read when it has room.
      if (!this.#socket.isPaused) this.#transport.resume()
    })
  }
}
