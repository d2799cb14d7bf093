/** The subscriptions of one WebSocket. */
import { Buffer } from "node:buffer"
import { randomBytes } from "node:crypto"

import * as ErrorCode from "@plumbline/jsonrpc-core/error/ErrorCode"
import * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

import * as Allowlist from "../accounts/Allowlist.ts"
import * as Costs from "../metering/Costs.ts"
import type { FeedEvent, Feeds, FeedRequest } from "../networks/Feeds.ts"
import type { UpstreamError } from "../networks/UpstreamError.ts"
import type { ConnectionSubscriptions } from "../pipeline/connectionSubscriptions.ts"
import type { SocketClosing, EventSettlement, SubscribedSocket } from "../pipeline/eventSettlement.ts"
import type { CallerSession } from "../pipeline/requestAdmission.ts"

/** The socket, with the functions that its subscriptions need. */
export interface SubscriptionSocket extends SubscribedSocket {
  readonly session: () => CallerSession
  /** Sends a notification. Returns false if the socket does not accept it. */
  readonly push: (notification: Uint8Array) => boolean
}

export class SocketSubscriptions {
  readonly #host: SubscriptionSocket
  readonly #events: EventSettlement
  /** All subscriptions, including those that are still starting. */
  readonly #all = new Set<Subscription>()
  readonly #byId = new Map<string, Subscription>()
  #isClosed = false

  constructor(host: SubscriptionSocket, events: EventSettlement) {
    this.#host = host
    this.#events = events
  }

  get size(): number {
    return this.#all.size
  }

  /** Makes the object that begins and ends subscriptions for the calls of one message. */
  message(): MessageSubscriptions {
    return new MessageSubscriptions(this)
  }

  /** Ends the socket if the project's allowlist no longer permits one of its subscriptions. */
  look(session: CallerSession): void {
    for (const { feeds, request } of this.#all) {
      if (session.rules.call(feeds.subscribe, request.params)) continue
      this.#host.end({ code: 1008, reason: Allowlist.rejected.error.message })
      return
    }
  }

  close(): void {
    this.#isClosed = true
    for (const subscription of this.#byId.values()) this.drop(subscription)
  }

  open(feeds: Feeds, request: FeedRequest): Effect.Effect<Subscription, ErrorObject.ErrorObject | UpstreamError> {
    return Effect.suspend(() => {
      const session = this.#host.session()
      const { costs, limits } = session.config.settings
      if (this.#all.size >= limits.socketSubscriptions) return Exit.fail(tooMany(limits.socketSubscriptions))
      if (this.#all.size === 0) this.#events.join(session.holder.project.id, this.#host)
      const subscription = new Subscription(feeds, request, costs.event(request.kind), limits.socketBufferedBytes)
      this.#all.add(subscription)
      const opened = feeds.open(request, {
        begun: (close) => {
          subscription.close = close
          if (this.#isClosed) this.drop(subscription)
          else this.#byId.set(subscription.id, subscription)
        },
        event: (event) => this.#event(subscription, event),
        end: (why) => this.#host.end(why === "missed" ? MISSED : RESTART)
      })
      return Effect.onExit(Effect.as(opened, subscription), (exit) =>
        Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => this.drop(subscription))
      )
    })
  }

  /** Ends a subscription. Returns false if the id is unknown. */
  end(id: unknown): boolean {
    const subscription = typeof id === "string" ? this.#byId.get(id) : undefined
    if (subscription === undefined) return false
    this.drop(subscription)
    return true
  }

  drop(subscription: Subscription): void {
    if (subscription.isOver) return
    subscription.isOver = true
    subscription.close()
    this.#byId.delete(subscription.id)
    this.#all.delete(subscription)
    if (this.#all.size === 0) this.#events.leave(this.#host.session().holder.project.id, this.#host)
  }

  /** Sends the events that were held until the answer was sent. Before that, the client did not know the id. */
  release(subscription: Subscription): void {
    const held = subscription.release()
    for (const event of held) this.#event(subscription, event)
  }

  #event(subscription: Subscription, event: FeedEvent): void {
    if (subscription.isOver) return
    if (!subscription.isKnown) {
      if (!subscription.hold(event)) this.#host.end(NOT_READ)
      return
    }
    const notification = subscription.notification(event)
    if (this.#host.push(notification)) {
      this.#events.charge(this.#host.session(), subscription.due(event, this.#events.now()), notification.length)
    }
  }
}

/**
 * The subscriptions that the calls of one message begin. Their events are held until the client has the answer. If
 * there is no answer, they are never sent.
 */
export class MessageSubscriptions implements ConnectionSubscriptions {
  readonly #socket: SocketSubscriptions
  readonly #begun: Array<Subscription> = []

  constructor(socket: SocketSubscriptions) {
    this.#socket = socket
  }

  subscribe(
    feeds: Feeds,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<Uint8Array, ErrorObject.ErrorObject | UpstreamError> {
    const request: FeedRequest = { kind: String(params[0]), params }
    return Effect.map(this.#socket.open(feeds, request), (subscription) => {
      this.#begun.push(subscription)
      return Buffer.from(`"${subscription.id}"`)
    })
  }

  unsubscribe(id: unknown): Effect.Effect<Uint8Array, ErrorObject.ErrorObject> {
    return Effect.suspend(() => (this.#socket.end(id) ? Exit.succeed(TRUE) : notFound))
  }

  /** Call this when the answer was sent. */
  answered(): void {
    for (const subscription of this.#begun) this.#socket.release(subscription)
  }

  /** Call this if the answer will never be sent, or does not name the subscriptions. */
  abandoned(): void {
    for (const subscription of this.#begun) this.#socket.drop(subscription)
  }
}

class Subscription {
  /** 16 random bytes in the form that geth uses: a quantity without leading zeros. The id cannot be guessed. */
  readonly id = `0x${randomBytes(16)
    .toString("hex")
    .replace(/^0+(?=.)/u, "")}`
  readonly feeds: Feeds
  readonly request: FeedRequest
  close: () => void = () => undefined
  isKnown = false
  isOver = false
  readonly #cost: Costs.EventCost
  readonly #head: Buffer
  readonly #maxHeld: number
  #held: Array<FeedEvent> = []
  #heldBytes = 0
  #previous: Costs.EventMoment | undefined

  constructor(feeds: Feeds, request: FeedRequest, cost: Costs.EventCost, maxHeld: number) {
    this.feeds = feeds
    this.request = request
    this.#cost = cost
    this.#maxHeld = maxHeld
    this.#head = Buffer.from(
      `{"jsonrpc":"2.0","method":"${feeds.notification}","params":{"subscription":"${this.id}","result":`
    )
  }

  /** Holds an event until the answer is sent. Returns false if the held events are too large. */
  hold(event: FeedEvent): boolean {
    this.#heldBytes += event.json.length
    this.#held.push(event)
    return this.#heldBytes <= this.#maxHeld
  }

  release(): ReadonlyArray<FeedEvent> {
    this.isKnown = true
    const held = this.#held
    this.#held = []
    return held
  }

  notification({ json }: FeedEvent): Uint8Array {
    return Buffer.concat([this.#head, json, TAIL])
  }

  /** Returns the credits for an event that is sent now, and remembers the event as the previous one. */
  due({ block }: FeedEvent, at: number): number {
    const moment = { block, at }
    const credits = Costs.due(this.#cost, this.#previous, moment)
    this.#previous = moment
    return credits
  }
}

const TAIL = Buffer.from("}}")
const TRUE = Buffer.from("true")

const MISSED: SocketClosing = { code: 1013, reason: "events were missed", isOurs: true }
const RESTART: SocketClosing = { code: 1012, reason: "service restart", isOurs: true }
const NOT_READ: SocketClosing = { code: 1013, reason: "answers are not read" }

const notFound = Exit.fail(ErrorObject.make(ErrorCode.INVALID_INPUT, "subscription not found"))

const tooMany = (count: number): ErrorObject.ErrorObject =>
  ErrorObject.make(ErrorCode.LIMIT_EXCEEDED, `too many subscriptions, want at most ${count}`)
