/** The subscriptions of one connection: what is read from their sources, kept for the reader, and sent. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import * as MutableList from "effect/MutableList"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import * as ErrorCode from "../error/ErrorCode.ts"
import * as ErrorObject from "../error/ErrorObject.ts"
import type { Feed, Opening } from "./Dispatcher.ts"

/** What the connection does for its subscriptions. */
export interface Host {
  readonly maxSubscriptions: number
  readonly maxBufferedBytes: number
  readonly onSlowReader: "close" | "wait"
  readonly fork: (work: Effect.Effect<void>) => Fiber.Fiber<void>
  /** Sends the packet that is there when its turn has come. */
  readonly send: (next: () => Uint8Array | undefined) => Effect.Effect<void>
  /** Ends the connection. */
  readonly end: (reason: "SlowReader" | "SourceDied", subscription: string) => void
}

interface Subscriber {
  readonly id: string
  readonly feed: Feed
  /** The notification up to what it holds. */
  readonly head: string
  readonly waiting: MutableList.MutableList<Uint8Array>
  bytes: number
  puller: Fiber.Fiber<void> | undefined
  /** Whether the client has the id. What comes before is kept. */
  known: boolean
  /** Whether the source has ended. What is kept is still sent. */
  complete: boolean
}

/**
 * The subscriptions of one connection.
 *
 * Per subscription one fiber pulls the source. Per connection at most one sends notifications, one of each subscription
 * in turn. All share one buffer.
 */
export class Subscriptions {
  readonly #host: Host
  readonly #byId = new Map<string, Subscriber>()
  /** Those that have something to send, in the order of their turns. */
  readonly #ready = new Set<Subscriber>()
  readonly #room = Latch.makeUnsafe(true)
  #buffered = 0
  #notifying = false
  #closed = false

  constructor(host: Host) {
    this.#host = host
  }

  subscribe(feed: Feed): Opening {
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
          // The end interrupts this.
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

  /** False if that was the end of the connection. */
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

  /** What there is to do for a subscriber: send, or forget it, or nothing yet. */
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

  /** One notification of the first in the row, which then goes to its end. */
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

const makeSubscriber = (feed: Feed): Subscriber => {
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

/** 16 random bytes, written as geth does: a quantity, without leading zeros. Nobody guesses another's. */
const makeId = (): string => {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0"))
  return `0x${digits.join("").replace(/^0+(?=.)/u, "")}`
}
