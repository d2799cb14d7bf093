/** An exchange over `node:http`. */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

import { CORS, Exchange, type ExchangeHooks } from "./exchange.ts"
import type { HttpRefusal } from "./HttpRefusal.ts"
import * as RequestId from "./requestId.ts"

/** A body that is read piece by piece, as fast as its reader takes the pieces. */
export interface StreamedUpload {
  /** Stops reading. When the exchange ends, the remaining bytes are discarded. */
  readonly release: () => void
}

export class HttpExchange extends Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly requestId: string
  readonly #shared: ExchangeHooks
  /** True if no body will arrive: the caller waits for `100 Continue`, or the body broke off. */
  #withoutBody: boolean
  #sent = false
  #ended = false
  /** The upload, if the body is read piece by piece. It has its own time limit. */
  upload: StreamedUpload | undefined

  constructor(request: IncomingMessage, response: ServerResponse, waitsToContinue: boolean, shared: ExchangeHooks) {
    super()
    this.request = request
    this.response = response
    this.requestId = RequestId.of(request)
    this.#withoutBody = waitsToContinue
    this.#shared = shared
    response.once("close", () => this.#end())
  }

  /** Sends `100 Continue`. The caller waits for it before sending the body. */
  continue(): void {
    if (!this.#withoutBody) return
    this.#withoutBody = false
    this.response.writeContinue()
  }

  preflight(): void {
    this.sendWhole(204, [...PREFLIGHT], undefined)
  }

  /** Sends an answer without a body. */
  empty(status: number, headers: ReadonlyArray<string>): void {
    this.sendWhole(status, [...headers], undefined)
  }

  get isSent(): boolean {
    return this.#sent
  }

  get status(): number | undefined {
    return this.#sent ? this.response.statusCode : undefined
  }

  get isGone(): boolean {
    return this.response.destroyed
  }

  get isHead(): boolean {
    return this.request.method === "HEAD"
  }

  get method(): string {
    return this.request.method ?? ""
  }

  get url(): string {
    return this.request.url ?? ""
  }

  protected get compressFrom(): number {
    return this.#shared.compressFrom
  }

  protected get acceptEncoding(): string | undefined {
    return this.request.headers["accept-encoding"]
  }

  protected onceOver(callback: () => void): void {
    this.response.once("close", callback)
  }

  /** Sends the head of an answer that is written piece by piece. */
  begin(status: number, headers: ReadonlyArray<string>): void {
    this.#sent = true
    const { response } = this
    const closes = this.#isLast() || this.#rest() !== "none"
    if (closes) this.#closeBehind()
    response.writeHead(status, [
      ...headers,
      RequestId.HEADER,
      this.requestId,
      ...(closes ? ["connection", "close"] : [])
    ])
  }

  /**
   * Writes a piece. Returns false if the written bytes are still buffered; `onDrain` then reports when they are sent.
   */
  write(bytes: Uint8Array): boolean {
    const { response } = this
    // The connection is gone. The exchange ends in a moment, and then its writer ends too.
    if (response.destroyed) return false
    this.bytesOut += bytes.length
    return response.write(bytes)
  }

  /** Calls `callback` once, when the written bytes are sent. `Connections` ends a caller that reads nothing for too long. */
  onDrain(callback: () => void): void {
    this.response.once("drain", callback)
  }

  /** Ends an answer that `begin` has started. */
  finish(): void {
    this.#releaseUpload()
    this.response.end()
  }

  /**
   * Breaks off an answer that `begin` has started, because of an error. A trailer reports the error.
   *
   * `fetch` and most clients ignore trailers, and would accept a shortened answer as complete. So these clients get a
   * message without its end, and the connection is closed. A client that reads trailers gets a complete message.
   */
  breakOff(message: string): void {
    const { request, response } = this
    const { socket } = request
    const text = message.replaceAll(/[^\t\u0020-\u007e]+/gu, " ").slice(0, MAX_TRAILER)
    const reads = readsTrailers(request)
    // Without a socket, this answer waits for an earlier answer on the connection. Node can send this answer later only
    // if the answer ends with the trailer.
    if (!response.chunkedEncoding || (response.socket === null && (response.destroyed || !reads))) {
      socket.destroy()
    } else if (reads) {
      response.addTrailers([["X-Stream-Error", text]])
      // the message is complete, so the connection stays open: the client may already be sending another request
      response.end()
    } else {
      socket.write(`0\r\nX-Stream-Error: ${text}\r\n`)
      socket.destroySoon()
    }
  }

  /** True if the body is still arriving and no answer was sent. */
  get isReceiving(): boolean {
    return !this.#sent && !this.request.complete
  }

  /** Records that the rest of the body will not arrive. The connection is then closed after the answer. */
  abandonBody(): void {
    this.#withoutBody = true
  }

  /** Refuses a request whose body will not arrive completely. */
  reject(refusal: HttpRefusal): void {
    this.abandonBody()
    this.refuse(refusal)
  }

  protected sendWhole(status: number, headers: Array<string>, body: Uint8Array | undefined): void {
    if (this.#sent || this.#ended) return
    const { held } = this.#shared
    if (held !== undefined) {
      held.push(() => this.sendWhole(status, headers, body))
      return
    }
    this.#sent = true
    this.bytesOut += body?.length ?? 0
    this.#releaseUpload()
    const { response } = this
    headers.push(RequestId.HEADER, this.requestId)
    const rest = this.#rest()
    if (rest !== "none" || this.#isLast()) {
      headers.push("connection", "close")
      this.#closeBehind()
    }
    response.writeHead(status, headers)
    if (rest === "linger") {
      this.#linger(body)
      return
    }
    if (body !== undefined && body.length <= ONE_WRITE) {
      // Node sends head and body as one string, which costs 1.5 us less than two buffers. Latin-1 keeps every byte.
      response.end(Buffer.from(body.buffer, body.byteOffset, body.length).toString("latin1"), "latin1")
    } else {
      response.end(body)
    }
    this.#end()
  }

  /** True if the gateway is draining, and no later request was read on the connection. */
  #isLast(): boolean {
    const { connections, isDraining } = this.#shared
    return isDraining && connections.isLatest(this.request.socket, this.response)
  }

  /** Records that the answer says that the connection closes after it. */
  #closeBehind(): void {
    this.#shared.connections.end(this.request.socket)
  }

  /**
   * Lets Node read and discard the rest of an upload. Node discards the rest by itself only if no bytes were read
   * before.
   */
  #releaseUpload(): void {
    if (this.upload === undefined) return
    this.upload.release()
    this.upload = undefined
    this.request.resume()
  }

  /** Returns how the connection must treat a body that was not read to its end. */
  #rest(): "none" | "close" | "linger" {
    const { complete, headers } = this.request
    const length = headers["content-length"]
    if (length === undefined && headers["transfer-encoding"] === undefined) return "none"
    if (this.#withoutBody) return "close"
    if (complete) return "none"
    // Node reads and discards the rest of a body. For a short body this is cheaper than a new connection.
    return length !== undefined && Number(length) <= SHORT_BODY ? "none" : "linger"
  }

  /**
   * Answers while the body is still arriving. If the connection were closed with unread data, the system would reset
   * it, and the client could get the reset before the answer. So the rest of the body is read and discarded, up to a
   * number of bytes and a time, and the answer ends after that.
   */
  #linger(body: Uint8Array | undefined): void {
    const { request, response } = this
    if (body !== undefined) response.write(body)
    let left = LINGER_BYTES
    const end = () => {
      clearTimeout(timer)
      response.end()
      this.#end()
    }
    // Node's own time limit cannot be used: an upload may have taken longer already.
    const timer = setTimeout(end, this.#shared.writeTimeout)
    response.once("close", () => clearTimeout(timer))
    request.on("data", (chunk: Uint8Array) => {
      left -= chunk.length
      if (left < 0) end()
    })
    request.once("end", end)
    request.resume()
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#shared.onEnd(this)
  }
}

const PREFLIGHT: ReadonlyArray<string> = [
  ...CORS,
  "access-control-allow-methods",
  "POST",
  "access-control-allow-headers",
  "content-type, authorization, x-request-id, traceparent",
  "access-control-max-age",
  "600"
]

/**
 * True if a client announces that it reads trailers. False for requests by `fetch`, in browsers and in Node: they
 * announce it too, but `fetch` does not show trailers to the program.
 */
const readsTrailers = ({ headers }: IncomingMessage): boolean =>
  /\btrailers\b/iu.test(String(headers["te"] ?? "")) &&
  headers["sec-fetch-mode"] === undefined &&
  headers.origin === undefined

/** Maximum length of a message in a trailer, in bytes. */
const MAX_TRAILER = 1024

const ONE_WRITE = 4096
const SHORT_BODY = 64 * 1024
const LINGER_BYTES = 16 * 1024 * 1024
