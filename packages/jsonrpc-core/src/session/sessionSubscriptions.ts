/**
 * The subscriptions of a session. It requests them, finds them by the server's ids, and makes them again on each new
 * connection.
 */
import * as Result from "effect/Result"

import { JsonRpcError, ProtocolError, type Reason, TransportError } from "../error/JsonRpcError.ts"
import type { SubscriptionNames } from "../method/Subscription.ts"
import * as Envelope from "../transport/envelope.ts"
import type { SubscriptionRequest } from "../transport/Subscriptions.ts"
import type * as Transport from "../transport/Transport.ts"
import * as EventBuffer from "./eventBuffer.ts"

/** A call in flight. */
export interface CallInFlight {
  readonly isSent: () => boolean
  readonly withdraw: () => void
}

export interface SessionSubscriptionsOptions {
  /** Sends a call. `onLate` receives a result that arrives after the outcome was reported. */
  readonly ask: (
    call: Transport.WireCall,
    settle: (outcome: Envelope.EnvelopeOutcome) => void,
    isUrgent: boolean,
    onLate?: (result: unknown) => void
  ) => CallInFlight
  /** True if there is a connection. */
  readonly isOpen: () => boolean
  /** Called when a slow reader has caught up. */
  readonly onRead: () => void
  readonly defer: (work: () => void) => void
  readonly unread: EventBuffer.EventBufferLimits
  readonly redact: Envelope.RedactText
}

/** One subscriber's subscription. */
export interface SessionSubscription {
  /**
   * Requests the subscription. `settle` receives `undefined` when the server has granted it, and otherwise the error.
   */
  readonly begin: (settle: (error: JsonRpcError | undefined) => void) => void
  readonly pull: EventBuffer.EventBuffer["pull"]
  /** Ends the subscription in any state. */
  readonly end: () => void
}

export interface SubscriptionRegistry {
  readonly subscribe: (request: SubscriptionRequest) => SessionSubscription
  /** Handles a notification. Returns false if it belongs to no subscription. */
  readonly notify: (method: string, params: unknown, size: number) => boolean
  /** Handles the loss of the connection. */
  readonly lost: () => void
  /** Handles a new connection. */
  readonly renew: () => void
  /** Ends all subscriptions with an error. */
  readonly fail: (reason: Reason) => void
  /** True if a subscription is granted and not given up. */
  readonly isWanted: () => boolean
  /**
   * True if a message may be a notification. A notification can come before the answer that grants its subscription.
   */
  readonly mayHear: () => boolean
  /** True if a reader is so slow that the server should wait. */
  readonly isPressing: () => boolean
}

type ServerId = string | number

interface SubscriptionState {
  readonly request: SubscriptionRequest
  readonly channel: Channel
  readonly events: EventBuffer.EventBuffer
  /** Set while the subscription is requested. */
  asked: CallInFlight | undefined
  /** Set while the subscription is granted. */
  id: ServerId | undefined
  isOver: boolean
}

/** The subscriptions that share one notification name. */
interface Channel {
  readonly idMember: string
  readonly live: Map<ServerId, SubscriptionState>
  /**
   * Number of pending requests. While there are any, a notification may belong to a subscription whose id is not known
   * yet.
   */
  asking: number
  readonly early: Map<ServerId, EventBuffer.EventBuffer>
  /** Number of dropped early items, of all ids together. */
  lostEarly: number
}

/**
 * Bounds of the items that are kept before the server grants a subscription: the number of ids, and of items for each.
 */
const MAX_EARLY_IDS = 16
const MAX_EARLY_ITEMS = 64

export const make = (options: SessionSubscriptionsOptions): SubscriptionRegistry => {
  const channels = new Map<string, ReadonlyArray<Channel>>()
  const granted = new Set<SubscriptionState>()
  let pressing = 0

  const hooks: EventBuffer.EventBufferHooks = {
    defer: options.defer,
    press: (isPressing) => {
      pressing += isPressing ? 1 : -1
      if (!isPressing) {
        options.onRead()
      }
    }
  }

  const channelOf = ({ idMember, notification }: SubscriptionNames): Channel => {
    const known = channels.get(notification) ?? []
    const channel = known.find((channel) => channel.idMember === idMember)
    if (channel !== undefined) {
      return channel
    }
    const made: Channel = { idMember, live: new Map(), asking: 0, early: new Map(), lostEarly: 0 }
    channels.set(notification, [...known, made])
    return made
  }

  /** Requests a subscription. Without `settle`, it renews a subscription that was granted on an earlier connection. */
  const ask = (state: SubscriptionState, settle?: (error: JsonRpcError | undefined) => void): void => {
    const { params, wire } = state.request
    state.channel.asking++
    const call = { method: wire.subscribe, params: [...wire.prefix, ...params] }
    state.asked = options.ask(
      call,
      (outcome) => {
        state.asked = undefined
        const reason = grant(state, outcome, settle === undefined)
        noLongerAsking(state.channel)
        const error = reason && new JsonRpcError({ method: wire.subscribe, reason })
        if (settle !== undefined) {
          settle(error)
        } else if (error !== undefined) {
          state.events.fail(error)
        }
      },
      settle === undefined,
      (id) => {
        if (isServerId(id) && !state.channel.live.has(id)) {
          unsubscribe(wire, id)
        }
      }
    )
  }

  const noLongerAsking = (channel: Channel): void => {
    channel.asking--
    if (channel.asking === 0) {
      forgetEarly(channel)
    }
  }

  const forgetEarly = (channel: Channel): void => {
    channel.early.clear()
    channel.lostEarly = 0
  }

  /** Handles the answer to a request for a subscription, and returns the reason if the server did not grant it. */
  const grant = (
    state: SubscriptionState,
    outcome: Envelope.EnvelopeOutcome,
    isRenewal: boolean
  ): Reason | undefined => {
    const isLost = !options.isOpen()
    if (isLost && isRenewal) {
      // The subscription is renewed on the next connection.
      return undefined
    }
    if (Result.isFailure(outcome)) {
      drop(state)
      return outcome.failure
    }
    if (isLost) {
      drop(state)
      return new TransportError({ detail: "connection lost", retryable: true })
    }
    const id = outcome.success
    if (!isServerId(id)) {
      drop(state)
      return new ProtocolError({ detail: "the subscription's id is neither text nor number" })
    }
    if (state.isOver) {
      unsubscribe(state.request.wire, id)
      return undefined
    }
    const { early, live, lostEarly } = state.channel
    if (live.has(id)) {
      drop(state)
      return new ProtocolError({ detail: "the subscription's id is that of another subscription" })
    }
    live.set(id, state)
    granted.add(state)
    state.id = id
    if (isRenewal) {
      state.events.reconnected()
    }
    const before = early.get(id)
    if (before !== undefined) {
      early.delete(id)
      state.events.adopt(before)
    } else if (lostEarly > 0) {
      // The dropped items may have belonged to this subscription.
      state.events.lost(lostEarly)
    }
    return undefined
  }

  const drop = (state: SubscriptionState): void => {
    state.isOver = true
    granted.delete(state)
    if (state.id !== undefined) {
      state.channel.live.delete(state.id)
      state.id = undefined
    }
  }

  const unsubscribe = (wire: SubscriptionNames, id: ServerId): void => {
    if (options.isOpen()) {
      options.ask({ method: wire.unsubscribe, params: [id] }, () => {}, true)
    }
  }

  const end = (state: SubscriptionState): void => {
    if (state.asked?.isSent() === false) {
      state.asked.withdraw()
      noLongerAsking(state.channel)
    } else if (state.id !== undefined) {
      unsubscribe(state.request.wire, state.id)
    }
    drop(state)
    state.events.take()
  }

  const earlyEvents = (channel: Channel, id: ServerId): EventBuffer.EventBuffer | undefined => {
    const { asking, early } = channel
    const known = early.get(id)
    if (known !== undefined || asking === 0) {
      return known
    }
    if (early.size >= MAX_EARLY_IDS) {
      channel.lostEarly++
      return undefined
    }
    const { bytes, items } = options.unread
    const limits = { items: Math.min(items, MAX_EARLY_ITEMS), bytes: bytes / MAX_EARLY_IDS }
    const made = EventBuffer.make(limits, { defer: () => {}, press: () => {} })
    early.set(id, made)
    return made
  }

  const deliver = (events: EventBuffer.EventBuffer, method: string, params: Members, size: number): void => {
    if (Object.hasOwn(params, "result")) {
      events.push(params["result"], size)
      return
    }
    // Some servers end a subscription with a notification that contains an error.
    const error = Envelope.readError({ jsonrpc: "2.0", error: params["error"] }, {}, options.redact)
    const reason =
      error !== undefined && Result.isFailure(error)
        ? error.failure
        : new ProtocolError({ detail: "a notification without a result" })
    events.fail(new JsonRpcError({ method, reason }))
  }

  return {
    subscribe: (request) => {
      const state: SubscriptionState = {
        request,
        channel: channelOf(request.wire),
        events: EventBuffer.make(options.unread, hooks),
        asked: undefined,
        id: undefined,
        isOver: false
      }
      return { begin: (settle) => ask(state, settle), pull: state.events.pull, end: () => end(state) }
    },
    notify: (method, params, size) => {
      for (const channel of channels.get(method) ?? []) {
        const id = Envelope.isObject(params) ? params[channel.idMember] : undefined
        const events = isServerId(id) ? (channel.live.get(id)?.events ?? earlyEvents(channel, id)) : undefined
        if (events !== undefined) {
          deliver(events, method, params as Members, size)
          return true
        }
      }
      return false
    },
    lost: () => {
      for (const channel of [...channels.values()].flat()) {
        channel.live.clear()
        forgetEarly(channel)
      }
      for (const state of granted) {
        state.id = undefined
      }
    },
    renew: () => {
      for (const state of granted) {
        ask(state)
      }
    },
    fail: (reason) => {
      for (const state of granted) {
        drop(state)
        state.events.fail(new JsonRpcError({ method: state.request.wire.subscribe, reason }))
      }
    },
    isWanted: () => granted.size > 0,
    mayHear: () => granted.size > 0 || [...channels.values()].flat().some(({ asking }) => asking > 0),
    isPressing: () => pressing > 0
  }
}

type Members = Readonly<Record<string, unknown>>

const isServerId = (id: unknown): id is ServerId => typeof id === "string" || typeof id === "number"
