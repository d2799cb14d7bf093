/** One socket of a session. It passes its events to the session and sends the session's messages. */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { type Reason, TransportError } from "../error/JsonRpcError.ts"
import * as HttpConnectFailure from "../http/connectFailure.ts"
import type { CallSession, SessionConnection } from "../session/callSession.ts"
import * as SessionReader from "../session/sessionReader.ts"
import * as Monotonic from "../time/Monotonic.ts"
import type * as Envelope from "../transport/envelope.ts"
import * as ErrorSentence from "../transport/errorSentence.ts"
import * as RetryAfter from "../transport/RetryAfter.ts"
import type * as WebSocketLike from "./platform.ts"

export interface SocketLinkOptions {
  readonly session: CallSession
  readonly open: () => Result.Result<WebSocketLike.WebSocketLike, TransportError>
  /** Maximum number of bytes that wait in the platform; while there are more, nothing is sent. */
  readonly maxBufferedBytes: number
  /** True if reading may stop for a slow subscriber. */
  readonly mayPause: boolean
  /** The method to call as a probe if the platform has no ping. */
  readonly pingMethod: string
  readonly clock: Clock.Clock
  /** Removes secrets from a server's text. */
  readonly redact: Envelope.RedactText
  readonly after: (duration: Duration.Duration, work: () => void) => () => void
}

export interface SocketLink {
  /** Ends when the socket is open. */
  readonly opened: Effect.Effect<void, Reason>
  /**
   * Returns the reason for the server's refusal, once its status is known. The body of the refusal may still arrive.
   */
  readonly refusal: () => Reason | undefined
  /** Fails when the socket has ended. */
  readonly ended: Effect.Effect<never, Reason>
  /** Returns the milliseconds since the socket opened, or `undefined` if it never opened. */
  readonly age: () => number | undefined
  /**
   * Returns the time of the peer's last message, by `Monotonic.millis`. While reading is stopped, this is the current
   * time.
   */
  readonly heardAt: () => number
  /** Probes the peer: sends a ping, or calls `pingMethod`. */
  readonly probe: () => void
  /** Ends the socket with a reason. */
  readonly end: (reason: Reason) => void
  /** Releases the socket: with a closing handshake, or by dropping it. */
  readonly release: (how: "close" | "drop") => void
}

/** The platform has no event for an empty send buffer, so the buffer is polled. */
const POLL = /* @__PURE__ */ Duration.millis(10)

/**
 * Maximum number of bytes that are kept if they arrive while reading is stopped. The last message may exceed the bound.
 * A platform still delivers the data that it had received. In Node that is up to 64 KiB, which can be many small
 * messages.
 */
const MAX_HELD_BYTES = 1024 * 1024

/** Begins to connect. */
export const make = (options: SocketLinkOptions): Result.Result<SocketLink, TransportError> =>
  Result.map(options.open(), (socket) => attach(socket, options))

const attach = (socket: WebSocketLike.WebSocketLike, options: SocketLinkOptions): SocketLink => {
  const { clock, session } = options
  const opened = Deferred.makeUnsafe<void, Reason>()
  const ended = Deferred.makeUnsafe<never, Reason>()
  let openedAt: number | undefined
  let heardAt = 0
  let isOver = false
  let refusal: TransportError | undefined
  let stopReading: (() => void) | undefined
  let stopPolling: (() => void) | undefined
  let isStopped = false
  let held: Array<SessionReader.ReceivedText> = []
  let heldBytes = 0

  const heard = (): void => {
    heardAt = Monotonic.millis(clock)
  }

  const end = (reason: Reason): void => {
    if (!isOver) {
      isOver = true
      held = []
      stopPolling?.()
      stopReading?.()
      if (openedAt !== undefined) {
        session.reset(reason)
      }
      Deferred.doneUnsafe(opened, Effect.fail(reason))
      Deferred.doneUnsafe(ended, Effect.fail(reason))
    }
  }

  const isWritable = (): boolean => socket.bufferedAmount <= options.maxBufferedBytes

  const whenWritable = (work: () => void): void => {
    stopPolling ??= options.after(POLL, () => {
      stopPolling = undefined
      if (isWritable()) {
        work()
      } else {
        whenWritable(work)
      }
    })
  }

  const receive = (message: SessionReader.ReceivedText): void => {
    if ((isStopped || held.length > 0) && heldBytes < MAX_HELD_BYTES) {
      held.push(message)
      heldBytes += SessionReader.sizeOf(message)
    } else {
      giveHeld(true)
      session.receive(message)
    }
  }

  /** Passes on the kept messages, until reading is stopped again. */
  const giveHeld = (isForced: boolean): void => {
    let given = 0
    for (const message of held) {
      // The handling of a message may change both flags.
      if (isOver || (isStopped && !isForced)) {
        break
      }
      given++
      heldBytes -= SessionReader.sizeOf(message)
      session.receive(message)
    }
    held.splice(0, given)
  }

  const wire: SessionConnection = {
    send: (text) => socket.send(text),
    isWritable,
    whenWritable,
    setPaused:
      options.mayPause && socket.pause !== undefined && socket.resume !== undefined
        ? (isPaused) => {
            isStopped = isPaused
            if (isPaused) {
              socket.pause!()
            } else {
              heard()
              // Deferred, because the session that calls this has not finished its own work.
              queueMicrotask(() => giveHeld(false))
              socket.resume!()
            }
          }
        : undefined,
    giveUp: end
  }

  socket.binaryType = "arraybuffer"
  socket.addEventListener("open", () => {
    if (!isOver) {
      heard()
      openedAt = heardAt
      session.open(wire)
      Deferred.doneUnsafe(opened, Effect.void)
    }
  })
  socket.addEventListener("message", ({ data }: { readonly data: SessionReader.ReceivedText }) => {
    if (!isOver) {
      heard()
      receive(data)
    }
  })
  socket.addEventListener("error", ({ error }: { readonly error?: { readonly code?: unknown } }) => {
    // The server has refused, and the body of its refusal is being read.
    if (refusal !== undefined) {
      return
    }
    if (!isOver && error?.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
      session.receiveTooLarge()
    }
    end(openedAt === undefined ? HttpConnectFailure.unanswered(error) : lost("error"))
  })
  socket.addEventListener("close", ({ code }: { readonly code?: unknown }) => {
    if (refusal === undefined) {
      end(openedAt === undefined ? HttpConnectFailure.unanswered(undefined) : lost(`code ${Number(code)}`))
    }
  })
  socket.on?.("ping", heard)
  socket.on?.("pong", heard)
  socket.on?.("unexpected-response", (_request, response: HandshakeResponse) => {
    if (isOver || refusal !== undefined) {
      return
    }
    const found = refused(response, clock.currentTimeMillisUnsafe())
    refusal = found
    if (isRedirect(found)) {
      return end(found)
    }
    stopReading = readBody(response, options.after, (body) => {
      const said = body === undefined ? undefined : ErrorSentence.sentence(body, options.redact)
      end(said === undefined ? found : saying(found, said))
    })
  })

  return {
    opened: Deferred.await(opened),
    refusal: () => refusal,
    ended: Deferred.await(ended),
    age: () => (openedAt === undefined ? undefined : Monotonic.millis(clock) - openedAt),
    heardAt: () => (session.isPaused() ? Monotonic.millis(clock) : heardAt),
    probe: () => {
      if (socket.ping !== undefined) {
        socket.ping()
      } else {
        session.exchange([{ method: options.pingMethod, params: [] }], () => {}, { lane: "probe" })
      }
    },
    end,
    release: (how) => {
      isOver = true
      held = []
      stopPolling?.()
      stopReading?.()
      if (how === "drop" && socket.terminate !== undefined) {
        socket.terminate()
      } else {
        socket.close(how === "close" ? 1000 : undefined)
      }
    }
  }
}

/** Returns the error of a connection that was open before. */
export const lost = (why: string): TransportError =>
  new TransportError({ detail: `connection lost (${why})`, retryable: true })

interface HandshakeResponse {
  readonly statusCode?: number | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Events of the body, if the platform can read it. */
  on?(event: string, listener: (...args: Array<any>) => void): unknown
}

/** Time to wait for the body of a refusal. It is short, because the status already gives the main reason. */
const BODY_TIME = /* @__PURE__ */ Duration.seconds(1)

/** Maximum number of bytes of the body of a refusal. A longer body is not used, because it is not a short sentence. */
const MAX_BODY = 16 * 1024

/**
 * Reads the body as text, and calls back once, with `undefined` if the body is late, too large or not UTF-8. Returns a
 * function that stops reading.
 */
const readBody = (
  response: HandshakeResponse,
  after: SocketLinkOptions["after"],
  done: (body: string | undefined) => void
): (() => void) => {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let text = ""
  let size = 0
  let isDone = false
  let cancel: () => void = () => {}
  const finish = (body: string | undefined): void => {
    if (!isDone) {
      isDone = true
      cancel()
      done(body)
    }
  }
  const decode = (bytes?: Uint8Array): void => {
    try {
      text += decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      finish(undefined)
    }
  }
  if (response.on === undefined) {
    finish(undefined)
    return cancel
  }
  cancel = after(BODY_TIME, () => finish(undefined))
  response.on("data", (bytes: Uint8Array) => {
    if (isDone) {
      return
    }
    size += bytes.length
    if (size > MAX_BODY) {
      return finish(undefined)
    }
    decode(bytes)
  })
  response.on("end", () => {
    if (!isDone) {
      decode()
      finish(text)
    }
  })
  response.on("error", () => finish(undefined))
  response.on("close", () => finish(undefined))
  return () => {
    isDone = true
    cancel()
  }
}

const isRedirect = ({ status = 0 }: TransportError): boolean => status >= 300 && status < 400

const saying = (refusal: TransportError, said: string): TransportError => {
  const { detail, retryAfter, retryable, status } = refusal
  return new TransportError({
    detail,
    retryable,
    said,
    ...(status === undefined ? {} : { status }),
    ...(retryAfter === undefined ? {} : { retryAfter })
  })
}

/**
 * Returns the error of a server that answered the handshake with an HTTP status. No call was sent yet, so a fault of
 * the server (429, or 500 and above) can be retried.
 */
const refused = ({ headers, statusCode = 0 }: HandshakeResponse, nowMillis: number): TransportError => {
  if (statusCode >= 300 && statusCode < 400) {
    return new TransportError({ detail: "redirected: give the final URL", retryable: false, status: statusCode })
  }
  const header = headers["retry-after"]
  const retryAfter = typeof header === "string" ? RetryAfter.parse(header, nowMillis) : undefined
  return new TransportError({
    detail: `HTTP status ${statusCode}`,
    retryable: statusCode === 429 || statusCode >= 500,
    status: statusCode,
    ...(retryAfter === undefined ? {} : { retryAfter })
  })
}
