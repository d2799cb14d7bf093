/**
 * The connection to a node that pushes events, over a WebSocket or a socket of this machine. It opens when a call needs
 * it, and opens again after a loss.
 */
import { Buffer, isUtf8 } from "node:buffer"
import type { EventEmitter } from "node:events"
import type { IncomingMessage } from "node:http"

import { BoundedMap } from "@plumbline/codec/value/BoundedMap"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Queue from "effect/Queue"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"

import { membersOf } from "./jsonMembers.ts"
import * as JsonText from "./jsonText.ts"
import * as NodeAnswer from "./nodeAnswer.ts"
import type { Subscribe, Upstream } from "./Upstream.ts"
import { UpstreamError } from "./UpstreamError.ts"

/**
 * One connection to the node, with the events of a WebSocket of ws: open, message, ping, pong, unexpected-response,
 * error and close.
 */
export interface NodeConnection extends EventEmitter {
  readonly bufferedAmount: number
  readonly send: (text: string, done?: () => void) => void
  readonly ping: () => void
  readonly terminate: () => void
}

/** The settings of a connection. Times are in milliseconds. */
export interface NodeSocketSettings {
  /** Starts a connection. Throws if the options of the connection are invalid. */
  readonly open: () => NodeConnection
  readonly redact: (text: string) => string
  readonly timeout: number
  readonly connectTimeout: number
  readonly inFlight: number
  readonly maxMessageBytes: number
  readonly heartbeat: number
  readonly maxBackoff: number
  readonly random: () => number
}

export interface Subscription {
  readonly id: string
  readonly queue: Queue.Queue<Uint8Array, UpstreamError>
}

/** Makes the upstream of a connection, which closes with the scope. */
export const make = Effect.fnUntraced(function* (
  settings: Omit<NodeSocketSettings, "random">
): Effect.fn.Return<Upstream & { readonly subscribe: Subscribe }, never, Scope.Scope> {
  const random = yield* Random.Random
  const socket = yield* Effect.acquireRelease(
    Effect.sync(() => new NodeSocket({ ...settings, random: () => random.nextDoubleUnsafe() })),
    (socket) => Effect.sync(() => socket.close())
  )
  return {
    call: (method, params) => socket.call(method, params),
    subscribe: (params) =>
      Effect.map(
        Effect.acquireRelease(
          socket.subscribe(params),
          (subscription) => Effect.sync(() => socket.unsubscribe(subscription)),
          { interruptible: true }
        ),
        ({ queue }) => queue
      )
  }
})

class NodeSocket {
  readonly #settings: NodeSocketSettings
  #socket: NodeConnection | undefined
  #isOpen = false
  #isClosed = false
  #isAlive = true
  #openedAt = 0
  /** The number of successive connections that failed or closed early. */
  #failures = 0
  /** The earliest time of the next attempt to connect, on the clock of `performance.now`. */
  #nextAt = 0
  #retry: NodeJS.Timeout | undefined
  /** The timer that limits the handshake. The timeout option of ws would restart with each byte. */
  #connecting: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #lastId = 0
  /** Calls that are not sent yet, oldest first. */
  readonly #waiting = new Set<SocketCall>()
  /** Calls that were sent and wait for an answer, keyed by their ids. */
  readonly #pending = new Map<string, SocketCall>()
  /** Calls that were given up. An answer names the subscription to end at the node. */
  readonly #late = new BoundedMap<string, SocketCall>(MAX_LATE)
  readonly #subscriptions = new Map<string, Subscription>()

  constructor(settings: NodeSocketSettings) {
    this.#settings = settings
  }

  call(method: string, params: ReadonlyArray<unknown>): Effect.Effect<Uint8Array, ErrorObject | UpstreamError> {
    return Effect.callback((resume) => this.#begin(method, params, resume))
  }

  subscribe(params: ReadonlyArray<unknown>): Effect.Effect<Subscription, ErrorObject | UpstreamError> {
    return Effect.callback((resume) =>
      this.#begin(
        "eth_subscribe",
        params,
        (answer) => resume(Exit.isSuccess(answer) ? this.#granted(answer.value) : Exit.failCause(answer.cause)),
        // If the caller has left before the answer, ends the subscription: the node would push events for ever.
        (result) => this.#end(idOf(result))
      )
    )
  }

  unsubscribe({ id, queue }: Subscription): void {
    if (this.#subscriptions.get(id)?.queue !== queue) return
    this.#subscriptions.delete(id)
    this.#end(id)
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#drop(CLOSED)
  }

  // Private: calls.

  #begin(
    method: string,
    params: ReadonlyArray<unknown>,
    resume: (answer: NodeAnswer.NodeAnswer) => void,
    onLate?: (result: Uint8Array) => void
  ): Effect.Effect<void> {
    const { timeout } = this.#settings
    const call = new SocketCall(this.#text(method, params), resume, onLate)
    if (this.#isClosed) {
      call.settle(NodeAnswer.fault(CLOSED))
      return Effect.void
    }
    if (Number.isFinite(timeout)) {
      call.deadline = setTimeout(() => {
        call.settle(NodeAnswer.fault({ _tag: "TimedOut", after: timeout }))
        this.#giveUp(call)
      }, timeout)
    }
    this.#waiting.add(call)
    this.#ensure()
    this.#flush()
    return Effect.sync(() => {
      clearTimeout(call.deadline)
      this.#giveUp(call)
    })
  }

  #text(method: string, params: ReadonlyArray<unknown>): CallText {
    const id = String(++this.#lastId)
    return {
      id,
      body: `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`
    }
  }

  /**
   * Gives up a call. If the call was to begin a subscription, it is remembered so that the subscription can be ended.
   */
  #giveUp(call: SocketCall): void {
    this.#waiting.delete(call)
    call.isDone = true
    if (this.#pending.delete(call.text.id) && call.onLate !== undefined) this.#late.set(call.text.id, call)
    this.#flush()
  }

  #flush(): void {
    const socket = this.#socket
    if (!this.#isOpen || socket === undefined) return
    for (const call of this.#waiting) {
      if (this.#pending.size >= this.#settings.inFlight || socket.bufferedAmount > MAX_BUFFERED_BYTES) return
      this.#waiting.delete(call)
      this.#pending.set(call.text.id, call)
      socket.send(call.text.body, () => this.#flush())
    }
  }

  /** Ends a subscription at the node, and ignores the node's answer. */
  #end(id: string | undefined): void {
    if (id === undefined || !this.#isOpen) return
    this.#socket?.send(this.#text("eth_unsubscribe", [id]).body)
  }

  #granted(result: Uint8Array): Exit.Exit<Subscription, UpstreamError> {
    const id = idOf(result)
    if (id === undefined || this.#subscriptions.has(id)) {
      return Exit.fail(new UpstreamError({ reason: { _tag: "BadAnswer", problem: "wrong result" } }))
    }
    const subscription = { id, queue: Effect.runSync(Queue.dropping<Uint8Array, UpstreamError>(MAX_QUEUED)) }
    this.#subscriptions.set(id, subscription)
    return Exit.succeed(subscription)
  }

  // Private: the connection.

  #ensure(): void {
    if (this.#isClosed || this.#socket !== undefined || this.#retry !== undefined || this.#waiting.size === 0) return
    const wait = this.#nextAt - performance.now()
    if (wait <= 0) this.#connect()
    else {
      this.#retry = setTimeout(() => {
        this.#retry = undefined
        this.#ensure()
      }, wait)
    }
  }

  #connect(): void {
    let socket: NodeConnection
    try {
      socket = this.#settings.open()
    } catch (error) {
      // The constructor throws if a header is invalid in HTTP.
      this.#drop({ _tag: "Unreachable", code: NodeAnswer.codeOf(error as Error) })
      return
    }
    this.#socket = socket
    const { connectTimeout } = this.#settings
    if (Number.isFinite(connectTimeout)) this.#connecting = setTimeout(() => this.#drop(NO_CONNECTION), connectTimeout)
    const isOurs = () => this.#socket === socket
    socket.on("open", () => {
      clearTimeout(this.#connecting)
      this.#isOpen = true
      this.#isAlive = true
      this.#openedAt = performance.now()
      const { heartbeat } = this.#settings
      if (Number.isFinite(heartbeat)) this.#heartbeat = setInterval(() => this.#beat(), heartbeat)
      this.#flush()
    })
    socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.#isAlive = true
      // By default ws passes messages as Buffers.
      if (isOurs()) this.#receive(data, isBinary)
    })
    for (const sign of ["ping", "pong"] as const) {
      socket.on(sign, () => {
        this.#isAlive = true
      })
    }
    socket.on("unexpected-response", (_request: unknown, response: IncomingMessage) => {
      if (isOurs()) this.#drop(NodeAnswer.badStatus(response.statusCode ?? 0, response.headers["retry-after"]))
    })
    socket.on("error", (error: Error) => {
      if (isOurs()) this.#drop(this.#reasonOf(error))
    })
    socket.on("close", () => {
      if (isOurs()) this.#drop(this.#isOpen ? CLOSED : NO_CONNECTION)
    })
  }

  #reasonOf(error: Error): UpstreamError["reason"] {
    const code = NodeAnswer.codeOf(error)
    if (code === TOO_LONG && this.#pending.size === 1) {
      return { _tag: "TooLarge", limit: this.#settings.maxMessageBytes }
    }
    return { _tag: "Unreachable", code: this.#isOpen || code !== "UNKNOWN" ? code : "NO_CONNECTION" }
  }

  #beat(): void {
    if (!this.#isAlive) this.#drop({ _tag: "Unreachable", code: "NO_SIGN_OF_LIFE" })
    else {
      this.#isAlive = false
      this.#socket?.ping()
    }
  }

  /** Drops the connection. Calls that were sent fail. Waiting calls fail too if the connection never opened. */
  #drop(reason: UpstreamError["reason"]): void {
    const socket = this.#socket
    const wasOpen = this.#isOpen
    this.#socket = undefined
    this.#isOpen = false
    clearTimeout(this.#connecting)
    clearInterval(this.#heartbeat)
    if (wasOpen && performance.now() - this.#openedAt >= this.#settings.maxBackoff) this.#failures = 0
    const grown = Math.min(this.#settings.maxBackoff, FIRST_BACKOFF * 2 ** Math.min(this.#failures++, 30))
    this.#nextAt = performance.now() + grown * (1 - this.#settings.random() / 2)
    const lost = [...this.#pending.values(), ...(wasOpen && !this.#isClosed ? [] : this.#waiting)]
    const subscriptions = [...this.#subscriptions.values()]
    this.#pending.clear()
    this.#late.clear()
    if (!wasOpen || this.#isClosed) this.#waiting.clear()
    this.#subscriptions.clear()
    // All state is changed before any caller runs, so a caller that tries again at once finds a consistent state.
    socket?.terminate()
    for (const call of lost) call.settle(NodeAnswer.fault(reason))
    for (const { queue } of subscriptions) end(queue, reason)
    this.#ensure()
  }

  // Private: messages.

  #receive(bytes: Buffer, isBinary: boolean): void {
    const parts = isBinary && !isUtf8(bytes) ? undefined : JsonText.locate(bytes)
    if (parts === undefined) {
      this.#notified(bytes)
      return
    }
    const call = this.#callOf(NodeAnswer.textOf(bytes, parts.id), parts.error !== undefined)
    if (call === undefined) return
    this.#pending.delete(call.text.id)
    this.#late.delete(call.text.id)
    if (!parts.isJson || NodeAnswer.textOf(bytes, parts.jsonrpc) !== '"2.0"') {
      call.settle(NodeAnswer.fault({ _tag: "BadAnswer", problem: "not JSON-RPC" }))
    } else if (parts.error !== undefined)
      call.settle(NodeAnswer.readError(NodeAnswer.textOf(bytes, parts.error), this.#settings.redact))
    else call.settle(Exit.succeed(bytes.subarray(parts.result!.start, parts.result!.end)))
    this.#flush()
  }

  /**
   * Returns the call that a response answers. An error without an id belongs to the only call in flight; if there are
   * several, its call is unknown.
   */
  #callOf(id: string | undefined, isError: boolean): SocketCall | undefined {
    if (id !== undefined && id !== "null") return this.#pending.get(id) ?? this.#late.get(id)
    return isError && this.#pending.size === 1 && this.#late.size === 0
      ? this.#pending.values().next().value
      : undefined
  }

  #notified(bytes: Buffer): void {
    const message = parse(bytes)
    if (typeof message !== "object" || message === null || !("method" in message)) {
      this.#drop({ _tag: "BadAnswer", problem: "not JSON-RPC" })
      return
    }
    const params = "params" in message ? message.params : undefined
    if (typeof params !== "object" || params === null || !("subscription" in params)) return
    // Every valid id is a string. Other values from a node are not safe to convert.
    const subscription =
      typeof params.subscription === "string" ? this.#subscriptions.get(params.subscription) : undefined
    // The whole message has been parsed, so its members can be found without further checks.
    const item = membersOf(membersOf(bytes)?.get("params") ?? bytes)?.get("result")
    if (subscription === undefined || item === undefined || Queue.offerUnsafe(subscription.queue, item)) return
    this.unsubscribe(subscription)
    end(subscription.queue, { _tag: "Unreachable", code: "OVERFLOW" })
  }
}

interface CallText {
  readonly id: string
  readonly body: string
}

class SocketCall {
  readonly text: CallText
  readonly onLate: ((result: Uint8Array) => void) | undefined
  readonly #resume: (answer: NodeAnswer.NodeAnswer) => void
  deadline: NodeJS.Timeout | undefined
  isDone = false

  constructor(
    text: CallText,
    resume: (answer: NodeAnswer.NodeAnswer) => void,
    onLate: ((result: Uint8Array) => void) | undefined
  ) {
    this.text = text
    this.#resume = resume
    this.onLate = onLate
  }

  settle(answer: NodeAnswer.NodeAnswer): void {
    clearTimeout(this.deadline)
    if (!this.isDone) {
      this.isDone = true
      this.#resume(answer)
    } else if (Exit.isSuccess(answer)) this.onLate?.(answer.value)
  }
}

const CLOSED: UpstreamError["reason"] = { _tag: "Unreachable", code: "CLOSED" }
const NO_CONNECTION: UpstreamError["reason"] = { _tag: "Unreachable", code: "NO_CONNECTION" }

/** The error code of a message over the limit, as ws names it. */
export const TOO_LONG = "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH"

/** The first wait before reconnecting, in milliseconds. */
const FIRST_BACKOFF = 100

/** Maximum number of unsent bytes. Above it, calls wait. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** Maximum number of given-up subscriptions that wait for an answer; the oldest are dropped. */
const MAX_LATE = 1024

/** Maximum number of notifications that wait for their reader. */
const MAX_QUEUED = 4096

const end = (queue: Subscription["queue"], reason: UpstreamError["reason"]): void => {
  Queue.failCauseUnsafe(queue, Cause.fail(new UpstreamError({ reason })))
}

const parse = (bytes: Buffer): unknown => {
  try {
    return isUtf8(bytes) ? JSON.parse(bytes.toString("utf8")) : undefined
  } catch {
    return undefined
  }
}

/** Returns the id of a subscription: a short text. */
const idOf = (result: Uint8Array): string | undefined => {
  const id = result.length <= 256 ? parse(Buffer.from(result)) : undefined
  return typeof id === "string" ? id : undefined
}
