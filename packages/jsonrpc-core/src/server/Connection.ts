/**
 * The server's side of a connection that stays open: a WebSocket, a pipe, another part of the same process.
 *
 * It takes packets as they come, answers each when it is done, and carries subscriptions. The owner of the connection
 * transports the bytes.
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"

import type * as Dispatcher from "./Dispatcher.ts"
import { Subscriptions } from "./subscriptions.ts"

/** Bounds of one connection. */
export interface Limits {
  /** Packets in work, counted from the moment they are taken until their answers are sent. */
  readonly concurrency: number
  /** Maximum number of subscriptions at a time. A further one is refused with -32005. */
  readonly maxSubscriptions: number
  /**
   * Bytes of notifications that wait for the reader, or for their id to be sent, over all subscriptions. A single
   * notification may be larger. With `onSlowReader: "wait"` the last one of each subscription may exceed the bound.
   */
  readonly maxBufferedBytes: number
}

/** The defaults of the options: 32 packets, 100 subscriptions and 8 MiB. */
export const defaults: { readonly limits: Limits } = {
  limits: { concurrency: 32, maxSubscriptions: 100, maxBufferedBytes: 8 * 1024 * 1024 }
}

/** The sending function of a connection, and its bounds. */
export interface Options {
  /**
   * Sends one packet. The Effect ends when the next packet may be sent. It is never called before the previous call is
   * done, and only the end of the connection interrupts it. It must not fail: if the other end is gone, close the
   * scope.
   */
  readonly send: (packet: Uint8Array) => Effect.Effect<void>
  /** The bounds. A missing bound is the one in `defaults`. */
  readonly limits?: Partial<Limits> | undefined
  /**
   * The policy when notifications arrive faster than they are read and the buffer is full.
   *
   * `close` (the default) ends the connection, because JSON-RPC has no message for lost notifications: without it the
   * client would not know that it missed any. After it has connected again it can read what it missed. `wait` pulls the
   * source only as fast as the reader reads, which suits a source that can wait.
   */
  readonly onSlowReader?: "close" | "wait" | undefined
}

/**
 * The reason why a connection ended.
 *
 * `Closed`: its scope was closed. `SlowReader`: the buffer of notifications was full. `SourceDied`: the source of a
 * subscription died, and the protocol has no other way to tell the client. `SendDied`: `send` died.
 */
export type Ended =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "SlowReader"; readonly subscription: string }
  | { readonly _tag: "SourceDied"; readonly subscription: string }
  | { readonly _tag: "SendDied"; readonly cause: Cause.Cause<unknown> }

/** The server's side of a connection. */
export interface Connection {
  /**
   * Takes a packet. The Effect ends when the next packet may be read. It waits while `limits.concurrency` packets are
   * in work, because a server that stops reading holds the peer back. Never fails. If `receive` was interrupted, the
   * packet was not taken. After the end of the connection it does nothing.
   */
  readonly receive: (packet: Uint8Array | string) => Effect.Effect<void>
  /** Waits for the end of the connection. Then its owner must close it. */
  readonly ended: Effect.Effect<Ended>
}

/**
 * Makes a connection to a server.
 *
 * Answers are sent as they become ready, in any order: JSON-RPC allows it, and a slow answer holds no other back. The
 * answers of one batch are one packet. An answer that cannot be sent counts as work, so the connection soon stops
 * reading from a peer that sends but does not read. Packets that are answers themselves are ignored.
 *
 * A subscription is read from the moment it is accepted. Its notifications are sent after its id, and none follows the
 * answer to its unsubscription. When its source ends, the subscription ends: the remaining notifications are sent, and
 * from then on its id is unknown. To tell the client about the end, make the end an item of the stream. A source that
 * dies ends the connection, because its client would wait for ever; the cause goes to the server's `onDefect`.
 *
 * Closing the scope interrupts all work and ends all subscriptions.
 *
 * ```ts import.meta.vitest
 * import { Connection, JsonRpcServer, MethodGroup, Subscription } from "@plumbline/jsonrpc-core"
 * import { Effect, Queue, Schema, Stream } from "effect"
 *
 * const ticks = Subscription.make("eth", "ticks", { params: [], item: Schema.Finite })
 * const server = JsonRpcServer.make(MethodGroup.make(), {}, {
 *   subscriptions: [JsonRpcServer.source(ticks, () => Effect.succeed(Stream.make(7)))]
 * })
 *
 * const program = Effect.gen(function* () {
 *   const sent = yield* Queue.unbounded<any>()
 *   const { receive } = yield* Connection.make(server, {
 *     send: (packet) => Effect.asVoid(Queue.offer(sent, JSON.parse(new TextDecoder().decode(packet))))
 *   })
 *   yield* receive('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["ticks"]}')
 *   return [yield* Queue.take(sent), yield* Queue.take(sent)]
 * })
 * const [answer, tick] = await Effect.runPromise(Effect.scoped(program))
 *
 * tick // => { jsonrpc: "2.0", method: "eth_subscription", params: { subscription: answer.result, result: 7 } }
 * ```
 */
export const make = <R>(
  server: Pick<Dispatcher.Dispatcher<R>, "exchange">,
  options: Options
): Effect.Effect<Connection, never, R | Scope.Scope> =>
  Effect.contextWith((context: Context.Context<R | Scope.Scope>) => {
    const limits: Limits = { ...defaults.limits, ...options.limits }
    const runFork = Effect.runForkWith(context)
    const turn = Semaphore.makeUnsafe(1)
    const ended = Deferred.makeUnsafe<Ended>()
    const fibers = new Set<Fiber.Fiber<void>>()
    const arrivals = new Set<Arrival>()
    let inWork = 0
    let isFilling = false

    const fork = (work: Effect.Effect<void, never, R | Scope.Scope>): Fiber.Fiber<void> => {
      const fiber = runFork(work)
      if (fiber.pollUnsafe() === undefined) {
        fibers.add(fiber)
        if (Deferred.isDoneUnsafe(ended)) {
          fiber.interruptUnsafe()
        }
      }
      fiber.addObserver((exit) => {
        fibers.delete(fiber)
        if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) {
          end({ _tag: "SendDied", cause: exit.cause })
        }
      })
      return fiber
    }

    const end = (why: Ended): void => {
      if (Deferred.doneUnsafe(ended, Effect.succeed(why))) {
        const waiting = [...arrivals]
        // Cleared first, so that work which ends now does not start a waiting packet.
        arrivals.clear()
        subscriptions.close()
        for (const fiber of fibers) {
          fiber.interruptUnsafe()
        }
        for (const { resume } of waiting) {
          resume(Effect.void)
        }
      }
    }

    const subscriptions = new Subscriptions({
      maxSubscriptions: limits.maxSubscriptions,
      maxBufferedBytes: limits.maxBufferedBytes,
      onSlowReader: options.onSlowReader ?? "close",
      fork,
      send: (next) =>
        turn.withPermit(
          Effect.suspend(() => {
            const packet = next()
            return packet === undefined ? Effect.void : options.send(packet)
          })
        ),
      end: (reason, subscription) => end({ _tag: reason, subscription })
    })

    const peer: Dispatcher.Peer = {
      send: (packet) => turn.withPermit(Effect.suspend(() => options.send(packet))),
      subscribe: (feed) => subscriptions.subscribe(feed),
      unsubscribe: (method, id) => subscriptions.unsubscribe(method, id)
    }

    const begin = (packet: Uint8Array | string): void => {
      inWork++
      fork(server.exchange(packet, peer)).addObserver(() => {
        inWork--
        fill()
      })
    }

    /** Starts waiting packets. It is a loop, because a packet may be done before `begin` returns. */
    const fill = (): void => {
      if (isFilling) {
        return
      }
      isFilling = true
      for (const arrival of arrivals) {
        if (inWork >= limits.concurrency) {
          break
        }
        arrivals.delete(arrival)
        begin(arrival.packet)
        arrival.resume(Effect.void)
      }
      isFilling = false
    }

    const receive = (packet: Uint8Array | string): Effect.Effect<void> =>
      Effect.suspend(() => {
        if (Deferred.isDoneUnsafe(ended)) {
          return Effect.void
        }
        if (inWork < limits.concurrency) {
          begin(packet)
          return Effect.void
        }
        return Effect.callback<void>((resume) => {
          const arrival = { packet, resume }
          arrivals.add(arrival)
          return Effect.sync(() => void arrivals.delete(arrival))
        })
      })

    const close = Effect.withFiber((self) => {
      end({ _tag: "Closed" })
      return Fiber.awaitAll(Array.from(fibers).filter((fiber) => fiber !== self))
    })

    return Effect.as(
      Effect.addFinalizer(() => close),
      { receive, ended: Deferred.await(ended) }
    )
  })

/** A packet that waits until it is taken. */
interface Arrival {
  readonly packet: Uint8Array | string
  readonly resume: (effect: Effect.Effect<void>) => void
}
