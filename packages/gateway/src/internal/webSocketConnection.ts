/** One WebSocket: each message through the pipeline, answers as they come, bounds on both directions. */
import type { Buffer } from "node:buffer"
import type { Socket } from "node:net"

import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type { WebSocket } from "ws"

import type { Settings } from "../GatewayOptions.ts"
import type { Answer, Pipeline, Session } from "../Pipeline.ts"
import * as Redaction from "../Redaction.ts"
import type { Fork } from "./httpServer.ts"

export class WebSocketConnection {
  readonly #socket: WebSocket
  readonly #session: Session
  readonly #pipeline: Pipeline
  readonly #settings: Settings
  readonly #fork: Fork
  /** The TCP connection below, for its timer. */
  readonly #transport: Socket
  readonly #fibers = new Set<Fiber.Fiber<Answer>>()
  /** Read from the connection, and not begun. Beyond those in flight it is what one chunk held: then reading stops. */
  readonly #waiting: Array<Uint8Array> = []
  /** Messages begun whose answers the connection has not taken yet. */
  #inFlight = 0
  #pumping = false
  #alive = true
  /** With which code it closes when nothing is in flight. */
  #closing: Closing | undefined

  constructor(options: {
    readonly socket: WebSocket
    readonly transport: Socket
    readonly session: Session
    readonly pipeline: Pipeline
    readonly settings: Settings
    readonly fork: Fork
    readonly onClose: (connection: WebSocketConnection) => void
  }) {
    this.#socket = options.socket
    this.#session = options.session
    this.#pipeline = options.pipeline
    this.#settings = options.settings
    this.#transport = options.transport
    this.#fork = options.fork
    const socket = this.#socket
    // ws hands messages out as Buffers unless told otherwise.
    socket.on("message", (data) => this.#receive(data as Buffer))
    socket.on("pong", () => {
      this.#alive = true
    })
    // Set while answers wait to be read; progress sets it back.
    this.#transport.on("timeout", () => socket.terminate())
    // Broken frames, messages over the limit: ws closes with the right code by itself, and only then says so here.
    socket.on("error", () => undefined)
    socket.once("close", () => {
      this.#interrupt()
      options.onClose(this)
    })
  }

  /** Pings; ends a peer that did not answer the ping before. */
  beat(): void {
    // While it is not read, its pongs are not either.
    if (this.#socket.isPaused || this.#socket.readyState !== this.#socket.OPEN) return
    if (!this.#alive) {
      this.#socket.terminate()
      return
    }
    this.#alive = false
    this.#socket.ping()
  }

  /** Takes no more messages, and closes when those in flight are answered. */
  drain(): void {
    this.#closing ??= GOING_AWAY
    this.#closeIfIdle()
  }

  /** Gives up what is in flight, and closes now. */
  giveUp(): void {
    this.#closing = GOING_AWAY
    this.#interrupt()
    this.#close(GOING_AWAY)
  }

  #receive(message: Uint8Array): void {
    if (this.#closing !== undefined) return
    this.#waiting.push(message)
    this.#pump()
  }

  /** Begins what may be begun. A loop, because a message can be done before `#begin` returns, and then comes back here. */
  #pump(): void {
    if (this.#pumping) return
    this.#pumping = true
    while (this.#inFlight < this.#settings.limits.socketInFlight) {
      const message = this.#waiting.shift()
      if (message === undefined) break
      this.#begin(message)
    }
    this.#pumping = false
    if (this.#closing !== undefined) this.#closeIfIdle()
    else if (this.#waiting.length > 0) this.#socket.pause()
    else if (this.#socket.isPaused) this.#socket.resume()
  }

  #begin(message: Uint8Array): void {
    this.#inFlight++
    const fiber = this.#fork(this.#pipeline.handle(this.#session, message))
    this.#fibers.add(fiber)
    fiber.addObserver((exit) => {
      this.#fibers.delete(fiber)
      if (exit._tag === "Success") {
        this.#send(exit.value.body)
        return
      }
      if (!Cause.hasInterruptsOnly(exit.cause)) {
        this.#fork(Effect.logError("message died", Redaction.text(Cause.pretty(exit.cause))))
      }
      this.#finish()
    })
  }

  #send(body: Uint8Array | undefined): void {
    const socket = this.#socket
    if (body === undefined || socket.readyState !== socket.OPEN) {
      this.#finish()
      return
    }
    if (socket.bufferedAmount > this.#settings.limits.socketBufferedBytes) {
      this.#closing = NOT_READ
      this.#interrupt()
      this.#close(NOT_READ)
      return
    }
    // The place in flight is free when the system has taken the answer: who does not read is soon not read either.
    socket.send(body, TEXT_FRAME, () => {
      if (socket.bufferedAmount === 0) this.#transport.setTimeout(0)
      this.#finish()
    })
    if (socket.bufferedAmount > 0) this.#transport.setTimeout(this.#settings.timeouts.write)
  }

  #finish(): void {
    this.#inFlight--
    this.#pump()
  }

  #closeIfIdle(): void {
    if (this.#closing !== undefined && this.#inFlight === 0 && this.#waiting.length === 0) this.#close(this.#closing)
  }

  #close({ code, reason }: Closing): void {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return
    // The peer's half of the closing handshake has to be read.
    socket.resume()
    socket.close(code, reason)
    const timer = setTimeout(() => socket.terminate(), CLOSING_TIME)
    socket.once("close", () => clearTimeout(timer))
  }

  #interrupt(): void {
    this.#waiting.length = 0
    for (const fiber of this.#fibers) fiber.interruptUnsafe()
  }
}

interface Closing {
  readonly code: number
  readonly reason: string
}

const GOING_AWAY: Closing = { code: 1001, reason: "going away" }
const NOT_READ: Closing = { code: 1013, reason: "answers are not read" }

/** Milliseconds for the peer's half of the closing handshake. */
const CLOSING_TIME = 5000

const TEXT_FRAME = { binary: false, compress: false }
