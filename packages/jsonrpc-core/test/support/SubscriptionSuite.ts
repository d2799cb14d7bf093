/** The tests that every transport with subscriptions must pass. Call `suite` with a layer that reaches a server. */
import { assert, describe, it } from "@effect/vitest"
import {
  type Dispatcher,
  JsonRpcClient,
  JsonRpcServer,
  type MemoryTransport,
  type Subscription,
  type Subscriptions,
  type Transport
} from "@plumbline/jsonrpc-core"
import { Deferred, Effect, Fiber, type Layer, Queue, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"

import * as Contract from "./contract.ts"

type Services = Transport.Transport | Subscriptions.Subscriptions

type Event = Subscription.SubscriptionEvent<bigint>

/** Options for transports that use the test's clock while their sockets use real time. */
export const patience = { timeout: "1 hour", connectTimeout: "1 hour", backoff: { initial: 1, jitter: 0 } } as const

export const suite = (
  name: string,
  layer: (
    server: Dispatcher.Dispatcher<never>,
    options: MemoryTransport.MemoryTransportOptions
  ) => Layer.Layer<Services>,
  // `canWait` is false for a transport whose socket cannot stop reading.
  { canWait }: { readonly canWait: boolean }
): void => {
  const test = <A, E>(
    title: string,
    program: Effect.Effect<A, E, Services | Scope.Scope>,
    server: Dispatcher.Dispatcher<never> = Contract.makeServer(),
    options: MemoryTransport.MemoryTransportOptions = {}
  ): void => it.effect(title, () => Effect.provide(Effect.scoped(program), layer(server, options)))

  const numbers = (to: number) =>
    Stream.unwrap(Effect.map(JsonRpcClient.subscribe(Contract.subscriptions.numbers), (subscribe) => subscribe(to)))

  describe(`${name} carries subscriptions`, () => {
    test(
      "gives every item once, in order, as the value that it stands for",
      Effect.gen(function* () {
        const events = yield* Stream.runCollect(Stream.take(numbers(100), 100))
        assert.deepStrictEqual(events, range(1, 100).map(item))
      })
    )

    test(
      "keeps subscribers and calls apart",
      Effect.gen(function* () {
        const client = yield* JsonRpcClient.make(Contract.group)
        const readers = yield* Effect.forEach([3, 50, 1, 7], (to) =>
          Effect.forkChild(Stream.runCollect(Stream.take(numbers(to), to)))
        )
        const sums = yield* Effect.forEach(range(1, 20), (n) => client.subtract(n, 1), { concurrency: "unbounded" })
        assert.deepStrictEqual(sums, range(0, 19))
        assert.deepStrictEqual(
          yield* Fiber.joinAll(readers),
          [3, 50, 1, 7].map((to) => range(1, to).map(item))
        )
      })
    )

    test(
      "fails with the server's refusal",
      Effect.gen(function* () {
        const subscribe = yield* JsonRpcClient.subscribe(Contract.subscriptions.refused)
        const error = yield* Effect.flip(Stream.runDrain(subscribe()))
        assert.strictEqual(error.method, "eth_subscribe")
        assert(error.reason._tag === "RemoteError")
        assert.strictEqual(error.reason.code, -32005)
        const client = yield* JsonRpcClient.make(Contract.group)
        assert.strictEqual(yield* client.ping(), "pong")
      })
    )

    {
      const stopped = Deferred.makeUnsafe<void>()
      test(
        "stops the server's source when the reader leaves",
        Effect.gen(function* () {
          assert.lengthOf(yield* Stream.runCollect(Stream.take(numbers(7), 2)), 2)
          yield* Deferred.await(stopped)
          const client = yield* JsonRpcClient.make(Contract.group)
          assert.strictEqual(yield* client.ping(), "pong")
        }),
        serverOf((to) => Stream.ensuring(forever(to), Deferred.succeed(stopped, undefined)))
      )
    }

    it.effect("stops the server's source when the transport is closed", () =>
      Effect.gen(function* () {
        const stopped = yield* Deferred.make<void>()
        const server = serverOf((to) => Stream.ensuring(forever(to), Deferred.succeed(stopped, undefined)))
        const seen = yield* Queue.unbounded<Event>()
        const reader = Stream.runForEach(numbers(7), (event) => Queue.offer(seen, event))
        yield* Effect.provide(
          Effect.gen(function* () {
            yield* Effect.forkChild(reader)
            assert.deepStrictEqual(yield* Queue.take(seen), item(1))
          }),
          layer(server, {})
        )
        yield* Deferred.await(stopped)
      })
    )

    {
      // The first subscriber's source dies after its item was received.
      const wasSeen = Deferred.makeUnsafe<void>()
      let subscribers = 0
      test(
        "makes it anew when the connection ends, and says that something may be missing",
        Effect.gen(function* () {
          const events = yield* numbers(1).pipe(
            Stream.tap(() => Deferred.succeed(wasSeen, undefined)),
            Stream.take(3),
            Stream.runCollect,
            passingTime
          )
          assert.deepStrictEqual(events, [item(1), { _tag: "Gap", cause: "reconnected" }, item(2)])
          assert.strictEqual(subscribers, 2)
        }),
        serverOf(() => {
          const nth = BigInt(++subscribers)
          const rest = nth === 1n ? Stream.unwrap(Effect.as(Deferred.await(wasSeen), Stream.die("over"))) : Stream.never
          return Stream.concat(Stream.make(nth), rest)
        })
      )
    }

    test(
      "counts what a slow reader misses, and gives it the newest",
      Effect.gen(function* () {
        const events = yield* slowly(numbers(1), ({ value }) => value === 2000n)
        const items = events.filter((event) => event._tag === "Item").map(({ value }) => value)
        const missed = events.map((event) => (event._tag === "Gap" && event.cause === "overflow" ? event.missed : 0))
        const sum = missed.reduce((sum, n) => sum + n, 0)
        assert.strictEqual(items.length + sum, 2000)
        assert.isAbove(sum, 0)
        assert.deepStrictEqual(items, sorted(items))
      }),
      serverOf(() => forever(2000)),
      { buffer: 4 }
    )

    if (canWait) {
      test(
        "loses nothing between a fast source and a slow reader when both ends wait",
        Effect.gen(function* () {
          const events = yield* slowly(numbers(1), ({ value }) => value === 2000n)
          assert.deepStrictEqual(events, range(1, 2000).map(item))
        }),
        serverOf(() => forever(2000)),
        { buffer: 16, overflow: "wait", onSlowReader: "wait", limits: { maxBufferedBytes: 2000 } }
      )
    }
  })
}

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

const item = (n: number): Event => ({ _tag: "Item", value: BigInt(n) })

const sorted = (items: ReadonlyArray<bigint>): ReadonlyArray<bigint> => items.toSorted((a, b) => Number(a - b))

/** The numbers from 1 to `to`, and then silence. */
const forever = (to: number): Stream.Stream<bigint> =>
  Stream.concat(Stream.map(Stream.range(1, to), BigInt), Stream.never)

/** Makes the contract's server with another source of `numbers`. */
export const serverOf = (open: (to: number) => Stream.Stream<bigint>): Dispatcher.Dispatcher<never> =>
  Contract.makeServer({
    subscriptions: [JsonRpcServer.source(Contract.subscriptions.numbers, (to) => Effect.succeed(open(to)))]
  })

/** Reads events up to the last item, with a turn of the event loop after each chunk. */
export const slowly = <E, R>(
  events: Stream.Stream<Event, E, R>,
  isLast: (item: { readonly value: bigint }) => boolean
): Effect.Effect<ReadonlyArray<Event>, E, R> =>
  events.pipe(
    Stream.mapArrayEffect((chunk) => Effect.as(turn, chunk)),
    Stream.takeUntil((event) => event._tag === "Item" && isLast(event)),
    Stream.runCollect
  )

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** Runs an effect to its end while the test's time passes, with as many turns of the event loop as it needs. */
const passingTime = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.raceFirst(effect, Effect.forever(Effect.andThen(turn, TestClock.adjust("10 millis"))))
