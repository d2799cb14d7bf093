/** Reads one reply over HTTP, from any client: its head first, then its body piece by piece. */
import type * as Clock from "effect/Clock"
import * as Result from "effect/Result"

import { ProtocolError, type Reason, TransportError } from "../error/JsonRpcError.ts"
import type * as Envelope from "../transport/envelope.ts"
import * as RetryAfter from "../transport/RetryAfter.ts"
import * as HttpConnectFailure from "./connectFailure.ts"

/** The status and headers of a reply. Headers are kept unchanged. */
export interface HttpReplyHead {
  /** The HTTP status; 0 if the platform hides a redirect. */
  readonly status: number
  readonly contentLength: string | undefined
  readonly contentType: string | undefined
  readonly contentEncoding: string | undefined
  readonly retryAfter: string | undefined
}

/** A reply that is being read. Its chunks are decoded as they arrive, so the whole body is never held as bytes. */
export class HttpReply {
  readonly #head: HttpReplyHead
  readonly #maxBytes: number
  #decoder: TextDecoder | undefined
  #text = ""
  #size = 0
  #failure: Reason | undefined
  #isDecided = false

  constructor(head: HttpReplyHead, maxBytes: number) {
    this.#head = head
    this.#maxBytes = maxBytes
    if (isRedirect(head.status)) {
      this.#failure = redirected(head.status)
      this.#isDecided = true
    } else if (Number(head.contentLength) > maxBytes) {
      this.#fail(tooLarge(maxBytes))
    }
  }

  /** True if the outcome is known before the end, so the rest need not be read. */
  get isDecided(): boolean {
    return this.#isDecided
  }

  push(bytes: Uint8Array): void {
    this.#size += bytes.length
    if (this.#size > this.#maxBytes) {
      this.#fail(tooLarge(this.#maxBytes))
    } else if (this.#size === bytes.length && bytes.length === Number(this.#head.contentLength)) {
      this.#decodeWhole(bytes)
    } else {
      this.#decode(bytes)
    }
  }

  /** Returns the outcome of an answer that began but did not end. */
  breakOff(error: unknown, clock: Clock.Clock): Result.Result<Envelope.EnvelopeAnswer, Reason> {
    if (!this.#isDecided) {
      this.#fail(HttpConnectFailure.cutOff(error))
    }
    return this.end(clock)
  }

  /** Returns the answer, or the reason why there is none. Call it once: at the end, or when the outcome is known. */
  end(clock: Clock.Clock): Result.Result<Envelope.EnvelopeAnswer, Reason> {
    if (!this.#isDecided) {
      this.#decode()
    }
    if (this.#failure !== undefined) {
      return Result.fail(this.#failure)
    }
    const { status, contentType, retryAfter } = this.#head
    return Result.succeed({
      text: this.#text,
      contentType,
      failedStatus: isOk(status) ? undefined : status,
      retryAfter: retryAfter === undefined ? undefined : RetryAfter.parse(retryAfter, clock.currentTimeMillisUnsafe())
    })
  }

  /**
   * Decodes a first chunk that is as long as the whole body. Most bodies arrive in one chunk, and creating a stream
   * decoder would cost more than decoding the text. For a compressed body, the announced length is not the length of
   * the text, so more chunks may follow.
   */
  #decodeWhole(bytes: Uint8Array): void {
    try {
      this.#text = WHOLE.decode(bytes)
    } catch {
      this.#decode(bytes)
    }
  }

  #decode(bytes?: Uint8Array): void {
    if (bytes === undefined && this.#decoder === undefined) {
      return
    }
    try {
      this.#decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: this.#text !== "" })
      this.#text += this.#decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      this.#fail(notText(this.#head.contentEncoding))
    }
  }

  /** Records a failure. If the status is a failure, the status is the reason, regardless of the body. */
  #fail(failure: Reason): void {
    this.#text = ""
    this.#failure = isOk(this.#head.status) ? failure : undefined
    this.#isDecided = true
  }
}

/** A shared decoder. It keeps no state, because it decodes whole texts only. */
const WHOLE = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true })

const isOk = (status: number): boolean => status >= 200 && status < 300

const isRedirect = (status: number): boolean => status === 0 || (status >= 300 && status < 400)

const redirected = (status: number): TransportError =>
  new TransportError({
    detail: "redirected: give the final URL",
    retryable: false,
    ...(status === 0 ? {} : { status })
  })

const tooLarge = (maxBytes: number): TransportError =>
  new TransportError({ detail: `the answer is larger than ${maxBytes} bytes`, retryable: false, tooLarge: true })

const notText = (contentEncoding: string | undefined): ProtocolError =>
  new ProtocolError({
    detail:
      contentEncoding !== undefined && /^(?:gzip|deflate|br|zstd)$/i.test(contentEncoding)
        ? `the answer is not UTF-8 (content encoding ${contentEncoding})`
        : "the answer is not UTF-8"
  })
