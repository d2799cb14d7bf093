/** Reads the body of an upload with backpressure: piece by piece, as fast as its reader takes the pieces. */
import type { IncomingMessage } from "node:http"

import * as Effect from "effect/Effect"

import type { HttpExchange } from "./httpExchange.ts"
import { UploadError } from "./uploadError.ts"

export class UploadBody {
  readonly #exchange: HttpExchange
  readonly #request: IncomingMessage
  readonly #idle: number
  #wake: () => void = nothing
  /**
   * Milliseconds of waiting, and number of bytes received. Both start at zero again when `ENOUGH` bytes are complete.
   */
  #waited = 0
  #came = 0

  /**
   * `ENOUGH` bytes must arrive within `idle` milliseconds of waiting. Fewer bytes do not extend the time.
   */
  constructor(exchange: HttpExchange, idle: number) {
    this.#exchange = exchange
    this.#request = exchange.request
    this.#idle = idle
    exchange.upload = this
    // Until the next read, Node buffers no more of the body than its high-water mark.
    this.#request.on("readable", this.#onChange)
    this.#request.on("end", this.#onChange)
    exchange.continue()
  }

  readonly #onChange = (): void => this.#wake()

  /** Reads some bytes; undefined at the end. If the body is cut off, the exchange ends and interrupts the reader. */
  readonly read: Effect.Effect<Uint8Array | undefined, UploadError> = Effect.suspend(() => {
    const chunk = this.#next()
    return chunk === null ? this.#wait : Effect.succeed(chunk)
  })

  readonly #wait: Effect.Effect<Uint8Array | undefined, UploadError> = Effect.callback((resume) => {
    // Bytes can have come since the read: the fiber may have let others run, and Node does not tell of them again.
    const late = this.#next()
    if (late !== null) {
      resume(Effect.succeed(late))
      return
    }
    const start = performance.now()
    const stop = () => {
      clearTimeout(timer)
      this.#waited += performance.now() - start
      this.#wake = nothing
    }
    const timer = setTimeout(() => {
      stop()
      resume(Effect.fail(new UploadError({ detail: "nothing came for too long" })))
    }, this.#idle - this.#waited)
    this.#wake = () => {
      const chunk = this.#next()
      if (chunk === null) return
      stop()
      this.#came += chunk?.length ?? 0
      if (this.#came >= ENOUGH) {
        this.#came = 0
        this.#waited = 0
      }
      resume(Effect.succeed(chunk))
    }
    return Effect.sync(stop)
  })

  /** Returns bytes that have arrived; null if none have arrived yet, and undefined at the end. */
  #next(): Uint8Array | null | undefined {
    const chunk: Uint8Array | null = this.#request.read()
    if (chunk !== null) {
      this.#exchange.bytesIn += chunk.length
      return chunk
    }
    return this.#request.readableEnded ? undefined : null
  }

  /** Stops reading. When the exchange ends, the remaining bytes are discarded. */
  release(): void {
    this.#request.off("readable", this.#onChange)
    this.#request.off("end", this.#onChange)
    this.#wake = nothing
  }
}

/** Minimum number of bytes that a client must send within the idle time. A client that sends fewer is refused. */
const ENOUGH = 1024

const nothing = () => undefined
