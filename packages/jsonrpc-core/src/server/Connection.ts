/**
 * The server's side of a connection that stays open: a WebSocket, a pipe, or another part of the same process.
 *
 * It receives packets, sends each answer when it is ready, and handles subscriptions. The owner of the connection
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
import { ServerSubscriptions } from "./serverSubscriptions.ts"

/** Bounds of one connection. */
export interface ConnectionLimits {
  /** Maximum number of packets in work, counted from `receive` until their answers are sent. */
  readonly concurrency: number
  /** Maximum number of subscriptions at a time. Further subscriptions are refused with -32005. */
  readonly maxSubscriptions: number
  /**
   * Maximum number of bytes of notifications that are buffered, over all subscriptions. A notification is buffered
   * until the subscription's id was sent and the reader is ready. A single notification may be larger. With
   * `onSlowReader: "wait"`, the last notification of each subscription may exceed the bound.
   */
  readonly maxBufferedBytes: number
}

/** The defaults of the options: 32 packets, 100 subscriptions and 8 MiB. */
export const defaults: { readonly limits: ConnectionLimits } = {
  limits: { concurrency: 32, maxSubscriptions: 100, maxBufferedBytes: 8 * 1024 * 1024 }
}

/** The function that sends to the peer of a connection, and the bounds of the connection. */
export interface ConnectionOptions {
  /**
   * Sends one packet. The Effect ends when the next packet may be sent. `send` is never called before the previous call
   * is done, and only the end of the connection interrupts it. `send` must not fail: if the peer is gone, close the
   * scope.
   */
  readonly send: (packet: Uint8Array) => Effect.Effect<void>
  /** The bounds. A bound that is left out has its value from `defaults`. */
  readonly limits?: Partial<ConnectionLimits> | undefined
  /**
   * The policy when notifications arrive faster than they are read and the buffer is full.
   *
   * `close` (the default) ends the connection, because JSON-RPC has no message for lost notifications, and the client
   * would not notice the loss. After connecting again, the client can read the missing items. `wait` pulls the source
   * only as fast as the reader reads, for sources that can wait.
   */
  readonly onSlowReader?: "close" | "wait" | undefined
}

/**
 * The reason why a connection ended.
 *
 * `Closed`: its scope was closed. `SlowReader`: the buffer of notifications was full. `SourceDied`: the source of a
 * subscription died, and the protocol has no other way to tell the client. `SendDied`: `send` died.
 */
export type ConnectionEnd =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "SlowReader"; readonly subscription: string }
  | { readonly _tag: "SourceDied"; readonly subscription: string }
  | { readonly _tag: "SendDied"; readonly cause: Cause.Cause<unknown> }

/** The server's side of a connection. */
export interface Connection {
  /**
   * Takes a packet. The Effect ends when the next packet may be read. It waits while `limits.concurrency` packets are
   * in work, so that a server that stops reading slows the peer down. Never fails. If `receive` is interrupted, the
   * packet was not accepted. After the end of the connection, `receive` does nothing.
   */
  readonly receive: (packet: Uint8Array | string) => Effect.Effect<void>
  /** Waits for the end of the connection. Then its owner must close it. */
  readonly ended: Effect.Effect<ConnectionEnd>
}

/**
 * Makes a connection to a server.
 *
 * Answers are sent as they become ready, so that a slow answer does not delay other answers. JSON-RPC allows any order.
 * The answers of one batch are one packet. An answer that cannot be sent counts as work, so the connection soon stops
 * reading from a peer that sends but does not read. Packets that are responses are ignored.
 *
 * A subscription is read from the moment it is accepted. Its notifications are sent after its id. No notification is
 * sent after the answer to its unsubscription. When its source ends, the remaining notifications are sent, and from
 * then on its id is unknown. To tell the client about the end, make the end an item of the stream. A source that dies
 * ends the connection, because the client would wait for ever; the server's `onDefect` receives the cause.
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
  options: ConnectionOptions
): Effect.Effect<Connection, never, R | Scope.Scope> =>
  Effect.contextWith((context: Context.Context<R | Scope.Scope>) => {
    const limits: ConnectionLimits = { ...defaults.limits, ...options.limits }
    const runFork = Effect.runForkWith(context)
    const turn = Semaphore.makeUnsafe(1)
    const ended = Deferred.makeUnsafe<ConnectionEnd>()
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

    const end = (why: ConnectionEnd): void => {
      if (Deferred.doneUnsafe(ended, Effect.succeed(why))) {
        const waiting = [...arrivals]
        // The waiting packets are removed first, so that work that ends now does not start one of them.
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

    const subscriptions = new ServerSubscriptions({
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

    const peer: Dispatcher.ConnectionPeer = {
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

    /** Starts waiting packets, in a loop: a packet may be done before `begin` returns, and lets the next one start. */
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

/** A packet that waits for its start. */
interface Arrival {
  readonly packet: Uint8Array | string
  readonly resume: (effect: Effect.Effect<void>) => void
}
