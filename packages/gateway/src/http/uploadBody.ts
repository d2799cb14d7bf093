/** The body of an upload, read at the pace of its reader. */
import type { IncomingMessage } from "node:http"

import * as Effect from "effect/Effect"

import type { HttpExchange } from "./exchange.ts"
import { UploadFault } from "./uploadFault.ts"

export class UploadBody {
  readonly #exchange: HttpExchange
  readonly #request: IncomingMessage
  readonly #idle: number
  #wake: () => void = nothing
  /** Milliseconds of waiting, and bytes received, since enough bytes last arrived. */
  #waited = 0
  #came = 0

  /**
   * `idle`: milliseconds of waiting within which `ENOUGH` bytes must arrive. A single byte does not extend the
   * time.
   */
  constructor(exchange: HttpExchange, idle: number) {
    this.#exchange = exchange
    this.#request = exchange.request
    this.#idle = idle
    exchange.upload = this
    // Node holds no more than a high-water mark of the body until it is read.
    this.#request.on("readable", this.#onChange)
    this.#request.on("end", this.#onChange)
    exchange.continue()
  }

  readonly #onChange = (): void => this.#wake()

  /** Reads some bytes, or undefined at the end. A body that is cut off ends the exchange and its reader. */
  readonly read: Effect.Effect<Uint8Array | undefined, UploadFault> = Effect.suspend(() => {
    const chunk = this.#next()
    return chunk === null ? this.#wait : Effect.succeed(chunk)
  })

  readonly #wait: Effect.Effect<Uint8Array | undefined, UploadFault> = Effect.callback((resume) => {
    const start = performance.now()
    const stop = () => {
      clearTimeout(timer)
      this.#waited += performance.now() - start
      this.#wake = nothing
    }
    const timer = setTimeout(() => {
      stop()
      resume(Effect.fail(new UploadFault({ detail: "nothing came for too long" })))
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

  /** Returns bytes that have arrived, null if there are none yet, undefined at the end. */
  #next(): Uint8Array | null | undefined {
    const chunk: Uint8Array | null = this.#request.read()
    if (chunk !== null) {
      this.#exchange.bytesIn += chunk.length
      return chunk
    }
    return this.#request.readableEnded ? undefined : null
  }

  /** Ends the reading. Closing the exchange discards the remaining bytes. */
  release(): void {
    this.#request.off("readable", this.#onChange)
    this.#request.off("end", this.#onChange)
    this.#wake = nothing
  }
}

/** Minimum number of bytes in the time that a client may be silent. Fewer bytes only hold the connection open. */
const ENOUGH = 1024

const nothing = () => undefined
