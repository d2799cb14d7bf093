/** The subscriptions of one connection. Items are read from their sources, buffered for the reader, and sent. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as MutableList from "effect/MutableList"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as ErrorCode from "../error/ErrorCode.ts"
import * as ErrorObject from "../error/ErrorObject.ts"
import type { SubscriberFeed, OpeningResult } from "./Dispatcher.ts"

/** The services of the connection that its subscriptions use. */
export interface SubscriptionHost {
  readonly maxSubscriptions: number
  readonly maxBufferedBytes: number
  readonly onSlowReader: "close" | "wait"
  readonly fork: (work: Effect.Effect<void>) => Fiber.Fiber<void>
  /** Calls `next` when it is the turn of this packet, and sends the packet that `next` returns. */
  readonly send: (next: () => Uint8Array | undefined) => Effect.Effect<void>
  /** Ends the connection. */
  readonly end: (reason: "SlowReader" | "SourceDied", subscription: string) => void
}

interface Subscriber {
  readonly id: string
  readonly feed: SubscriberFeed
  /** The text of the notification before its item. */
  readonly head: string
  readonly waiting: MutableList.MutableList<Uint8Array>
  bytes: number
  puller: Fiber.Fiber<void> | undefined
  /** True once the id was sent to the client. Until then notifications are buffered. */
  known: boolean
  /** True once the source has ended. The buffered notifications are still sent. */
  complete: boolean
}

/**
 * The subscriptions of one connection.
 *
 * One fiber per subscription pulls the source. At most one fiber per connection sends notifications, taking one from
 * each subscription in turn. All subscriptions share one buffer.
 */
export class ServerSubscriptions {
  readonly #host: SubscriptionHost
  readonly #byId = new Map<string, Subscriber>()
  /** Subscribers with a notification to send, in the order of their turns. */
  readonly #ready = new Set<Subscriber>()
  readonly #room = Latch.makeUnsafe(true)
  #buffered = 0
  #notifying = false
  #closed = false

  constructor(host: SubscriptionHost) {
    this.#host = host
  }

  subscribe(feed: SubscriberFeed): OpeningResult {
    let subscriber: Subscriber | undefined
    return {
      begin: () => {
        if (this.#closed) {
          return Result.fail(ErrorObject.internalError())
        }
        if (this.#byId.size >= this.#host.maxSubscriptions) {
          return Result.fail(
            ErrorObject.make(
              ErrorCode.LIMIT_EXCEEDED,
              `too many subscriptions, want at most ${this.#host.maxSubscriptions}`
            )
          )
        }
        subscriber = makeSubscriber(feed)
        this.#byId.set(subscriber.id, subscriber)
        subscriber.puller = this.#host.fork(this.#pull(subscriber))
        return Result.succeed(encoder.encode(JSON.stringify(subscriber.id)))
      },
      sent: () => {
        if (subscriber !== undefined) {
          subscriber.known = true
          this.#next(subscriber)
        }
      }
    }
  }

  unsubscribe(method: string, id: string): boolean {
    const subscriber = this.#byId.get(id)
    if (subscriber === undefined || subscriber.feed.wire.unsubscribe !== method) {
      return false
    }
    this.#drop(subscriber)
    return true
  }

  close(): void {
    this.#closed = true
    for (const subscriber of this.#byId.values()) {
      this.#drop(subscriber)
    }
  }

  #pull(subscriber: Subscriber): Effect.Effect<void> {
    const { items, name, onDefect } = subscriber.feed
    const waits = this.#host.onSlowReader === "wait"
    return Effect.matchCauseEffect(
      Stream.runForEach(items, (item) => {
        if (!this.#keep(subscriber, encoder.encode(`${subscriber.head}${item}}}`))) {
          // The end of the connection interrupts this fiber.
          return Effect.never
        }
        return waits ? this.#room.await : Effect.void
      }),
      {
        onSuccess: () =>
          Effect.sync(() => {
            subscriber.complete = true
            this.#next(subscriber)
          }),
        onFailure: (cause: Cause.Cause<never>) =>
          Effect.andThen(
            Effect.ignoreCause(Effect.suspend(() => onDefect(cause))),
            Effect.sync(() => this.#host.end("SourceDied", name))
          )
      }
    )
  }

  /** Buffers a notification. Returns false if this ended the connection. */
  #keep(subscriber: Subscriber, notification: Uint8Array): boolean {
    const isTooMuch = this.#buffered > 0 && this.#buffered + notification.length > this.#host.maxBufferedBytes
    if (isTooMuch && this.#host.onSlowReader === "close") {
      this.#host.end("SlowReader", subscriber.feed.name)
      return false
    }
    MutableList.append(subscriber.waiting, notification)
    this.#count(subscriber, notification.length)
    this.#next(subscriber)
    return true
  }

  /** Does the next step for a subscriber: queues it for sending, forgets it, or does nothing yet. */
  #next(subscriber: Subscriber): void {
    if (!subscriber.known || !this.#byId.has(subscriber.id)) {
      return
    }
    if (subscriber.waiting.length > 0) {
      this.#ready.add(subscriber)
      if (!this.#notifying) {
        this.#notifying = true
        this.#host.fork(this.#notify)
      }
    } else if (subscriber.complete) {
      this.#byId.delete(subscriber.id)
    }
  }

  /** Sends one notification of the first subscriber in line, and moves that subscriber to the end of the line. */
  readonly #notify = Effect.suspend(() => {
    let current: Subscriber | undefined
    return Effect.whileLoop({
      while: () => (this.#notifying = this.#ready.size > 0),
      body: () =>
        this.#host.send(() => {
          ;[current] = this.#ready
          return current === undefined ? undefined : this.#take(current)
        }),
      step: () => {
        if (current !== undefined) {
          this.#next(current)
        }
      }
    })
  })

  #take(subscriber: Subscriber): Uint8Array | undefined {
    this.#ready.delete(subscriber)
    const notification = MutableList.take(subscriber.waiting)
    if (notification === MutableList.Empty) {
      return undefined
    }
    this.#count(subscriber, -notification.length)
    return notification
  }

  #drop(subscriber: Subscriber): void {
    this.#byId.delete(subscriber.id)
    this.#ready.delete(subscriber)
    subscriber.puller?.interruptUnsafe()
    MutableList.clear(subscriber.waiting)
    this.#count(subscriber, -subscriber.bytes)
  }

  #count(subscriber: Subscriber, bytes: number): void {
    subscriber.bytes += bytes
    this.#buffered += bytes
    if (this.#buffered < this.#host.maxBufferedBytes) {
      this.#room.openUnsafe()
    } else {
      this.#room.closeUnsafe()
    }
  }
}

const encoder = /* @__PURE__ */ new TextEncoder()

const makeSubscriber = (feed: SubscriberFeed): Subscriber => {
  const id = makeId()
  const { idMember, notification } = feed.wire
  return {
    id,
    feed,
    head: `{"jsonrpc":"2.0","method":${JSON.stringify(notification)},"params":{${JSON.stringify(idMember)}:${JSON.stringify(id)},"result":`,
    waiting: MutableList.make(),
    bytes: 0,
    puller: undefined,
    known: false,
    complete: false
  }
}

/** Returns 16 random bytes as geth writes them: a quantity without leading zeros. Other clients cannot guess the id. */
const makeId = (): string => {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
  return `0x${digits.join("").replace(/^0+(?=.)/u, "")}`
}
