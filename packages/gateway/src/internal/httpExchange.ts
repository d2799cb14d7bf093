/** One HTTP request and its one answer. */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

import type * as Fiber from "effect/Fiber"

import type { Answer } from "../Pipeline.ts"
import { type Refusal, unavailable } from "../Refusal.ts"

export interface Shared {
  /** Whether the service ends: connections are then closed behind their answers. */
  readonly draining: boolean
  /** Milliseconds without progress after which a caller that does not read is cut off. */
  readonly writeTimeout: number
  /** Called once, when nothing more is to be done for the exchange. */
  readonly onEnd: (exchange: HttpExchange) => void
}

export class HttpExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly start = performance.now()
  readonly #shared: Shared
  /** Whether no body is to come: the caller waits for `100 Continue`, or its body broke off. */
  #withoutBody: boolean
  #sent = false
  #ended = false
  /** Bytes of the body that are held in memory. */
  held = 0
  fiber: Fiber.Fiber<unknown, unknown> | undefined

  constructor(request: IncomingMessage, response: ServerResponse, waitsToContinue: boolean, shared: Shared) {
    this.request = request
    this.response = response
    this.#withoutBody = waitsToContinue
    this.#shared = shared
    response.once("close", () => this.#end())
  }

  /** Says that the body is welcome. */
  continue(): void {
    if (!this.#withoutBody) return
    this.#withoutBody = false
    this.response.writeContinue()
  }

  refuse(refusal: Refusal): void {
    this.send(refusal.status, TEXT, refusal.headers, Buffer.from(`${refusal.text}\n`))
  }

  answer({ body, status }: Answer): void {
    const length = String(body?.length ?? 0)
    // Written out, because every call comes here, and spreading lists costs it half a microsecond.
    const headers =
      body === undefined
        ? ["access-control-allow-origin", "*", "content-length", length]
        : ["content-type", "application/json", "access-control-allow-origin", "*", "content-length", length]
    this.#send(status, headers, body)
  }

  preflight(): void {
    this.#send(204, PREFLIGHT, undefined)
  }

  send(status: number, type: ReadonlyArray<string>, extra: ReadonlyArray<string>, body: Uint8Array): void {
    const headers = [...type, ...extra, "content-length", String(body.length)]
    this.#send(status, headers, this.request.method === "HEAD" ? undefined : body)
  }

  /** Whether the body is still on its way, and nothing was answered. */
  get isReceiving(): boolean {
    return !this.#sent && !this.request.complete
  }

  /** Refuses a request whose body will never be whole, and closes the connection. */
  reject(refusal: Refusal): void {
    this.#withoutBody = true
    this.refuse(refusal)
  }

  #send(status: number, headers: Array<string>, body: Uint8Array | undefined): void {
    if (this.#sent || this.#ended) return
    this.#sent = true
    const { request, response } = this
    const rest = this.#rest()
    if (rest !== "none" || this.#shared.draining) headers = [...headers, "connection", "close"]
    response.writeHead(status, headers)
    if (rest === "linger") {
      this.#linger(body)
      return
    }
    if (body !== undefined && body.length <= ONE_WRITE) {
      // Node sends head and body as one string, which costs 1.5 us less than two buffers. Latin-1 is any bytes, unchanged.
      response.end(Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1"), "latin1")
    } else {
      response.end(body)
    }
    if ((request.socket.writableLength ?? 0) > 0) {
      response.setTimeout(this.#shared.writeTimeout, () => response.destroy())
    }
    this.#end()
  }

  /** What is to become of a body that was not read. */
  #rest(): "none" | "close" | "linger" {
    const { complete, headers } = this.request
    if (complete) return "none"
    const length = headers["content-length"]
    if (length === undefined && headers["transfer-encoding"] === undefined) return "none"
    if (this.#withoutBody) return "close"
    // Node reads and forgets the rest of a body, which for a short one is cheaper than a new connection.
    return length !== undefined && Number(length) <= SHORT_BODY ? "none" : "linger"
  }

  /**
   * Answers while the body still arrives. A connection closed with unread data is reset, and the reset can overtake the
   * answer: so the rest is read and forgotten, within bounds, and the answer ended behind it.
   */
  #linger(body: Uint8Array | undefined): void {
    const { request, response } = this
    if (body !== undefined) response.write(body)
    let left = LINGER_BYTES
    const end = () => {
      response.end()
      this.#end()
    }
    request.on("data", (chunk: Uint8Array) => {
      left -= chunk.length
      if (left < 0) end()
    })
    request.once("end", end)
    request.resume()
  }

  /** Ends the waiting: what is not answered now is answered with 503. */
  giveUp(): void {
    if (this.fiber === undefined) this.reject(unavailable)
    else this.fiber.interruptUnsafe()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#shared.onEnd(this)
  }
}

const CORS: ReadonlyArray<string> = ["access-control-allow-origin", "*"]

export const TEXT: ReadonlyArray<string> = [
  "content-type",
  "text/plain; charset=utf-8",
  "x-content-type-options",
  "nosniff",
  ...CORS
]

export const JSON_TYPE: ReadonlyArray<string> = ["content-type", "application/json", ...CORS]

const PREFLIGHT: Array<string> = [
  ...CORS,
  "access-control-allow-methods",
  "POST",
  "access-control-allow-headers",
  "content-type, authorization",
  "access-control-max-age",
  "600"
]

const ONE_WRITE = 4096
const SHORT_BODY = 64 * 1024
const LINGER_BYTES = 16 * 1024 * 1024
