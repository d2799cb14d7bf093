/**
 * Lets undici read the answer to a request that was sent already: undici's request is dropped, and it gets the bytes of
 * the answer from the first one on, and then those of the socket.
 */
import type { Buffer } from "node:buffer"
import type { Socket } from "node:net"
import { Duplex } from "node:stream"

import { Client, errors } from "undici"

import type { AnswerHandler, NodeAddress, NodeRequest } from "./answerHandler.ts"

/** Gives the rest of an answer to undici. The socket has no other listeners, and is closed after the answer. */
export const readWithUndici = (
  { origin, path }: NodeAddress,
  request: NodeRequest,
  handler: AnswerHandler,
  socket: Socket,
  bytes: ReadonlyArray<Buffer>
): void => {
  const answer = new AnswerStream(socket, bytes)
  let isOpen = false
  const client = new Client(origin, {
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (_, connected) => {
      if (isOpen) return connected(new errors.SocketError("other side closed"), null)
      isOpen = true
      // undici needs no more of a socket than of any duplex stream, and hears of it in a later turn, as of any socket
      queueMicrotask(() => connected(null, answer as Duplex as Socket))
    }
  })
  const { body, headers } = request
  client.dispatch({ path, method: "POST", headers: [...headers], body, reset: true }, handler)
}

/** The answer to a request, as the stream of a connection over which undici sends the request once more. */
class AnswerStream extends Duplex {
  readonly #socket: Socket
  readonly #bytes: ReadonlyArray<Buffer>
  #isBegun = false

  constructor(socket: Socket, bytes: ReadonlyArray<Buffer>) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    this.#bytes = bytes
    socket.pause()
    socket.on("error", (error) => this.destroy(error))
    // what came before an orderly end is still to be read
    socket.on("close", () => socket.readableEnded || this.destroy())
  }

  override _read(): void {
    if (this.#isBegun) this.#socket.resume()
  }

  /** The answer begins only now, because undici takes bytes before its request for a fault. */
  override _write(_chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    if (!this.#isBegun) this.#begin()
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }

  #begin(): void {
    this.#isBegun = true
    for (const bytes of this.#bytes) this.push(bytes)
    this.#socket.on("data", (bytes) => {
      if (!this.push(bytes)) this.#socket.pause()
    })
    if (this.#socket.readableEnded) this.push(null)
    else this.#socket.on("end", () => this.push(null))
    this.#socket.resume()
  }
}
