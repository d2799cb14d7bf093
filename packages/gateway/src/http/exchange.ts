/** One HTTP request and its one answer. */
import { Buffer } from "node:buffer"
import type { IncomingMessage, ServerResponse } from "node:http"

import type * as Tracer from "effect/Tracer"

import type { Answer } from "./Answer.ts"
import * as Compression from "./compression.ts"
import { body as bodyOf, type Refusal, unavailable } from "./Refusal.ts"
import * as RequestId from "./requestId.ts"

/** A body that is read at its reader's pace. */
export interface Upload {
  /** Ends the reading. Closing the exchange discards the remaining bytes. */
  readonly release: () => void
}

/** The owner of a request of a known project, until work for it begins. */
export interface Owner {
  /** The id of the project, and the name of its network, for the log. */
  readonly project: string
  readonly network: string
  /** Refuses the request. The refusal is recorded and charged. */
  readonly refuse: (refusal: Refusal) => void
  /** Records that the request has ended without a call. */
  readonly recordUnasked: () => void
}

/** Work for a request that can be interrupted, such as a fiber. */
export interface Work {
  readonly interruptUnsafe: () => void
}

export interface Shared {
  /**
   * True if the service is ending, and no request was read after this one: then its connection is closed after the
   * answer.
   */
  readonly isLast: (exchange: HttpExchange) => boolean
  /** Called when an answer tells its client that the connection closes after it. */
  readonly onClose: (exchange: HttpExchange) => void
  /** Answers that wait until the listener is closed; undefined at any other time. */
  readonly held: Array<() => void> | undefined
  /** Milliseconds without progress after which a caller that does not read is cut off. */
  readonly writeTimeout: number
  /** Bytes from which an answer is compressed. */
  readonly compressFrom: number
  /** Called once, when nothing more is to be done for the exchange. */
  readonly onEnd: (exchange: HttpExchange) => void
}

export class HttpExchange {
  readonly kind = "http"
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly start = performance.now()
  readonly requestId: string
  readonly #shared: Shared
  /** True if no body is expected: the caller waits for `100 Continue`, or its body broke off. */
  #withoutBody: boolean
  #sent = false
  #ended = false
  /** Bytes of the body that are held in memory. */
  held = 0
  /** Bytes of the body that were read, and bytes of the body of the answer that were written. */
  bytesIn = 0
  bytesOut = 0
  /** A body that is read at its reader's pace, with a separate time limit. */
  upload: Upload | undefined
  /** Its span; undefined if it is not traced. */
  span: Tracer.Span | undefined
  /** True if its caller asks for verdicts in the answers. */
  annotates = false
  /** The name of its route, for metrics. */
  route = "none"
  /** Headers that are added to every answer. */
  common: ReadonlyArray<string> = CORS
  /** The work for its answer, while there is some. */
  work: Work | undefined
  /** The owner, once the project is known. */
  owner: Owner | undefined
  /** True once the exchange is certain to be recorded and charged, whatever its outcome. */
  isAccountedFor = false
  #isGivenUp = false
  /** Sends the answer as it is, while it is compressed. */
  #plain: (() => void) | undefined

  constructor(request: IncomingMessage, response: ServerResponse, waitsToContinue: boolean, shared: Shared) {
    this.request = request
    this.response = response
    this.requestId = RequestId.of(request)
    this.#withoutBody = waitsToContinue
    this.#shared = shared
    response.once("close", () => this.#end())
  }

  /** Sends `100 Continue`, which asks for the body. */
  continue(): void {
    if (!this.#withoutBody) return
    this.#withoutBody = false
    this.response.writeContinue()
  }

  refuse(refusal: Refusal): void {
    this.send(refusal.status, refusal.error === undefined ? TEXT : JSON_TYPE, refusal.headers, bodyOf(refusal))
  }

  answer(answer: Answer): void {
    const { body } = answer
    if (body !== undefined && body.length >= this.#shared.compressFrom) this.#compress(answer, body)
    else this.#answer(answer, body, [])
  }

  /** Compresses an answer if its caller takes that, and a thread is free. */
  #compress(answer: Answer, body: Uint8Array): void {
    const coding = Compression.negotiate(this.request.headers["accept-encoding"])
    if (coding === undefined || !Compression.isFree()) return this.#answer(answer, body, VARY)
    const coded = [...VARY, "content-encoding", coding]
    const large = Compression.isLarge(body.length)
    const stop = Compression.compress(coding, body, {
      whole: (compressed) => {
        this.#plain = undefined
        if (compressed === undefined) this.#answer(answer, body, VARY)
        else this.#answer(answer, compressed, coded)
      },
      piece: (compressed, resume) => {
        const isTaken = this.write(compressed)
        if (!isTaken) this.onDrain(resume)
        return isTaken
      },
      end: (isBroken) => (isBroken ? this.breakOff("the answer cannot be compressed") : this.finish())
    })
    this.response.once("close", stop)
    if (large) {
      this.begin(answer.status, [...JSON_TYPE, ...CORS, ...exposed(answer.headers), ...coded])
      return
    }
    this.#plain = () => {
      stop()
      this.#answer(answer, body, VARY)
    }
  }

  #answer({ headers: extra, status }: Answer, body: Uint8Array | undefined, coded: ReadonlyArray<string>): void {
    const length = String(body?.length ?? 0)
    // Written out, because every call runs this, and spreading lists costs half a microsecond per call.
    const headers =
      body === undefined
        ? ["access-control-allow-origin", "*", "content-length", length]
        : ["content-type", "application/json", "access-control-allow-origin", "*", "content-length", length]
    for (const part of exposed(extra)) headers.push(part)
    for (const part of coded) headers.push(part)
    this.#send(status, headers, body)
  }

  preflight(): void {
    this.#send(204, [...PREFLIGHT], undefined)
  }

  send(status: number, type: ReadonlyArray<string>, extra: ReadonlyArray<string>, body: Uint8Array): void {
    const headers = [...type, ...this.common, ...exposed(extra), "content-length", String(body.length)]
    this.#send(status, headers, this.request.method === "HEAD" ? undefined : body)
  }

  /** Sends an answer without a body. */
  empty(status: number, headers: ReadonlyArray<string>): void {
    this.#send(status, [...headers], undefined)
  }

  get isSent(): boolean {
    return this.#sent
  }

  /** Sends the head of an answer that is written piece by piece. */
  begin(status: number, headers: ReadonlyArray<string>): void {
    this.#sent = true
    const { response } = this
    const closes = this.#shared.isLast(this) || this.#rest() !== "none"
    if (closes) this.#shared.onClose(this)
    response.writeHead(status, [
      ...headers,
      RequestId.HEADER,
      this.requestId,
      ...(closes ? ["connection", "close"] : [])
    ])
    response.on("timeout", () => response.destroy())
  }

  /** Writes a piece. False if the written bytes are not taken yet: then `onDrain` reports when they are. */
  write(bytes: Uint8Array): boolean {
    const { response } = this
    // The exchange and its writer end in a moment.
    if (response.destroyed) return false
    this.bytesOut += bytes.length
    return response.write(bytes)
  }

  /** Calls back once, when the written bytes are taken. A caller that takes nothing for too long is cut off. */
  onDrain(callback: () => void): void {
    const { response } = this
    response.setTimeout(this.#shared.writeTimeout)
    response.once("drain", () => {
      response.setTimeout(0)
      callback()
    })
  }

  /** Ends an answer that has begun. */
  finish(): void {
    this.#releaseUpload()
    this.response.end()
    if ((this.request.socket.writableLength ?? 0) > 0) this.response.setTimeout(this.#shared.writeTimeout)
  }

  /**
   * Breaks off an answer that has begun, because of an error.
   *
   * `fetch` and most clients do not see the trailer that reports the error, and would take a shortened answer for a
   * whole one. So the answer is left without its end, and the connection is cut. A client that reads trailers gets a
   * complete message.
   */
  breakOff(message: string): void {
    const { request, response } = this
    const { socket } = request
    const text = message.replaceAll(/[^\t\u0020-\u007e]+/gu, " ").slice(0, MAX_TRAILER)
    response.setTimeout(this.#shared.writeTimeout)
    const reads = readsTrailers(request)
    // A whole answer can wait for the one before it on the connection, which has not left yet. Node sends it then.
    if (!response.chunkedEncoding || (response.socket === null && (response.destroyed || !reads))) {
      socket.destroy()
    } else if (reads) {
      response.addTrailers([["X-Stream-Error", text]])
      // the message is complete: the connection was announced to stay open, and another request may be on its way
      response.end()
    } else {
      socket.write(`0\r\nX-Stream-Error: ${text}\r\n`)
      socket.destroySoon()
    }
  }

  /** True if the body is still arriving and nothing was answered. */
  get isReceiving(): boolean {
    return !this.#sent && !this.request.complete
  }

  /** Notes that the body will never be whole: the connection closes after the answer. */
  abandonBody(): void {
    this.#withoutBody = true
  }

  /** Refuses a request whose body will never be whole. */
  reject(refusal: Refusal): void {
    this.abandonBody()
    this.refuse(refusal)
  }

  #send(status: number, headers: Array<string>, body: Uint8Array | undefined): void {
    if (this.#sent || this.#ended) return
    const { held } = this.#shared
    if (held !== undefined) {
      held.push(() => this.#send(status, headers, body))
      return
    }
    this.#sent = true
    this.bytesOut += body?.length ?? 0
    this.#releaseUpload()
    const { request, response } = this
    headers.push(RequestId.HEADER, this.requestId)
    const rest = this.#rest()
    if (rest !== "none" || this.#shared.isLast(this)) {
      headers.push("connection", "close")
      this.#shared.onClose(this)
    }
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

  /** Lets Node read and discard the rest of an upload: it does so by itself only if no reader has begun. */
  #releaseUpload(): void {
    if (this.upload === undefined) return
    this.upload.release()
    this.upload = undefined
    this.request.resume()
  }

  /** Returns the treatment of a body that was not read. */
  #rest(): "none" | "close" | "linger" {
    const { complete, headers } = this.request
    const length = headers["content-length"]
    if (length === undefined && headers["transfer-encoding"] === undefined) return "none"
    if (this.#withoutBody) return "close"
    if (complete) return "none"
    // Node reads and discards the rest of a body, which for a short one is cheaper than a new connection.
    return length !== undefined && Number(length) <= SHORT_BODY ? "none" : "linger"
  }

  /**
   * Answers while the body still arrives. A connection closed with unread data is reset, and the reset can overtake the
   * answer. So the rest is read and discarded, within bounds, and the answer ends after it.
   */
  #linger(body: Uint8Array | undefined): void {
    const { request, response } = this
    if (body !== undefined) response.write(body)
    let left = LINGER_BYTES
    const end = () => {
      clearTimeout(timer)
      response.end()
      if ((request.socket.writableLength ?? 0) > 0) {
        response.setTimeout(this.#shared.writeTimeout, () => response.destroy())
      }
      this.#end()
    }
    // Node's own time limit may be over already: an upload may take longer, and has no other limit.
    const timer = setTimeout(end, this.#shared.writeTimeout)
    response.once("close", () => clearTimeout(timer))
    request.on("data", (chunk: Uint8Array) => {
      left -= chunk.length
      if (left < 0) end()
    })
    request.once("end", end)
    request.resume()
  }

  /** Ends the wait: everything unanswered gets 503. */
  giveUp(): void {
    this.#isGivenUp = true
    // The calls are recorded, so their answer must leave.
    if (this.#plain !== undefined) this.#plain()
    else if (this.work === undefined) this.reject(unavailable)
    else this.work.interruptUnsafe()
  }

  /** Returns the status of an exchange that ends without an answer. */
  interrupted(): number {
    return this.#isGivenUp ? unavailable.status : LEFT
  }

  #end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#shared.onEnd(this)
  }
}

/** The status that is logged and recorded for a caller that left before its answer. */
export const LEFT = 499

export const CORS: ReadonlyArray<string> = ["access-control-allow-origin", "*"]

/** Returns the headers. If Retry-After is among them, adds the one that lets a page of another origin read it. */
const exposed = (headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers.includes("retry-after") ? [...headers, "access-control-expose-headers", "retry-after"] : headers

export const TEXT: ReadonlyArray<string> = [
  "content-type",
  "text/plain; charset=utf-8",
  "x-content-type-options",
  "nosniff"
]

export const JSON_TYPE: ReadonlyArray<string> = ["content-type", "application/json"]

/** The answer depends on the codings that the request accepts. */
const VARY: ReadonlyArray<string> = ["vary", "accept-encoding"]

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
 * True for a client that announces that it reads trailers, except a page: browsers announce it for themselves, and
 * `fetch`, including Node's, shows trailers to no program.
 */
const readsTrailers = ({ headers }: IncomingMessage): boolean =>
  /\btrailers\b/iu.test(String(headers["te"] ?? "")) &&
  headers["sec-fetch-mode"] === undefined &&
  headers.origin === undefined

/** Bytes of a message in a trailer. */
const MAX_TRAILER = 1024

const ONE_WRITE = 4096
const SHORT_BODY = 64 * 1024
const LINGER_BYTES = 16 * 1024 * 1024
