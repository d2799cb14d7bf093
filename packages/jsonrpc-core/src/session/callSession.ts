/**
 * Runs many calls and subscriptions over one connection at a time: queues them, sends them, and assigns their outcomes.
 *
 * A session is independent of sockets. Its owner passes a `SessionConnection` when a connection opens, then the arriving
 * messages, and reports the loss of the connection. Unsent calls wait for the next connection. The cost of a message does
 * not depend on the number of calls in flight.
 */
import type * as Duration from "effect/Duration"
import * as Result from "effect/Result"

import { type Reason, TimeoutError, TransportError } from "../error/JsonRpcError.ts"
import * as Envelope from "../transport/envelope.ts"
import type * as Transport from "../transport/Transport.ts"
import type * as EventBuffer from "./eventBuffer.ts"
import * as PacketsInFlight from "./packetsInFlight.ts"
import * as Queue from "./queue.ts"
import * as SessionReader from "./sessionReader.ts"
import * as SessionSubscriptions from "./sessionSubscriptions.ts"

export interface SessionOptions {
  /** Maximum number of calls in flight; the others wait. A larger batch is sent alone. */
  readonly maxInFlight: number
  /** Maximum number of bytes of a message. */
  readonly maxBytes: number
  /** Time limit of a call, from the moment it is made. */
  readonly timeout: Duration.Duration
  /** Bounds of the unread events of one subscriber. */
  readonly unread: EventBuffer.EventBufferLimits
  readonly redact: Envelope.RedactText
  /** Starts a timer, and returns the function that stops it. */
  readonly after: (duration: Duration.Duration, work: () => void) => () => void
  /** Called when a call or a subscription needs a connection. */
  readonly onWanted: () => void
}

/** An open connection. */
export interface SessionConnection {
  readonly send: (text: string) => void
  /** True if another packet may be sent now. */
  readonly isWritable: () => boolean
  /** Calls `work` once, when another packet may be sent. */
  readonly whenWritable: (work: () => void) => void
  /** Stops and resumes reading, if the platform can. */
  readonly setPaused?: ((isPaused: boolean) => void) | undefined
  /** Ends the connection because of a message that came over it. */
  readonly giveUp: (reason: Reason) => void
}

/** Receives the outcome of each call, in order. */
export type Settle = (outcomes: ReadonlyArray<Envelope.EnvelopeOutcome>) => void

/**
 * The priority of a packet. Packets of one lane are sent before packets of the next lane.
 *
 * A `probe` tests if the peer is alive. It does not wait for other calls, because behind slow calls a live peer would
 * seem dead. An `urgent` packet serves the connection itself. A probe and an urgent packet need an open connection, and
 * fail when it ends.
 */
export type PacketPriority = "probe" | "urgent" | "usual"

export interface SendOptions {
  /** The priority of the packet. Default: `usual`. */
  readonly lane?: PacketPriority | undefined
  /** Called with each result that arrives on the same connection after its call was abandoned. */
  readonly onLate?: ((result: unknown) => void) | undefined
}

/** Calls that are sent together. */
export interface SessionExchange extends PacketsInFlight.PacketInFlight {
  readonly settle: Settle
  /** The packet's place in the queue; `undefined` once it is sent. */
  place: Queue.QueuePlace<SessionExchange | undefined> | undefined
  isOver: boolean
  stopTimer: () => void
}

export interface CallSession extends Pick<SessionReader.SessionReader, "receive" | "receiveTooLarge"> {
  /** Sends calls as one packet. */
  readonly exchange: (calls: ReadonlyArray<Transport.WireCall>, settle: Settle, how?: SendOptions) => SessionExchange
  /** Abandons calls: their outcomes are no longer needed. */
  readonly withdraw: (exchange: SessionExchange) => void
  readonly subscribe: SessionSubscriptions.SubscriptionRegistry["subscribe"]
  readonly open: (wire: SessionConnection) => void
  /** Handles the loss of the connection: the calls in flight fail. */
  readonly reset: (reason: Reason) => void
  /**
   * Handles a failed attempt to connect. Waiting calls fail. Subscriptions fail too, unless a later try may succeed.
   */
  readonly refuse: (reason: Reason) => void
  /** Closes the session: nothing is sent any more. */
  readonly close: (reason: Reason) => void
  /** True if a call or subscription needs a connection. */
  readonly isWanted: () => boolean
  readonly isPaused: () => boolean
  /** Returns the numbers of calls in flight, of packets that wait to be sent, and of ignored messages. */
  readonly counts: () => { readonly inFlight: number; readonly waiting: number; readonly ignored: number }
}

export const make = (options: SessionOptions): CallSession => {
  const { maxInFlight, redact } = options
  const lanes = {
    probe: Queue.make<SessionExchange>(),
    urgent: Queue.make<SessionExchange>(),
    usual: Queue.make<SessionExchange>()
  }
  let waits = 0
  let lastId = 0
  let wire: SessionConnection | undefined
  let isPaused = false
  let closed: Reason | undefined
  let deferred: Array<() => void> = []

  const defer = (work: () => void): void => void deferred.push(work)

  /**
   * Reports the outcome. A caller continues at once and may call again, so the report is deferred until the state is
   * consistent.
   */
  const finish = (exchange: SessionExchange): void => {
    exchange.isOver = true
    exchange.stopTimer()
    defer(() => exchange.settle(exchange.outcomes as ReadonlyArray<Envelope.EnvelopeOutcome>))
  }

  const newFlight = () => PacketsInFlight.make<SessionExchange>(maxInFlight, finish)
  let flight = newFlight()

  const subscriptions = SessionSubscriptions.make({
    ask: (call, settle, isUrgent, onLate) => {
      const how: SendOptions = { lane: isUrgent ? "urgent" : "usual", onLate }
      const asked = exchange([call], ([outcome]) => settle(outcome!), how)
      return { isSent: () => asked.place === undefined, withdraw: () => withdraw(asked) }
    },
    isOpen: () => wire !== undefined,
    onRead: () => pump(),
    defer,
    unread: options.unread,
    redact
  })

  const reader = SessionReader.make({
    flight: () => flight,
    subscriptions,
    giveUp: (reason) => wire?.giveUp(reason),
    maxBytes: options.maxBytes,
    redact
  })

  const exchange = (
    calls: ReadonlyArray<Transport.WireCall>,
    settle: Settle,
    how: SendOptions = {}
  ): SessionExchange => {
    const firstId = lastId + 1
    lastId += calls.length
    const texts = calls.map((call, index) => Envelope.encodeCall(firstId + index, call))
    const sendable = texts.filter(Result.isSuccess).map((text) => text.success)
    const made: SessionExchange = {
      text: calls.length === 1 ? sendable.join("") : `[${sendable.join(",")}]`,
      firstId,
      outcomes: texts.map((text) => (Result.isFailure(text) ? Result.fail(text.failure) : undefined)),
      size: sendable.length,
      unanswered: sendable.length,
      nth: 0,
      onLate: how.onLate,
      settle,
      place: undefined,
      isOver: false,
      stopTimer: () => {}
    }
    if (closed !== undefined) {
      fail(made, closed)
    } else if (made.size === 0) {
      finish(made)
    } else {
      made.place = Queue.push(lanes[how.lane ?? "usual"], made)
      waits++
      made.stopTimer = options.after(options.timeout, () => expire(made))
      options.onWanted()
    }
    pump()
    return made
  }

  const expire = (exchange: SessionExchange): void => {
    if (!exchange.isOver) {
      takeBack(exchange)
      fail(exchange, new TimeoutError({ after: options.timeout }))
      pump()
    }
  }

  /** Fails all calls that have no outcome yet, with the given reason, and ends the exchange. */
  const fail = (exchange: SessionExchange, reason: Reason): void => {
    for (const [index, outcome] of exchange.outcomes.entries()) {
      exchange.outcomes[index] = outcome ?? Result.fail(reason)
    }
    finish(exchange)
  }

  const failAll = (queue: Queue.Queue<SessionExchange>, reason: Reason): void => {
    for (let next = Queue.first(queue); next !== undefined; next = Queue.first(queue)) {
      leaveQueue(next)
      fail(next, reason)
    }
  }

  const takeBack = (exchange: SessionExchange): void => {
    if (exchange.place === undefined) {
      flight.abandon(exchange)
    } else {
      leaveQueue(exchange)
    }
  }

  const leaveQueue = (exchange: SessionExchange): void => {
    Queue.leave(exchange.place!)
    exchange.place = undefined
    waits--
  }

  const withdraw = (exchange: SessionExchange): void => {
    if (!exchange.isOver) {
      exchange.isOver = true
      exchange.stopTimer()
      takeBack(exchange)
      pump()
    }
  }

  /** Sends the next packet. Returns false if there is none, or if no packet may be sent now. */
  const sendNext = (): boolean => {
    const probe = Queue.first(lanes.probe)
    const next = probe ?? Queue.first(lanes.urgent) ?? Queue.first(lanes.usual)
    if (wire === undefined || next === undefined) {
      return false
    }
    if (probe === undefined && flight.size() > 0 && flight.size() + next.size > maxInFlight) {
      return false
    }
    if (!wire.isWritable()) {
      wire.whenWritable(pump)
      return false
    }
    leaveQueue(next)
    flight.add(next)
    wire.send(next.text)
    return true
  }

  /**
   * Sends the packets that may be sent, pauses or resumes reading, and reports outcomes. This is the last step after
   * every event.
   */
  const pump = (): void => {
    let mayGoOn = true
    while (mayGoOn) {
      mayGoOn = sendNext()
    }
    // While reading is paused no answer arrives, and the slow reader itself may be waiting for an answer.
    const shouldPause = wire?.setPaused !== undefined && subscriptions.isPressing() && flight.size() === 0
    if (shouldPause !== isPaused) {
      isPaused = shouldPause
      wire?.setPaused?.(isPaused)
    }
    while (deferred.length > 0) {
      const works = deferred
      deferred = []
      works.forEach((work) => work())
    }
  }

  const reset = (reason: Reason): void => {
    wire = undefined
    isPaused = false
    subscriptions.lost()
    flight.packets().forEach((exchange) => flight.fail(exchange, reason))
    flight = newFlight()
    failAll(lanes.probe, reason)
    failAll(lanes.urgent, reason)
    pump()
  }

  return {
    exchange,
    withdraw,
    subscribe: subscriptions.subscribe,
    open: (opened) => {
      wire = opened
      subscriptions.renew()
      pump()
    },
    receive: (message) => {
      reader.receive(message)
      pump()
    },
    receiveTooLarge: reader.receiveTooLarge,
    reset,
    refuse: (reason) => {
      failAll(lanes.usual, unsent(reason))
      if (reason._tag !== "TransportError" || !reason.retryable) {
        subscriptions.fail(reason)
      }
      pump()
    },
    close: (reason) => {
      closed = unsent(reason)
      failAll(lanes.usual, closed)
      subscriptions.fail(reason)
      reset(reason)
    },
    isWanted: () => waits > 0 || subscriptions.isWanted(),
    isPaused: () => isPaused,
    counts: () => ({ inFlight: flight.size(), waiting: waits, ignored: reader.ignored() })
  }
}

/** Returns the reason for a call that never reached the server. */
const unsent = (reason: Reason): Reason =>
  reason._tag === "TransportError"
    ? new TransportError({
        detail: reason.detail,
        retryable: reason.retryable,
        withheld: true,
        ...(reason.said === undefined ? {} : { said: reason.said }),
        ...(reason.status === undefined ? {} : { status: reason.status }),
        ...(reason.retryAfter === undefined ? {} : { retryAfter: reason.retryAfter })
      })
    : reason
