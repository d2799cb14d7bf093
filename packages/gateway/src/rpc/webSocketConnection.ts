/** One WebSocket: runs each message through the pipeline, sends answers as they come, and limits both directions. */
import type { Buffer } from "node:buffer"
import type { IncomingHttpHeaders } from "node:http"
import type { Socket } from "node:net"

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type * as Tracer from "effect/Tracer"
import type { WebSocket } from "ws"

import * as Redaction from "../errors/Redaction.ts"
import { LEFT } from "../http/exchange.ts"
import * as Exits from "../http/exits.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { MemoryBudget } from "../http/memoryBudget.ts"
import { type SpawnFiber, WHOLE } from "../http/requestFibers.ts"
import { reset } from "../http/reset.ts"
import type { SocketClosing, EventSettlement } from "../pipeline/eventSettlement.ts"
import type { PacketAnswer, Pipeline, CallerSession } from "../pipeline/Pipeline.ts"
import type { CurrentConfig } from "../pipeline/runtimeConfig.ts"
import * as Tracing from "../tracing/tracing.ts"
import { type MessageSubscriptions, SocketSubscriptions } from "./socketSubscriptions.ts"

export class WebSocketConnection {
  readonly #socket: WebSocket
  /** The caller's session. It is checked again with each message. */
  #session: CallerSession
  readonly #annotates: boolean
  readonly #requestId: string
  readonly #traceHeaders: IncomingHttpHeaders
  readonly #pipeline: Pipeline
  readonly #live: CurrentConfig
  readonly #budget: MemoryBudget
  readonly #fork: SpawnFiber
  /** The TCP connection of the WebSocket, used for its timer. */
  readonly #transport: Socket
  readonly #subscriptions: SocketSubscriptions
  readonly #fibers = new Set<Fiber.Fiber<PacketAnswer | HttpRefusal.HttpRefusal>>()
  /**
   * Received messages that have not started, the oldest first. Reading stops while messages wait, so they come from at
   * most one chunk of data.
   */
  readonly #waiting: Array<Uint8Array> = []
  /** The number of messages that have started and whose answers the operating system has not taken yet. */
  #inFlight = 0
  /** The total size of the messages in flight, in bytes. */
  #bytes = 0
  /** Cancels the first message's wait for memory in the budget of all requests. */
  #leaveQueue: (() => void) | undefined
  #pumping = false
  #alive = true
  /** The code and reason with which the socket closes when nothing is in flight; undefined while it stays open. */
  #closing: SocketClosing | undefined
  #isGivenUp = false

  constructor(options: {
    readonly socket: WebSocket
    readonly transport: Socket
    readonly session: CallerSession
    readonly requestId: string
    /** True if each answer has its verdict in the member `plumbline`. The caller asked for that in the query. */
    readonly annotates: boolean
    /** The headers of the handshake. The messages belong to the trace that they name. */
    readonly headers: IncomingHttpHeaders
    readonly pipeline: Pipeline
    readonly live: CurrentConfig
    readonly budget: MemoryBudget
    readonly fork: SpawnFiber
    readonly events: EventSettlement
    readonly onClose: (connection: WebSocketConnection) => void
  }) {
    this.#socket = options.socket
    this.#session = options.session
    this.#requestId = options.requestId
    this.#annotates = options.annotates
    const { traceparent } = options.headers
    this.#traceHeaders = traceparent === undefined ? {} : { traceparent }
    this.#pipeline = options.pipeline
    this.#live = options.live
    this.#budget = options.budget
    this.#transport = options.transport
    this.#fork = options.fork
    this.#subscriptions = new SocketSubscriptions(
      {
        session: () => this.#session,
        push: (notification) => this.#write(notification),
        end: (closing) => this.#end(closing)
      },
      options.events
    )
    const socket = this.#socket
    // By default ws passes messages as Buffers.
    socket.on("message", (data) => this.#receive(data as Buffer))
    socket.on("pong", () => {
      this.#alive = true
    })
    // This timer runs while answers wait to be read. Any progress resets it.
    this.#transport.on("timeout", () => reset(this.#transport))
    // Nothing to do: for broken frames and messages over the limit, ws has already closed the socket with the right
    // code.
    socket.on("error", () => undefined)
    socket.once("close", () => {
      this.#interrupt()
      this.#subscriptions.close()
      options.onClose(this)
    })
  }

  /** The number of subscriptions of this WebSocket. */
  get subscriptions(): number {
    return this.#subscriptions.size
  }

  /** Pings the peer. Terminates the connection if the peer did not answer the previous ping. */
  beat(): void {
    // While reading is paused, the peer's pongs are not read either.
    if (this.#socket.isPaused || this.#socket.readyState !== this.#socket.OPEN) return
    if (!this.#alive) {
      reset(this.#transport)
      return
    }
    this.#alive = false
    this.#socket.ping()
  }

  /** Accepts no more messages, and closes when those in flight are answered. */
  drain(): void {
    this.#closing ??= GOING_AWAY
    this.#closeIfIdle()
  }

  /** Gives up the calls in flight, answers them with an error, and then closes. */
  giveUp(): void {
    this.#isGivenUp = true
    this.#closing = GOING_AWAY
    this.#interrupt()
    this.#subscriptions.close()
    this.#closeIfIdle()
  }

  /**
   * Closes the socket if the caller would no longer be admitted. If the store cannot be reached, the socket stays open.
   */
  readonly look: Effect.Effect<void> = Effect.suspend(() =>
    this.#closing === undefined ? Effect.ignore(this.#renew()) : Effect.void
  )

  /** Returns the status of interrupted calls in flight. */
  readonly #interrupted = (): number =>
    this.#isGivenUp || this.#closing?.isOurs === true ? HttpRefusal.unavailable.status : LEFT

  /** Returns the current session. If the caller is no longer admitted, it closes the socket and fails. */
  #renew(): Effect.Effect<CallerSession, HttpRefusal.HttpRefusal> {
    const take = (session: CallerSession) => {
      if (session.rules !== this.#session.rules) this.#subscriptions.look(session)
      this.#session = session
      return Exit.succeed(session)
    }
    const renewed = this.#pipeline.renew(this.#session)
    const known = Exits.exitOf(renewed)
    if (known?._tag === "Success") return take(known.value)
    return Effect.matchCauseEffect(renewed, {
      onSuccess: take,
      onFailure: (cause) => {
        const found = Cause.findError(cause)
        if (Result.isSuccess(found)) {
          const refusal = found.success
          if (refusal.status < 500) this.#end({ code: 1008, reason: reasonOf(refusal) })
          return Exit.fail(refusal)
        }
        return Effect.andThen(
          Effect.logError("the caller of a WebSocket cannot be checked", Redaction.text(Cause.pretty(cause))),
          Exit.fail(HttpRefusal.unavailable)
        )
      }
    })
  }

  #end(closing: SocketClosing): void {
    this.#closing = closing
    this.#interrupt()
    this.#subscriptions.close()
    this.#close(closing)
  }

  #place(): Tracing.Attributes {
    const { holder, place } = this.#session
    return { "plumbline.project": holder.project.id, "plumbline.network": place }
  }

  #receive(message: Uint8Array): void {
    if (this.#closing !== undefined) return
    this.#waiting.push(message)
    this.#pump()
  }

  /**
   * Starts as many messages as permitted. This is a loop because a message can finish before `#begin` returns. The end
   * of a message calls this method again.
   */
  #pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    const { bodyBytes, socketInFlight } = this.#live.current.settings.limits
    while (this.#inFlight < socketInFlight && this.#leaveQueue === undefined) {
      const [message] = this.#waiting
      // A single message may always run. Several messages together may not be larger than the largest permitted
      // message.
      if (message === undefined || (this.#inFlight > 0 && this.#bytes + message.length > bodyBytes)) break
      this.#enter(message)
    }
    this.#pumping = false
    if (this.#closing !== undefined) this.#closeIfIdle()
    else if (this.#waiting.length > 0) this.#socket.pause()
    else if (this.#socket.isPaused) this.#socket.resume()
  }

  /**
   * Begins the first message when the budget of all requests has room for it. Until then this socket is not read, and
   * no message is lost.
   */
  #enter(message: Uint8Array): void {
    let isServed = false
    const leave = this.#budget.wait(message.length, (isTaken) => {
      isServed = true
      this.#leaveQueue = undefined
      this.#waiting.shift()
      if (isTaken) this.#begin(message)
      else this.#refuse(message)
      this.#pump()
    })
    if (!isServed) this.#leaveQueue = leave
  }

  /** Refuses a message that is larger than the budget of all requests. */
  #refuse(message: Uint8Array): void {
    this.#inFlight++
    const subscriptions = this.#subscriptions.message()
    this.#send(this.#pipeline.fail(this.#session, message, HttpRefusal.busy).body, subscriptions, () => this.#finish())
  }

  #begin(message: Uint8Array): void {
    this.#inFlight++
    this.#bytes += message.length
    const subscriptions = this.#subscriptions.message()
    const finish = () => {
      this.#bytes -= message.length
      // Messages of other sockets that wait for the budget come before this socket's next message.
      this.#budget.give(message.length)
      this.#finish()
    }
    const { tracing } = this.#live.current.settings
    const span = Tracing.begin(tracing, "message /ws/v3", this.#traceHeaders, {
      "http.route": "/ws/v3",
      "plumbline.request_id": this.#requestId
    })
    const fiber = this.#fork(this.#handle(message, subscriptions, span), WHOLE)
    this.#fibers.add(fiber)
    fiber.addObserver((exit) => {
      this.#fibers.delete(fiber)
      if (span !== undefined) Tracing.end(span, exit._tag === "Success" ? exit.value.status : 500, this.#place())
      if (exit._tag === "Success") {
        const answer = exit.value
        // Here a refusal means that the socket was closed. Other errors are error objects in an answer.
        if (answer._tag === "Answer") this.#send(answer.body, subscriptions, finish)
        else finish()
        return
      }
      subscriptions.abandoned()
      if (Cause.hasInterruptsOnly(exit.cause)) return finish()
      const died = Effect.logError("message died", Redaction.text(Cause.pretty(exit.cause)))
      this.#fork(Effect.annotateLogs(died, { requestId: this.#requestId }))
      this.#send(this.#pipeline.fail(this.#session, message, HttpRefusal.failed).body, subscriptions, finish)
    })
  }

  #handle(
    message: Uint8Array,
    subscriptions: MessageSubscriptions,
    span: Tracer.Span | undefined
  ): Effect.Effect<PacketAnswer | HttpRefusal.HttpRefusal> {
    const requestId = this.#requestId
    const annotates = this.#annotates
    const interrupted = this.#interrupted
    const way = { kind: "webSocket", interrupted, subscriptions, requestId, span, annotates } as const
    return Effect.suspend(() => {
      const renewed = this.#renew()
      const known = Exits.exitOf(renewed)
      if (known?._tag === "Success") return this.#pipeline.handle(known.value, message, way)
      return Effect.matchEffect(Effect.interruptible(renewed), {
        onSuccess: (session) => this.#pipeline.handle(session, message, way),
        onFailure: (refusal) =>
          Exit.succeed(refusal.status < 500 ? refusal : this.#pipeline.fail(this.#session, message, refusal))
      })
    })
  }

  #send(body: Uint8Array | undefined, subscriptions: MessageSubscriptions, finish: () => void): void {
    // A message counts as in flight until the operating system has taken its answer. So if a client stops reading
    // answers, the gateway soon stops reading its calls. During shutdown no message follows, so there is no need to
    // wait.
    const isLast = this.#isGivenUp
    if (body !== undefined && this.#write(body, isLast ? undefined : finish)) {
      subscriptions.answered()
      if (isLast) finish()
    } else {
      subscriptions.abandoned()
      finish()
    }
  }

  /**
   * Sends a message. Returns false if the socket does not accept it. Closes the socket if the peer leaves too much
   * unread.
   */
  #write(body: Uint8Array, taken?: () => void): boolean {
    const socket = this.#socket
    const { limits, timeouts } = this.#live.current.settings
    if (socket.readyState !== socket.OPEN) return false
    if (socket.bufferedAmount > limits.socketBufferedBytes) {
      this.#end(NOT_READ)
      return false
    }
    socket.send(body, TEXT_FRAME, () => {
      if (socket.bufferedAmount === 0) this.#transport.setTimeout(0)
      taken?.()
    })
    if (socket.bufferedAmount > 0) this.#transport.setTimeout(timeouts.write)
    return true
  }

  #finish(): void {
    this.#inFlight--
    this.#pump()
  }

  #closeIfIdle(): void {
    if (this.#closing !== undefined && this.#inFlight === 0 && this.#waiting.length === 0) this.#close(this.#closing)
  }

  #close({ code, reason }: SocketClosing): void {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return
    // Reading resumes because the peer's closing frame must be read.
    socket.resume()
    socket.close(code, reason)
    const timer = setTimeout(() => reset(this.#transport), CLOSING_TIME)
    socket.once("close", () => clearTimeout(timer))
  }

  #interrupt(): void {
    this.#waiting.length = 0
    this.#leaveQueue?.()
    this.#leaveQueue = undefined
    for (const fiber of this.#fibers) fiber.interruptUnsafe()
  }
}

const GOING_AWAY: SocketClosing = { code: 1001, reason: "going away" }
const NOT_READ: SocketClosing = { code: 1013, reason: "answers are not read" }

/** Returns a valid reason for a close frame: at most 123 bytes of printable ASCII. */
const reasonOf = ({ text }: HttpRefusal.HttpRefusal): string => text.replaceAll(/[^\x20-\x7e]/gu, "?").slice(0, 123)

/** Milliseconds within which the peer must answer the closing handshake. */
const CLOSING_TIME = 5000

const TEXT_FRAME = { binary: false, compress: false }
