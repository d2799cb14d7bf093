/** One socket of a session: its events to the session, the session's messages to it. */
import type * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { type Reason, TransportError } from "../error/JsonRpcError.ts"
import * as HttpFailure from "../http/failure.ts"
import * as Reader from "../session/reader.ts"
import type { Session, Wire } from "../session/session.ts"
import * as Monotonic from "../time/monotonic.ts"
import type * as Envelope from "../transport/envelope.ts"
import * as RetryAfter from "../transport/retryAfter.ts"
import * as Saying from "../transport/saying.ts"
import type * as WebSocketLike from "./platform.ts"

export interface Options {
  readonly session: Session
  readonly open: () => Result.Result<WebSocketLike.WebSocketLike, TransportError>
  /** How many bytes may wait in the platform before no more are sent. */
  readonly maxBufferedBytes: number
  /** Whether the reading stops for a subscriber who is too slow. */
  readonly mayPause: boolean
  /** Called for a sign of life where the platform has no ping. */
  readonly pingMethod: string
  readonly clock: Clock.Clock
  /** Takes secrets out of what a server says. */
  readonly redact: Envelope.Redact
  readonly after: (duration: Duration.Duration, work: () => void) => () => void
}

export interface Link {
  /** Done when the socket is open. */
  readonly opened: Effect.Effect<void, Reason>
  /** Why the server refused, once its status is known. What it says of it may still be on its way. */
  readonly refusal: () => Reason | undefined
  /** Fails when the socket is no more. */
  readonly ended: Effect.Effect<never, Reason>
  /** Milliseconds since it was opened; `undefined` if it never was. */
  readonly age: () => number | undefined
  /** When the peer last gave a sign of life, by `Monotonic.millis`. While nothing is read that is now. */
  readonly heardAt: () => number
  /** Asks the peer for a sign of life. */
  readonly probe: () => void
  /** Ends it for a reason. */
  readonly end: (reason: Reason) => void
  /** Lets the socket go: closes it as the protocol has it, or just drops it. */
  readonly release: (how: "close" | "drop") => void
}

/** The platform says nothing when it has sent what waits, so it is asked. */
const POLL = /* @__PURE__ */ Duration.millis(10)

/**
 * How many bytes are kept that come although the reading was stopped; the last message may reach beyond. A platform hands
 * out what it has received already, in node up to 64 KiB, which is many small messages.
 */
const MAX_HELD_BYTES = 1024 * 1024

/** Begins to connect. */
export const make = (options: Options): Result.Result<Link, TransportError> =>
  Result.map(options.open(), (socket) => attach(socket, options))

const attach = (socket: WebSocketLike.WebSocketLike, options: Options): Link => {
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
  let held: Array<Reader.Text> = []
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

  const receive = (message: Reader.Text): void => {
    if ((isStopped || held.length > 0) && heldBytes < MAX_HELD_BYTES) {
      held.push(message)
      heldBytes += Reader.sizeOf(message)
    } else {
      giveHeld(true)
      session.receive(message)
    }
  }

  /** Hands on what was kept, until the reading is stopped again. */
  const giveHeld = (isForced: boolean): void => {
    let given = 0
    for (const message of held) {
      // What is handed on may change both.
      if (isOver || (isStopped && !isForced)) {
        break
      }
      given++
      heldBytes -= Reader.sizeOf(message)
      session.receive(message)
    }
    held.splice(0, given)
  }

  const wire: Wire = {
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
              // Not at once: the session that says this is in the middle of something.
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
  socket.addEventListener("message", ({ data }: { readonly data: Reader.Text }) => {
    if (!isOver) {
      heard()
      receive(data)
    }
  })
  socket.addEventListener("error", ({ error }: { readonly error?: { readonly code?: unknown } }) => {
    // The server has refused, and what it says is being read.
    if (refusal !== undefined) {
      return
    }
    if (!isOver && error?.code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") {
      session.receiveTooLarge()
    }
    end(openedAt === undefined ? HttpFailure.unanswered(error) : lost("error"))
  })
  socket.addEventListener("close", ({ code }: { readonly code?: unknown }) => {
    if (refusal === undefined) {
      end(openedAt === undefined ? HttpFailure.unanswered(undefined) : lost(`code ${Number(code)}`))
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
      const said = body === undefined ? undefined : Saying.sentence(body, options.redact)
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

/** The error of a connection that was there. */
export const lost = (why: string): TransportError =>
  new TransportError({ detail: `connection lost (${why})`, retryable: true })

interface HandshakeResponse {
  readonly statusCode?: number | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  /** Events of the body, where it can be read. */
  on?(event: string, listener: (...args: Array<any>) => void): unknown
}

/** How long the body of a refusal is waited for: the status has said the most of it. */
const BODY_TIME = /* @__PURE__ */ Duration.seconds(1)

/** How many bytes of it are read. A longer one is no sentence. */
const MAX_BODY = 16 * 1024

/** Reads the body as text; `undefined` if it is not whole in time, too large or not UTF-8. Once; returns how to stop. */
const readBody = (
  response: HandshakeResponse,
  after: Options["after"],
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

/** The error of a server that answered with HTTP. Nothing was asked yet, so its own faults may be over the next time. */
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
