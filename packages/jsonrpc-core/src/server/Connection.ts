/**
 * The server's side of a connection that stays open: a WebSocket, a pipe, another part of the same process.
 *
 * It takes packets as they come, answers each when it is done, and carries subscriptions. How bytes travel is the
 * business of whoever owns the connection.
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
  /** Packets in work, from the moment they are taken until their answers are sent. */
  readonly concurrency: number
  /** Subscriptions at a time. One more is refused with -32005. */
  readonly maxSubscriptions: number
  /**
   * Bytes of notifications that wait for the reader, or for their id to be sent, of all subscriptions together. One alone
   * may be larger. With `onSlowReader: "wait"` the last one of each subscription may reach beyond.
   */
  readonly maxBufferedBytes: number
}

/** 32 packets, 100 subscriptions and 8 MiB. */
export const defaultLimits: Limits = { concurrency: 32, maxSubscriptions: 100, maxBufferedBytes: 8 * 1024 * 1024 }

/** How a connection sends, and what it allows. */
export interface Options {
  /**
   * Sends one packet; done when the next one may be sent. It is never called before the last call is done, and only the
   * end of the connection interrupts it. It must not fail: who finds the other end gone closes the scope.
   */
  readonly send: (packet: Uint8Array) => Effect.Effect<void>
  /** Missing bounds are those of `defaultLimits`. */
  readonly limits?: Partial<Limits> | undefined
  /**
   * What happens when notifications come faster than they are read and the buffer is full.
   *
   * `close` (the default) ends the connection: a client that missed something and does not know it is being lied to, and
   * JSON-RPC has no word to tell it. After it has connected again it can read what it missed. `wait` pulls the source
   * only as fast as the reader reads, which is right for a source that can wait.
   */
  readonly onSlowReader?: "close" | "wait" | undefined
}

/**
 * Why a connection ended.
 *
 * `Closed`: its scope was closed. `SlowReader`: the buffer of notifications was full. `SourceDied`: the source of a
 * subscription died; the client could not be told otherwise. `SendDied`: `send` died.
 */
export type Ended =
  | { readonly _tag: "Closed" }
  | { readonly _tag: "SlowReader"; readonly subscription: string }
  | { readonly _tag: "SourceDied"; readonly subscription: string }
  | { readonly _tag: "SendDied"; readonly cause: Cause.Cause<unknown> }

/** The server's side of a connection. */
export interface Connection {
  /**
   * Takes a packet, and is done when the next one may be read. It waits while as many packets are in work as
   * `limits.concurrency` says: not reading on is what holds the peer back. Never fails. A packet whose `receive` was
   * interrupted was not taken. When the connection has ended it does nothing.
   */
  readonly receive: (packet: Uint8Array | string) => Effect.Effect<void>
  /** Waits for the end. Whoever owns the connection closes it then. */
  readonly ended: Effect.Effect<Ended>
}

/**
 * A connection to a server.
 *
 * Answers are sent as they become ready, in whatever order that is: JSON-RPC allows it, and an answer that takes its
 * time holds no other back. The answers of one batch are one packet. An answer that cannot be sent counts as work, so a
 * peer that sends but does not read is soon not read either. Packets that are answers themselves are passed over.
 *
 * A subscription is read from the moment it is accepted, but nothing of it is sent before its id was; and nothing after
 * the answer to its unsubscription. When its source ends, so does the subscription: what is left is sent, and from then
 * on its id is unknown. Whoever must tell the client makes the end an item of the stream. A source that dies ends the
 * connection, for its client would wait for ever; the cause goes to the server's `onDefect`.
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
    const limits: Limits = { ...defaultLimits, ...options.limits }
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
        // First, so that work which ends now makes room for none of them.
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

    /** A loop, because a packet may be done before `begin` is. */
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

/** A packet that waits to be taken. */
interface Arrival {
  readonly packet: Uint8Array | string
  readonly resume: (effect: Effect.Effect<void>) => void
}
