/**
 * What every HTTP exchange of a listener has: its state, and the way from the answer to a packet to an HTTP answer. How
 * the bytes are sent is up to the listener.
 */
import type * as Tracer from "effect/Tracer"

import type { CallExchange, RequestOwner, RequestWork } from "./callDoor.ts"
import * as Compression from "./compression.ts"
import type { Connections } from "./connections.ts"
import { body as bodyOf, type HttpRefusal, unavailable } from "./HttpRefusal.ts"
import type { PacketAnswer } from "./PacketAnswer.ts"

/** What an exchange needs of its listener. */
export interface ExchangeHooks {
  /** True while the gateway is draining. The last answer of each connection then says that the connection closes. */
  readonly isDraining: boolean
  readonly connections: Pick<Connections, "end" | "isLatest">
  /** Answers that are held back while the listener closes; undefined at any other time. */
  readonly held: Array<() => void> | undefined
  /** Maximum time for which the rest of a refused upload is read, in milliseconds. */
  readonly writeTimeout: number
  /** Minimum size of an answer that is compressed, in bytes. */
  readonly compressFrom: number
  /** Called once, when the exchange has ended. */
  readonly onEnd: (exchange: Exchange) => void
}

export abstract class Exchange implements CallExchange {
  readonly kind = "http"
  readonly start = performance.now()
  abstract readonly requestId: string
  abstract readonly isHead: boolean
  abstract readonly isGone: boolean
  abstract readonly status: number | undefined
  /** The method and the target of the request, for the log. */
  abstract readonly method: string
  abstract readonly url: string
  /** Number of bytes of the body, or of the answer, that are held in memory. */
  held = 0
  /** Number of body bytes that were read from the request, and number of body bytes that were written to the answer. */
  bytesIn = 0
  bytesOut = 0
  /** The tracing span of the exchange; undefined if it is not traced. */
  span: Tracer.Span | undefined
  /** True if the caller asks for verdicts in the answers. */
  annotates = false
  /** The name of the exchange's route, for metrics. */
  route = "none"
  /** Headers that are added to the answer. */
  common: ReadonlyArray<string> = CORS
  /** The work that prepares the answer, while it is under way. */
  work: RequestWork | undefined
  /** The owner, once the project is known. */
  owner: RequestOwner | undefined
  /** True once another part has taken over recording and charging the exchange. */
  isAccountedFor = false
  #isGivenUp = false
  /** Stops the compression under way and sends the answer uncompressed. */
  #plain: (() => void) | undefined

  /** Minimum size of an answer that is compressed, in bytes. */
  protected abstract readonly compressFrom: number
  /** The codings that the caller accepts. */
  protected abstract readonly acceptEncoding: string | undefined
  /** Sends a whole answer, unless one was sent. It may change `headers`. */
  protected abstract sendWhole(status: number, headers: Array<string>, body: Uint8Array | undefined): void
  /** Sends the head of an answer that is written piece by piece. */
  abstract begin(status: number, headers: ReadonlyArray<string>): void
  /**
   * Writes a piece. Returns false if the written bytes are still buffered; `onDrain` then reports when they are sent.
   */
  abstract write(bytes: Uint8Array): boolean
  /** Calls `callback` once, when the written bytes are sent. `Connections` ends a caller that reads nothing for too long. */
  abstract onDrain(callback: () => void): void
  /** Ends an answer that `begin` has started. */
  abstract finish(): void
  /** Breaks off an answer that `begin` has started, because of an error. */
  abstract breakOff(message: string): void
  /** Calls `callback` once, when the answer is sent or the caller has left. */
  protected abstract onceOver(callback: () => void): void
  /** Refuses a request whose body will not arrive completely. */
  abstract reject(refusal: HttpRefusal): void

  refuse(refusal: HttpRefusal): void {
    this.send(refusal.status, refusal.error === undefined ? TEXT : JSON_TYPE, refusal.headers, bodyOf(refusal))
  }

  answer(answer: PacketAnswer): void {
    const { body } = answer
    if (body !== undefined && body.length >= this.compressFrom) this.#compress(answer, body)
    else this.#answer(answer, body, [])
  }

  /**
   * Compresses and sends an answer. It is sent uncompressed if the caller does not accept a coding, or no thread is
   * free.
   */
  #compress(answer: PacketAnswer, body: Uint8Array): void {
    const coding = Compression.negotiate(this.acceptEncoding)
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
    this.onceOver(stop)
    if (large) {
      this.begin(answer.status, [...JSON_TYPE, ...CORS, ...exposed(answer.headers), ...coded])
      return
    }
    this.#plain = () => {
      stop()
      this.#answer(answer, body, VARY)
    }
  }

  #answer({ headers: extra, status }: PacketAnswer, body: Uint8Array | undefined, coded: ReadonlyArray<string>): void {
    const length = String(body?.length ?? 0)
    // Every call runs this code, and spreading lists would cost half a microsecond per call.
    const headers =
      body === undefined
        ? ["access-control-allow-origin", "*", "content-length", length]
        : ["content-type", "application/json", "access-control-allow-origin", "*", "content-length", length]
    for (const part of exposed(extra)) headers.push(part)
    for (const part of coded) headers.push(part)
    this.sendWhole(status, headers, body)
  }

  send(status: number, type: ReadonlyArray<string>, extra: ReadonlyArray<string>, body: Uint8Array): void {
    const headers = [...type, ...this.common, ...exposed(extra), "content-length", String(body.length)]
    this.sendWhole(status, headers, this.isHead ? undefined : body)
  }

  /** Ends the exchange because the drain took too long. Unanswered calls get 503. */
  giveUp(): void {
    this.#isGivenUp = true
    // The calls are already recorded and charged, so their answer must be sent.
    if (this.#plain !== undefined) this.#plain()
    else if (this.work === undefined) this.reject(unavailable)
    else this.work.interruptUnsafe()
  }

  /** Returns the status of an exchange that ends without an answer. */
  interrupted(): number {
    return this.#isGivenUp ? unavailable.status : LEFT
  }
}

/** The status that is logged and recorded if the caller disconnects before the answer. */
export const LEFT = 499

export const CORS: ReadonlyArray<string> = ["access-control-allow-origin", "*"]

/** Returns the headers. If they contain Retry-After, adds the header that lets pages of other origins read it. */
const exposed = (headers: ReadonlyArray<string>): ReadonlyArray<string> =>
  headers.includes("retry-after") ? [...headers, "access-control-expose-headers", "retry-after"] : headers

export const TEXT: ReadonlyArray<string> = [
  "content-type",
  "text/plain; charset=utf-8",
  "x-content-type-options",
  "nosniff"
]

export const JSON_TYPE: ReadonlyArray<string> = ["content-type", "application/json"]

/** The header that tells caches that the answer depends on Accept-Encoding. */
const VARY: ReadonlyArray<string> = ["vary", "accept-encoding"]
