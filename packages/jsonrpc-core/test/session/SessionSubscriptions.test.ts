import { assert, describe, it } from "@effect/vitest"
import { Subscription, type Subscriptions, WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Effect, Exit, Fiber, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"

import * as Fake from "../support/fakeWebSocket.ts"

const { wire } = Subscription.make("eth", "newHeads", { params: [], item: Schema.Unknown })
const request: Subscriptions.SubscriptionRequest = { wire, params: [] }

const make = (
  options: Partial<WebSocketTransport.WebSocketTransportOptions> = {},
  fake = Fake.make(Fake.FakeWs, Fake.opening)
) =>
  Effect.map(
    WebSocketTransport.make({
      url: "wss://node.example/",
      webSocket: fake.webSocket,
      backoff: { jitter: 0 },
      ...options
    }),
    (transport) => ({ fake, transport })
  )

type Service = Subscriptions.Subscriptions["Service"]

/**
 * Starts a subscriber that reads at once, and records its events: items unchanged, gaps as texts, and the error at the
 * end.
 */
const read = (service: Service, { take = Infinity, request: asked = request } = {}) =>
  Effect.gen(function* () {
    const seen: Array<unknown> = []
    const fiber = yield* service.subscribe(asked).pipe(
      Stream.take(take),
      Stream.runForEach((event) => Effect.sync(() => void seen.push(show(event)))),
      Effect.catch((error) => Effect.sync(() => void seen.push(error.message))),
      Effect.forkChild
    )
    yield* Fake.settle
    return { seen, fiber }
  })

/** Starts a subscriber that reads one chunk on each request of the test. */
const readSlowly = (service: Service) =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(service.subscribe(request))
    const fiber = yield* Effect.forkChild(pull)
    yield* Fake.settle
    const next = Effect.map(pull, (events) => events.map(show))
    return { first: Effect.map(Fiber.join(fiber), (events) => events.map(show)), next }
  })

const show = (event: Subscription.SubscriptionEvent<unknown>): unknown =>
  event._tag === "Item" ? event.value : event.cause === "overflow" ? `missed ${event.missed}` : event.cause

const note = (id: unknown, result: unknown, method = wire.notification) => ({
  jsonrpc: "2.0",
  method,
  params: { subscription: id, result }
})

const methods = (socket: Fake.FakeSocket): ReadonlyArray<unknown> =>
  socket.sent.map(({ method, params }) => [method, ...params])

describe("a subscription", () => {
  it.effect("begins with its call, gives what is notified, and is given up in the end", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { fiber, seen } = yield* read(transport, { take: 3 })
      const socket = fake.last()
      assert.deepStrictEqual(methods(socket), [["eth_subscribe", "newHeads"]])
      socket.answer(0, "0x1")
      socket.message(note("0x1", { number: "0x1" }), note("0x2", "another's"), note("0x1", null))
      socket.message(note("0x1", "other", "eth_other"), { ...note("0x1", "a request"), id: 5 }, note("0x1", 3))
      yield* Fiber.join(fiber)
      yield* Fake.settle
      assert.deepStrictEqual(seen, [{ number: "0x1" }, null, 3])
      assert.deepStrictEqual(methods(socket)[1], ["eth_unsubscribe", "0x1"])
      socket.answer(1, true)
      socket.message(note("0x1", "late"))
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 1)
    })
  )

  it.effect("has names and parameters of its own", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const starknet: Subscriptions.SubscriptionRequest = {
        wire: {
          subscribe: "starknet_subscribeEvents",
          prefix: [],
          notification: "starknet_subscriptionEvents",
          idMember: "subscription_id",
          unsubscribe: "starknet_unsubscribe"
        },
        params: [{ from: "0x1" }]
      }
      const { fiber, seen } = yield* read(transport, { take: 1, request: starknet })
      const socket = fake.last()
      socket.answer(0, 7)
      const params = { subscription_id: 7, result: "event" }
      socket.message({
        jsonrpc: "2.0",
        method: "starknet_subscriptionEvents",
        params: { ...params, subscription_id: "7" }
      })
      socket.message({ jsonrpc: "2.0", method: "starknet_subscriptionEvents", params })
      yield* Fiber.join(fiber)
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["event"])
      assert.deepStrictEqual(methods(socket), [
        ["starknet_subscribeEvents", { from: "0x1" }],
        ["starknet_unsubscribe", 7]
      ])
    })
  )

  it.effect("is one of its own for each subscriber", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const one = yield* read(transport)
      const other = yield* read(transport)
      const socket = fake.last()
      socket.answer(0, "0x1")
      socket.answer(1, "0x2")
      socket.message(note("0x1", "one"), note("0x2", "other"))
      yield* Fiber.interrupt(one.fiber)
      socket.message(note("0x1", "late"), note("0x2", "more"))
      yield* Fake.settle
      assert.deepStrictEqual([one.seen, other.seen], [["one"], ["other", "more"]])
      assert.deepStrictEqual(methods(socket).slice(2), [["eth_unsubscribe", "0x1"]])
    })
  )

  it.effect("that the server refuses fails the stream", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      const { id } = fake.last().sent[0]
      fake.last().message({ jsonrpc: "2.0", id, error: { code: -32601, message: "notifications not supported" } })
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["eth_subscribe: notifications not supported (code -32601)"])
      assert.lengthOf(fake.last().sent, 1)
    })
  )

  it.effect("fails when its id is none, or another's", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const none = yield* read(transport)
      fake.last().answer(0, null)
      yield* Fake.settle
      assert.deepStrictEqual(none.seen, ["eth_subscribe: the subscription's id is neither text nor number"])
      const first = yield* read(transport)
      fake.last().answer(1, "0x1")
      const second = yield* read(transport)
      fake.last().answer(2, "0x1")
      fake.last().message(note("0x1", "item"))
      yield* Fake.settle
      assert.deepStrictEqual(first.seen, ["item"])
      assert.deepStrictEqual(second.seen, ["eth_subscribe: the subscription's id is that of another subscription"])
      assert.lengthOf(fake.last().sent, 3)
    })
  )

  it.effect("fails when it is not granted in time, or there is no connection", () =>
    Effect.gen(function* () {
      const { transport } = yield* make({ heartbeat: false })
      const { fiber, seen } = yield* read(transport)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(fiber)
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["eth_subscribe: no answer within 30s"])
      const down = yield* make(
        {},
        Fake.make(Fake.FakeWs, (socket) => queueMicrotask(() => socket.drop()))
      )
      assert.deepStrictEqual((yield* read(down.transport)).seen, ["eth_subscribe: connection failed"])
    })
  )

  it.effect("ends with a notification that is an error", () =>
    Effect.gen(function* () {
      const errors: ReadonlyArray<readonly [object, string]> = [
        [{ error: { code: -32000, message: "closed" } }, "eth_subscription: closed (code -32000)"],
        [{ error: "closed" }, "eth_subscription: a notification without a result"],
        [{}, "eth_subscription: a notification without a result"]
      ]
      for (const [member, message] of errors) {
        const { fake, transport } = yield* make()
        const { seen } = yield* read(transport)
        fake.last().answer(0, "0x1")
        fake.last().message(note("0x1", 1))
        fake.last().message({ jsonrpc: "2.0", method: wire.notification, params: { subscription: "0x1", ...member } })
        yield* Fake.settle
        assert.deepStrictEqual(seen, [1, message])
        assert.deepStrictEqual(methods(fake.last())[1], ["eth_unsubscribe", "0x1"])
      }
    })
  )

  it.effect("ends with the transport", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { fake, transport } = yield* Effect.provideService(make(), Scope.Scope, scope)
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      yield* Scope.close(scope, Exit.void)
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["eth_subscribe: the transport is closed"])
      assert.lengthOf(fake.last().sent, 1)
      assert.deepStrictEqual((yield* read(transport)).seen, seen)
    })
  )
})

describe("a subscription that is granted too late", () => {
  it.effect("is given up, so that the server does not notify for ever", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ heartbeat: false })
      const { seen } = yield* read(transport)
      yield* TestClock.adjust("30 seconds")
      assert.deepStrictEqual(seen, ["eth_subscribe: no answer within 30s"])
      const socket = fake.last()
      socket.answer(0, "0x1")
      assert.deepStrictEqual(methods(socket)[1], ["eth_unsubscribe", "0x1"])
      socket.message(note("0x1", "late"))
      const again = yield* read(transport)
      socket.answer(2, "0x2")
      socket.message(note("0x1", "late"), note("0x2", "new"))
      yield* Fake.settle
      assert.deepStrictEqual(again.seen, ["new"])
      assert.lengthOf(socket.sent, 3)
    })
  )

  it.effect("is given up when its reader left before", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ heartbeat: false })
      const { fiber } = yield* read(transport)
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("30 seconds")
      fake.last().answer(0, "0x1")
      assert.deepStrictEqual(methods(fake.last())[1], ["eth_unsubscribe", "0x1"])
    })
  )

  it.effect("is kept when its id is that of one which was granted in time", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ heartbeat: false })
      yield* read(transport)
      yield* TestClock.adjust("30 seconds")
      const { seen } = yield* read(transport)
      fake.last().answer(1, "0x1")
      fake.last().answer(0, "0x1")
      fake.last().message(note("0x1", "item"))
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["item"])
      assert.lengthOf(fake.last().sent, 2)
    })
  )
})

describe("notifications before their time", () => {
  it.effect("are kept when they come before the answer, or in the same array", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      const socket = fake.last()
      const granted = { jsonrpc: "2.0", id: socket.sent[0].id, result: "0x1" }
      socket.message(note("0x1", 1), note("0x2", "another's"))
      socket.message([note("0x1", 2), granted, note("0x1", 3)])
      socket.message(note("0x1", 4))
      yield* Fake.settle
      assert.deepStrictEqual(seen, [1, 2, 3, 4])
    })
  )

  it.effect("are kept within bounds, and what is missing is said", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      for (let n = 0; n < 1000; n++) {
        fake.last().message(note("0x1", n), note(`0x${n + 1000}`, n))
      }
      fake.last().answer(0, "0x1")
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["missed 936", ...Array.from({ length: 64 }, (_, n) => 936 + n)])
    })
  )

  it.effect("of too many ids are not all kept, and what may be missing is said", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const one = yield* read(transport)
      const other = yield* read(transport)
      for (let n = 0; n < 20; n++) {
        fake.last().message(note(n, `item of ${n}`))
      }
      fake.last().answer(0, 3)
      fake.last().answer(1, 18)
      yield* Fake.settle
      assert.deepStrictEqual([one.seen, other.seen], [["item of 3"], ["missed 4"]])
    })
  )

  it.effect("are not kept when nothing is asked for", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const first = yield* read(transport, { take: 1 })
      fake.last().answer(0, "0x1")
      fake.last().message(note("0x1", 1), note("0x2", "early"))
      yield* Fiber.join(first.fiber)
      const second = yield* read(transport)
      fake.last().answer(2, "0x2")
      fake.last().message(note("0x2", "on time"))
      yield* Fake.settle
      assert.deepStrictEqual(second.seen, ["on time"])
    })
  )
})

describe("a subscriber that leaves early", () => {
  it.effect("leaves nothing behind when the request was not sent", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({}, Fake.make())
      const { fiber } = yield* read(transport)
      yield* Fiber.interrupt(fiber)
      fake.last().open()
      assert.lengthOf(fake.last().sent, 0)
      fake.last().message(note("0x1", "early"))
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      fake.last().message(note("0x1", "on time"))
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["on time"])
    })
  )

  it.effect("gives up what is granted later", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { fiber } = yield* read(transport)
      yield* Fiber.interrupt(fiber)
      assert.lengthOf(fake.last().sent, 1)
      fake.last().answer(0, "0x1")
      assert.deepStrictEqual(methods(fake.last())[1], ["eth_unsubscribe", "0x1"])
      fake.last().drop()
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 1)
    })
  )

  it.effect("sends nothing on a dead connection, nor on the next one", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { fiber } = yield* read(transport)
      fake.last().answer(0, "0x1")
      fake.last().drop()
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 1)
      const call = yield* Effect.forkChild(transport.call({ method: "m", params: [] }))
      yield* Fake.settle
      assert.deepStrictEqual(methods(fake.last()), [["m"]])
      fake.last().answer(0, 1)
      yield* Fiber.join(call)
    })
  )
})

describe("after a reconnect", () => {
  it.effect("subscriptions are made anew by themselves, and the gap is said before what follows", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const one = yield* read(transport)
      const other = yield* read(transport)
      fake.last().answer(0, "0x1")
      fake.last().answer(1, "0x2")
      fake.last().message(note("0x1", "before"))
      for (let round = 1; round <= 3; round++) {
        fake.last().drop()
        yield* TestClock.adjust("10 seconds")
        const socket = fake.last()
        assert.lengthOf(fake.sockets, round + 1)
        assert.deepStrictEqual(methods(socket), [
          ["eth_subscribe", "newHeads"],
          ["eth_subscribe", "newHeads"]
        ])
        // The server gives the same two ids as before, but exchanged. The notifications come before the answers.
        socket.message(note("0x2", `after ${round}`), note("0x1", "other's"))
        socket.answer(0, "0x2")
        socket.answer(1, "0x1")
      }
      yield* Fake.settle
      assert.deepStrictEqual(one.seen, ["before", ...[1, 2, 3].flatMap((n) => ["reconnected", `after ${n}`])])
      assert.deepStrictEqual(
        other.seen,
        [1, 2, 3].flatMap(() => ["reconnected", "other's"])
      )
    })
  )

  it.effect("an item of the old connection is not taken for one of the new", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      const old = fake.last()
      old.answer(0, "0x1")
      old.drop()
      yield* TestClock.adjust("100 millis")
      old.message(note("0x1", "old"))
      fake.last().message(note("0x1", "of another id"))
      fake.last().answer(0, "0x9")
      fake.last().message(note("0x1", "of another id"), note("0x9", "new"))
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["reconnected", "new"])
    })
  )

  it.effect("a refusal to make it anew fails the stream, and no other", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const one = yield* read(transport)
      const other = yield* read(transport)
      fake.last().answer(0, "0x1")
      fake.last().answer(1, "0x2")
      fake.last().drop()
      yield* TestClock.adjust("100 millis")
      const { id } = fake.last().sent[0]
      fake.last().message({ jsonrpc: "2.0", id, error: { code: -32005, message: "too many subscriptions" } })
      fake.last().answer(1, "0x1")
      yield* Fake.settle
      assert.deepStrictEqual(one.seen, ["eth_subscribe: too many subscriptions (code -32005)"])
      assert.deepStrictEqual(other.seen, ["reconnected"])
    })
  )

  it.effect("a connection that breaks before the answer is followed by another, with one gap", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      for (let round = 0; round < 5; round++) {
        fake.last().drop()
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(methods(fake.last()), [["eth_subscribe", "newHeads"]])
        fake.last().message(note("0x1", "of a subscription that never was"))
      }
      fake.last().drop()
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(seen, [])
      fake.last().answer(0, "0x1")
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["reconnected"])
    })
  )

  it.effect("dials again and again, unless it is refused for good", () =>
    Effect.gen(function* () {
      const status = (statusCode: number) => (socket: Fake.FakeWs) =>
        queueMicrotask(() => socket.emit("unexpected-response", {}, { statusCode, headers: {} }))
      let answer: (socket: Fake.FakeWs) => void = Fake.opening
      const { fake, transport } = yield* make(
        {},
        Fake.make(Fake.FakeWs, (socket) => answer(socket))
      )
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      answer = status(503)
      fake.last().drop()
      yield* TestClock.adjust("5 minutes")
      yield* Fake.settle
      assert.deepStrictEqual(seen, [])
      // The first nine waits double from 0.1 to 25.6 seconds, 51.1 seconds together. Each later wait takes 30 seconds.
      assert.lengthOf(fake.sockets, 1 + 9 + 8)
      answer = status(401)
      yield* TestClock.adjust("30 seconds")
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["eth_subscribe: HTTP status 401"])
      const dials = fake.sockets.length
      yield* TestClock.adjust("5 minutes")
      assert.lengthOf(fake.sockets, dials)
    })
  )

  it.effect("it goes before calls that wait, and nothing is given up that belonged to the old connection", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ maxInFlight: 1 })
      const { fiber } = yield* read(transport)
      fake.last().answer(0, "0x1")
      const other = yield* read(transport)
      fake.last().answer(1, "0x2")
      const calls = yield* Effect.forEach(["a", "b"], (method) =>
        Effect.forkChild(Effect.exit(transport.call({ method, params: [] })))
      )
      yield* Fake.settle
      // The first subscriber leaves. Its call that ends the subscription must wait for its turn after the other calls.
      yield* Fiber.interrupt(fiber)
      fake.last().drop()
      yield* TestClock.adjust("100 millis")
      const socket = fake.last()
      socket.answer(0, "0x2")
      socket.answer(1, "b")
      assert.deepStrictEqual(methods(socket), [["eth_subscribe", "newHeads"], ["b"]])
      yield* Fiber.joinAll(calls)
      assert.deepStrictEqual(other.seen, ["reconnected"])
    })
  )

  it.effect("a message that cannot be read is a gap, also while one call is under way", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      const call = yield* Effect.forkChild(Effect.flip(transport.call({ method: "m", params: [] })))
      yield* Fake.settle
      fake.last().text("{")
      assert.strictEqual((yield* Fiber.join(call)).message, "m: the answer is JSON that breaks off")
      assert.strictEqual(fake.last().ended, "terminated")
      yield* TestClock.adjust("100 millis")
      fake.last().answer(0, "0x1")
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["reconnected"])
    })
  )

  it.effect("a message that is too large is a gap, and no fault of the call under way", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ maxBytes: 1000 })
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      const call = yield* Effect.forkChild(Effect.flip(transport.call({ method: "m", params: [] })))
      yield* Fake.settle
      fake.last().message(note("0x1", "x".repeat(1000)))
      const error = yield* Fiber.join(call)
      assert.strictEqual(error.message, "m: connection lost (a message was larger than 1000 bytes)")
      assert.isTrue(error.retryable)
      yield* TestClock.adjust("100 millis")
      fake.last().answer(0, "0x1")
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["reconnected"])
    })
  )

  it.effect("a message that cannot be read ends the connection, also while the subscription is asked for", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      fake.last().text("{")
      yield* Fake.settle
      // The message may have been an answer or a notification, so the connection ends, and any granted subscription
      // ends too.
      assert.deepStrictEqual(seen, ["eth_subscribe: the answer is JSON that breaks off"])
      assert.strictEqual(fake.last().ended, "terminated")
    })
  )

  it.effect("a message that cannot be read is a gap", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const { seen } = yield* read(transport)
      fake.last().answer(0, "0x1")
      fake.last().text('{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","resu')
      assert.strictEqual(fake.last().ended, "terminated")
      yield* TestClock.adjust("100 millis")
      fake.last().answer(0, "0x1")
      yield* Fake.settle
      assert.deepStrictEqual(seen, ["reconnected"])
    })
  )
})

describe("a slow reader", () => {
  const granted = (options: Partial<WebSocketTransport.WebSocketTransportOptions>, fake?: Fake.Fake<Fake.FakeWs>) =>
    Effect.gen(function* () {
      const made = yield* make({ buffer: 4, ...options }, fake)
      const reader = yield* readSlowly(made.transport)
      const socket = made.fake.last()
      socket.answer(0, "0x1")
      socket.message(note("0x1", 0))
      assert.deepStrictEqual(yield* reader.first, [0])
      const send = (...items: ReadonlyArray<unknown>) => items.forEach((item) => socket.message(note("0x1", item)))
      return { ...made, ...reader, socket, send }
    })

  it.effect("sees how many items it missed, where they are missing, and the newest", () =>
    Effect.gen(function* () {
      const { next, send } = yield* granted({})
      send(1, 2, 3, 4)
      assert.deepStrictEqual(yield* next, [1, 2, 3, 4])
      send(1, 2, 3, 4, 5, 6, 7)
      assert.deepStrictEqual(yield* next, ["missed 3", 4, 5, 6, 7])
      send(8)
      assert.deepStrictEqual(yield* next, [8])
    })
  )

  it.effect("sees one gap, however many connections broke and however much was lost on them", () =>
    Effect.gen(function* () {
      const { fake, next } = yield* granted({})
      for (let round = 0; round < 1000; round++) {
        fake.last().drop()
        yield* TestClock.adjust("30 seconds")
        for (let id = 100; id < 120; id++) {
          fake.last().message(note(id, "whose?"))
        }
        fake.last().answer(0, "0x1")
      }
      assert.lengthOf(fake.sockets, 1001)
      // Per connection, only the first 16 of these 20 ids are kept, so 4 items of each of the 1000 connections are
      // counted as missed.
      assert.deepStrictEqual(yield* next, ["missed 4000", "reconnected"])
    })
  )

  it.effect("sees a reconnect, whatever else it missed", () =>
    Effect.gen(function* () {
      const { fake, next, send, socket } = yield* granted({})
      const reconnect = Effect.gen(function* () {
        fake.last().drop()
        yield* TestClock.adjust("10 seconds")
        fake.last().answer(0, "0x1")
      })
      const sendOn = (...items: ReadonlyArray<unknown>) =>
        items.forEach((item) => fake.last().message(note("0x1", item)))
      send(1, 2)
      yield* reconnect
      yield* reconnect
      sendOn(3)
      assert.deepStrictEqual(yield* next, [1, 2, "reconnected", 3])
      sendOn(1, 2)
      yield* reconnect
      sendOn(3, 4, 5, 6, 7)
      yield* reconnect
      assert.deepStrictEqual(yield* next, ["missed 3", "reconnected", 4, 5, 6, 7, "reconnected"])
      assert.notStrictEqual(fake.last(), socket)
    })
  )

  it.effect("sees what it missed before the subscription was made anew and after it as one gap", () =>
    Effect.gen(function* () {
      const { fake, next } = yield* granted({})
      fake.last().drop()
      yield* TestClock.adjust("100 millis")
      const sendOn = (...items: ReadonlyArray<unknown>) =>
        items.forEach((item) => fake.last().message(note("0x1", item)))
      sendOn(1, 2, 3, 4, 5, 6)
      fake.last().answer(0, "0x1")
      sendOn(7, 8)
      assert.deepStrictEqual(yield* next, ["missed 4", "reconnected", 5, 6, 7, 8])
    })
  )

  it.effect("is bounded by bytes as well", () =>
    Effect.gen(function* () {
      const { next, send } = yield* granted({ buffer: 1000, maxBytes: 10_000 })
      send("a".repeat(4000), "b".repeat(4000), "c".repeat(4000))
      assert.deepStrictEqual(yield* next, ["missed 1", "b".repeat(4000), "c".repeat(4000)])
    })
  )

  it.effect("costs no memory, however much the server sends", () =>
    Effect.gen(function* () {
      const { next, socket } = yield* granted({})
      // The reader's buffer holds four items, so only the last four of these are kept.
      for (let n = 0; n < 100_000; n++) {
        socket.text(`{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":${n}}}`)
      }
      assert.deepStrictEqual(yield* next, ["missed 99996", 99_996, 99_997, 99_998, 99_999])
    })
  )

  it.effect("makes the server wait, if that was asked for", () =>
    Effect.gen(function* () {
      const { next, send, socket } = yield* granted({ overflow: "wait" })
      send(1)
      assert.isFalse(socket.isPaused)
      send(2)
      assert.isTrue(socket.isPaused)
      assert.deepStrictEqual(yield* next, [1, 2])
      assert.isFalse(socket.isPaused)
    })
  )

  it.effect("misses nothing of what the platform hands out after it was told to stop", () =>
    Effect.gen(function* () {
      const { next, send, socket } = yield* granted({ overflow: "wait" })
      const items = Array.from({ length: 101 }, (_, n) => n)
      send(...items)
      assert.isTrue(socket.isPaused)
      const seen: Array<unknown> = []
      while (seen.at(-1) !== 100) {
        const part = yield* next
        assert.isAtMost(part.length, 4)
        seen.push(...part)
      }
      assert.deepStrictEqual(seen, items)
    })
  )

  it.effect("sees all in order, also what comes at the moment when the reading goes on", () =>
    Effect.gen(function* () {
      const later = [21, 22]
      class Eager extends Fake.FakeWs {
        override resume(): void {
          super.resume()
          this.message(...later.splice(0).map((item) => note("0x1", item)))
        }
      }
      const { next, send } = yield* granted({ overflow: "wait" }, Fake.make(Eager, Fake.opening))
      const items = Array.from({ length: 22 }, (_, index) => index + 1)
      send(...items.slice(0, 20))
      const seen: Array<unknown> = []
      while (seen.at(-1) !== 22) {
        seen.push(...(yield* next))
      }
      assert.deepStrictEqual(seen, items)
    })
  )

  it.effect("keeps no more of it than a bound, whatever the platform does", () =>
    Effect.gen(function* () {
      const { next, send, socket } = yield* granted({ overflow: "wait" })
      // The platform delivers these messages although the socket is paused.
      for (let n = 0; n < 30; n++) {
        send([n, "x".repeat(100_000)])
      }
      assert.isTrue(socket.isPaused)
      const numbers: Array<unknown> = []
      let missed = 0
      while (numbers.at(-1) !== 29) {
        for (const seen of yield* next) {
          if (Array.isArray(seen)) {
            numbers.push(seen[0])
          } else {
            missed += Number(/^missed ([0-9]+)$/.exec(String(seen))?.[1])
          }
        }
      }
      assert.strictEqual(numbers.length + missed, 30)
      // At most eleven messages of 100 kB are held for the paused socket. Further messages go to the buffer of the
      // reader, which holds four.
      assert.isAbove(missed, 10)
    })
  )

  it.effect("that is kept waiting hears no more of a connection that broke", () =>
    Effect.gen(function* () {
      const { fake, next, send, socket } = yield* granted({ overflow: "wait" })
      send(1, 2, 3)
      socket.drop()
      yield* TestClock.adjust("100 millis")
      fake.last().answer(0, "0x1")
      assert.deepStrictEqual(yield* next, [1, 2, "reconnected"])
      fake.last().message(note("0x1", 4))
      assert.deepStrictEqual(yield* next, [4])
    })
  )

  it.effect("does not hold up the answer to a call", () =>
    Effect.gen(function* () {
      const { send, socket, transport } = yield* granted({ overflow: "wait" })
      send(1, 2)
      assert.isTrue(socket.isPaused)
      const fiber = yield* Effect.forkChild(transport.call({ method: "m", params: [] }))
      yield* Fake.settle
      assert.isFalse(socket.isPaused)
      socket.answer(1, "answer")
      assert.strictEqual(yield* Fiber.join(fiber), "answer")
      assert.isTrue(socket.isPaused)
    })
  )

  it.effect("does not make a dead peer of one that is not read", () =>
    Effect.gen(function* () {
      const { next, send, socket } = yield* granted({ overflow: "wait" })
      send(1, 2)
      yield* TestClock.adjust("3610 seconds")
      assert.isUndefined(socket.ended)
      assert.deepStrictEqual(yield* next, [1, 2])
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(socket.pings, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(socket.pings, 1)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(socket.ended, "terminated")
    })
  )

  it.effect("that leaves lets the server go on", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ buffer: 4, overflow: "wait" })
      const scope = yield* Scope.make()
      const { first } = yield* Effect.provideService(readSlowly(transport), Scope.Scope, scope)
      fake.last().answer(0, "0x1")
      fake.last().message(note("0x1", 0))
      yield* first
      fake.last().message(note("0x1", 1), note("0x1", 2), note("0x1", 3))
      assert.isTrue(fake.last().isPaused)
      yield* Scope.close(scope, Exit.void)
      assert.isFalse(fake.last().isPaused)
      assert.deepStrictEqual(methods(fake.last())[1], ["eth_unsubscribe", "0x1"])
      fake.last().answer(1, true)
      assert.isFalse(fake.last().isPaused)
    })
  )

  it.effect("misses items where the platform cannot wait", () =>
    Effect.gen(function* () {
      const fake: Fake.Fake<Fake.FakeSocket> = Fake.make(Fake.FakeSocket, Fake.opening)
      const { next, send } = yield* granted({ overflow: "wait" }, fake as Fake.Fake<Fake.FakeWs>)
      send(1, 2, 3, 4, 5)
      assert.deepStrictEqual(yield* next, ["missed 1", 2, 3, 4, 5])
    })
  )
})
