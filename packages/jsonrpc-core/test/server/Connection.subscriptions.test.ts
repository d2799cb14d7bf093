import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import {
  type Connection,
  type Dispatcher,
  type ErrorObject,
  JsonRpcServer,
  Method,
  MethodGroup,
  Subscription
} from "@plumbline/jsonrpc-core"
import { Cause, Context, Deferred, Effect, Exit, Fiber, Latch, Queue, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"

import { failure, make, notification, request, result } from "../support/connected.ts"
import * as Contract from "../support/contract.ts"

const ping = Method.make("ping", { params: [], result: Schema.String })
const ticks = Subscription.make("eth", "ticks", { params: [], item: Schema.Int })

/** Makes a server with one subscription, whose items come from the stream. */
const serverOf = <R>(stream: Stream.Stream<number, never, R>, options?: JsonRpcServer.JsonRpcServerOptions<never>) =>
  JsonRpcServer.make(
    MethodGroup.make(ping),
    { ping: () => Effect.succeed("pong") },
    { ...options, subscriptions: [JsonRpcServer.source(ticks, () => Effect.succeed(stream))] }
  )

const subscribe = request(1, "eth_subscribe", "ticks")

describe("a subscription", () => {
  it.effect("is answered with its id, then come its notifications, through the item's schema", () =>
    Effect.gen(function* () {
      const { give, take, waiting } = yield* make(Contract.makeServer())
      yield* give(request(1, "eth_subscribe", "numbers", 3))
      const { result: id } = yield* take
      for (const number of ["1", "2", "3"]) assert.deepStrictEqual(yield* take, notification(id, number))
      assert.strictEqual(yield* waiting, 0)
    })
  )

  it.effect("has an id as geth writes them, that nobody guesses", () =>
    Effect.gen(function* () {
      const { give, take } = yield* make(Contract.makeServer(), { limits: { maxSubscriptions: 1000 } })
      const ids: Array<string> = []
      for (let count = 0; count < 1000; count++) {
        yield* give(request(1, "eth_subscribe", "silence"))
        ids.push((yield* take).result)
      }
      for (const id of ids) assert.match(id, /^0x[1-9a-f][0-9a-f]{0,31}$/u)
      assert.strictEqual(new Set(ids).size, 1000)
      // An id is 16 random bytes in hex, without leading zero digits. So about one id in sixteen is shorter than 34
      // characters. Each of the 128 bits varies.
      assert.isAbove(ids.filter((id) => id.length === 34).length, 850)
      const bits = ids.reduce((sum, id) => sum | BigInt(id), 0n)
      assert.strictEqual(bits, (1n << 128n) - 1n)
    })
  )

  it.effect("is not heard of before its id was sent, though it is read before", () =>
    Effect.gen(function* () {
      const open = yield* Latch.make()
      const begun = yield* Deferred.make<void>()
      const stream = Stream.concat(Stream.fromEffectDrain(Deferred.succeed(begun, undefined)), Stream.make(1, 2))
      const slow = Method.make("slow", { params: [], result: Schema.String })
      const server = JsonRpcServer.make(
        MethodGroup.make(slow),
        { slow: () => Effect.as(open.await, "done") },
        { subscriptions: [JsonRpcServer.source(ticks, () => Effect.succeed(stream))] }
      )
      const reader = yield* Latch.make()
      const sent: Array<any> = []
      const { give } = yield* make(server, {
        send: (packet) =>
          Effect.andThen(
            Effect.sync(() => void sent.push(JSON.parse(new TextDecoder().decode(packet)))),
            reader.await
          )
      })
      yield* give([subscribe, request(2, "slow"), request(3, "eth_subscribe", "ticks")])
      yield* Deferred.await(begun)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(sent, [])
      yield* open.open
      yield* TestClock.adjust("1 second")
      // The answer is being sent.
      assert.lengthOf(sent, 1)
      yield* reader.open
      yield* TestClock.adjust("1 second")
      const [answers, ...notifications] = sent
      const [one, , other] = answers
      assert.deepStrictEqual(answers, [result(1, one.result), result(2, "done"), result(3, other.result)])
      assert.sameDeepMembers(notifications, [
        notification(one.result, 1),
        notification(one.result, 2),
        notification(other.result, 1),
        notification(other.result, 2)
      ])
    })
  )

  it.effect("ends with its call: nothing comes after the answer, and its source is interrupted", () =>
    Effect.gen(function* () {
      const numbers = yield* Queue.unbounded<number>()
      const stopped = yield* Deferred.make<void>()
      const stream = Stream.ensuring(Stream.fromQueue(numbers), Deferred.succeed(stopped, undefined))
      const { give, take, waiting } = yield* make(serverOf(stream))
      yield* give(subscribe)
      const { result: id } = yield* take
      yield* Queue.offer(numbers, 1)
      assert.deepStrictEqual(yield* take, notification(id, 1))
      yield* Queue.offer(numbers, 2)
      yield* give(request(2, "eth_unsubscribe", id))
      const last = yield* take
      if (last.method !== undefined) assert.deepStrictEqual(yield* take, result(2, true))
      else assert.deepStrictEqual(last, result(2, true))
      yield* Deferred.await(stopped)
      yield* Queue.offer(numbers, 3)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* waiting, 0)
      yield* give(request(3, "eth_unsubscribe", id))
      assert.deepStrictEqual(yield* take, failure(3, -32000, "subscription not found"))
    })
  )

  it.effect("loses what is kept for a slow reader when it is ended", () =>
    Effect.gen(function* () {
      const reader = yield* Latch.make()
      const sent: Array<any> = []
      const { give } = yield* make(serverOf(Stream.range(1, 100)), {
        send: (packet) =>
          Effect.andThen(
            Effect.sync(() => void sent.push(JSON.parse(new TextDecoder().decode(packet)))),
            sent.length < 2 ? Effect.void : reader.await
          )
      })
      yield* give(subscribe)
      yield* TestClock.adjust("1 second")
      const [{ result: id }] = sent
      // The first notification is being sent when the call comes.
      yield* give(request(2, "eth_unsubscribe", id))
      yield* reader.open
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(sent.slice(1), [notification(id, 1), notification(id, 2), result(2, true)])
    })
  )

  it.effect("belongs to one connection and one namespace", () =>
    Effect.gen(function* () {
      const other = Subscription.make("own", "ticks", { params: [], item: Schema.Int })
      const server = JsonRpcServer.make(
        MethodGroup.make(),
        {},
        {
          subscriptions: [ticks, other].map((one) => JsonRpcServer.source(one, () => Effect.succeed(Stream.never)))
        }
      )
      const a = yield* make(server)
      const b = yield* make(server)
      yield* a.give(subscribe)
      const { result: id } = yield* a.take
      yield* b.give(request(2, "eth_unsubscribe", id))
      assert.deepStrictEqual(yield* b.take, failure(2, -32000, "subscription not found"))
      yield* a.give(request(3, "own_unsubscribe", id))
      assert.deepStrictEqual(yield* a.take, failure(3, -32000, "subscription not found"))
      yield* a.give(request(4, "eth_unsubscribe", id))
      assert.deepStrictEqual(yield* a.take, result(4, true))
    })
  )

  it.effect("takes turns with the others", () =>
    Effect.gen(function* () {
      const sent: Array<any> = []
      const { give } = yield* make(serverOf(Stream.range(1, 3)), {
        send: (packet) =>
          Effect.andThen(
            Effect.sync(() => void sent.push(JSON.parse(new TextDecoder().decode(packet)))),
            Effect.sleep("1 second")
          )
      })
      yield* give([subscribe, subscribe])
      yield* TestClock.adjust("10 seconds")
      const [[{ result: a }, { result: b }], ...notifications] = sent
      assert.deepStrictEqual(
        notifications,
        [1, 2, 3].flatMap((number) => [notification(a, number), notification(b, number)])
      )
    })
  )

  it.effect("ends when its source does: the rest is sent, and the id is unknown", () =>
    Effect.gen(function* () {
      const { give, take } = yield* make(Contract.makeServer(), { limits: { maxSubscriptions: 1 } })
      for (const round of [1, 2]) {
        yield* give(request(round, "eth_subscribe", "short"))
        const { result: id } = yield* take
        assert.deepStrictEqual(yield* take, notification(id, "all"))
        yield* give(request(2, "eth_unsubscribe", id))
        assert.deepStrictEqual(yield* take, failure(2, -32000, "subscription not found"))
      }
    })
  )

  it.effect("is not begun for a notification, whose sender would not know the id", () =>
    Effect.gen(function* () {
      let begun = 0
      const stream = Stream.suspend(() => {
        begun++
        return Stream.make(1)
      })
      const { give, waiting } = yield* make(serverOf(stream))
      yield* give(request(undefined, "eth_subscribe", "ticks"))
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual([begun, yield* waiting], [0, 0])
    })
  )

  it.effect("may have other names on the wire", () =>
    Effect.gen(function* () {
      const own = Subscription.make("own", "ticks", {
        params: [Method.param("from", Schema.Int)],
        item: Schema.Int,
        wire: { subscribe: "ticks_on", prefix: [], notification: "ticked", idMember: "id", unsubscribe: "ticks_off" }
      })
      const server = JsonRpcServer.make(
        MethodGroup.make(),
        {},
        { subscriptions: [JsonRpcServer.source(own, (from) => Effect.succeed(Stream.make(from)))] }
      )
      const { give, take } = yield* make(server)
      yield* give({ jsonrpc: "2.0", id: 1, method: "ticks_on", params: { from: 7 } })
      const { result: id } = yield* take
      assert.deepStrictEqual(yield* take, { jsonrpc: "2.0", method: "ticked", params: { id, result: 7 } })
      yield* give(request(2, "ticks_on"))
      assert.deepStrictEqual(yield* take, failure(2, -32602, "missing value for required argument 0"))
    })
  )

  it.effect("is the one with the longest prefix that is given", () =>
    Effect.gen(function* () {
      const named = (name: string, prefix: ReadonlyArray<string>) =>
        JsonRpcServer.source(
          Subscription.make("eth", name, {
            params: [Method.param("rest", Schema.String, { optional: true })],
            item: Schema.String,
            wire: { prefix }
          }),
          (rest = "") => Effect.succeed(Stream.make(`${name} ${rest}`))
        )
      const server = JsonRpcServer.make(
        MethodGroup.make(),
        {},
        { subscriptions: [named("any", []), named("short", ["a"]), named("long", ["a", "b"])] }
      )
      const { give, take } = yield* make(server)
      for (const [params, item] of [
        [["a", "b", "x"], "long x"],
        [["a", "x"], "short x"],
        [["x"], "any x"],
        [[], "any "]
      ] as const) {
        yield* give(request(1, "eth_subscribe", ...params))
        const { result: id } = yield* take
        assert.deepStrictEqual(yield* take, notification(id, item))
      }
    })
  )

  it.effect("reads its source with the services that the connection was made with", () =>
    Effect.gen(function* () {
      class Start extends Context.Service<Start, number>()("test/Start") {}
      const from = Stream.unwrap(Effect.map(Start, (start) => Stream.make(start)))
      const server: Dispatcher.Dispatcher<Start> = serverOf(from)
      const { give, take } = yield* Effect.provideService(make(server), Start, 7)
      yield* give(subscribe)
      const { result: id } = yield* take
      assert.deepStrictEqual(yield* take, notification(id, 7))
    })
  )
})

describe("a subscription that is refused", () => {
  const cases: ReadonlyArray<readonly [name: string, params: unknown, code: number, message: string]> = [
    ["unknown", ["heads"], -32601, 'no "heads" subscription in eth namespace'],
    ["a name to be quoted", ['"\n'], -32601, 'no "\\"\\n" subscription in eth namespace'],
    ["of a prototype", ["__proto__"], -32601, 'no "__proto__" subscription in eth namespace'],
    ["without a name", [], -32602, "expected subscription name as first argument"],
    ["with a name that is none", [{}], -32602, "expected subscription name as first argument"],
    ["without parameters", undefined, -32602, "non-array args"],
    ["by name", { subscription: "silence" }, -32602, "non-array args"],
    ["with a name that is too long", ["x".repeat(2049)], -32600, "subscription name too long"],
    ["without an argument", ["numbers"], -32602, "missing value for required argument 1"],
    ["with a wrong argument", ["numbers", "hunter2"], -32602, "invalid argument 1: Expected number"],
    [
      "with an argument out of bounds",
      ["numbers", -1],
      -32602,
      "invalid argument 1: Expected a value between 0 and 100"
    ],
    ["with too many arguments", ["silence", 1], -32602, "too many arguments, want at most 1"],
    ["by its source", ["refused"], -32005, "limit exceeded"]
  ]

  it.effect.each(cases)("%s", ([, params, code, message]) =>
    Effect.gen(function* () {
      const { give, take } = yield* make(Contract.makeServer())
      yield* give({ jsonrpc: "2.0", id: 1, method: "eth_subscribe", params })
      assert.deepStrictEqual(yield* take, failure(1, code, message))
    })
  )

  it.effect("because there are too many of them", () =>
    Effect.gen(function* () {
      const { give, take } = yield* make(Contract.makeServer(), { limits: { maxSubscriptions: 2 } })
      const silence = request(1, "eth_subscribe", "silence")
      yield* give([silence, silence, silence])
      const [one, , three] = yield* take
      assert.deepStrictEqual(three, failure(1, -32005, "too many subscriptions, want at most 2"))
      yield* give(request(2, "eth_unsubscribe", one.result))
      yield* take
      yield* give(silence)
      assert.isString((yield* take).result)
    })
  )

  it.effect("because there is no connection", () =>
    Effect.gen(function* () {
      const { handle } = Contract.makeServer()
      const ask = (call: object) =>
        Effect.map(handle(JSON.stringify(call)), (bytes) => JSON.parse(new TextDecoder().decode(bytes)))
      for (const params of [["silence"], ["heads"], []]) {
        assert.deepStrictEqual(
          yield* ask(request(1, "eth_subscribe", ...params)),
          failure(1, -32601, "notifications not supported")
        )
      }
      assert.deepStrictEqual(
        yield* ask(request(1, "eth_unsubscribe", "0x1")),
        failure(1, -32000, "subscription not found")
      )
      assert.deepStrictEqual(
        yield* ask(request(1, "eth_unsubscribe")),
        failure(1, -32602, "missing value for required argument 0")
      )
      assert.deepStrictEqual(
        yield* ask({ jsonrpc: "2.0", id: 1, method: "eth_unsubscribe", params: { subscription: "0x1" } }),
        failure(1, -32602, "non-array args")
      )
      assert.deepStrictEqual(
        yield* ask(request(1, "own_subscribe", "silence")),
        failure(1, -32601, "the method own_subscribe does not exist/is not available")
      )
    })
  )

  it("because two have one name", () => {
    const source = JsonRpcServer.source(ticks, () => Effect.succeed(Stream.never))
    assert.throws(() => JsonRpcServer.make(MethodGroup.make(), {}, { subscriptions: [source, source] }))
    const taken = Method.make("eth_unsubscribe", { params: [], result: Schema.Null })
    assert.throws(() =>
      JsonRpcServer.make(
        MethodGroup.make(taken),
        { eth_unsubscribe: () => Effect.succeed(null) },
        { subscriptions: [source] }
      )
    )
    const same = Subscription.make("eth", "same", {
      params: [],
      item: Schema.Int,
      wire: { unsubscribe: "eth_subscribe" }
    })
    assert.throws(() =>
      JsonRpcServer.make(
        MethodGroup.make(),
        {},
        { subscriptions: [JsonRpcServer.source(same, () => Effect.succeed(Stream.never))] }
      )
    )
  })
})

describe("a source that dies", () => {
  it.effect.each([
    ["in the stream", Stream.die(new Error(Contract.SECRET))],
    ["of an item that is not its schema's", Stream.make(1.5)],
    ["by interrupting itself", Stream.fromEffect(Effect.interrupt)]
  ] as const)("ends the connection and is told to the hook: %s", ([, stream]) =>
    Effect.gen(function* () {
      const told: Array<unknown> = []
      const server = serverOf(stream, {
        onDefect: (cause, call) => Effect.sync(() => void told.push(call.method, Cause.pretty(cause)))
      })
      const { ended, give, take, waiting } = yield* make(server)
      yield* give(subscribe)
      assert.deepStrictEqual(yield* ended, { _tag: "SourceDied", subscription: "ticks" })
      assert.strictEqual(told[0], "eth_subscribe")
      assert.isNotEmpty(told[1])
      // Only the answer with the id was sent.
      if ((yield* waiting) > 0) assert.isString((yield* take).result)
      assert.strictEqual(yield* waiting, 0)
    })
  )

  it.effect("is a call that died, as long as the subscription has not begun", () =>
    Effect.gen(function* () {
      const server = JsonRpcServer.make(
        MethodGroup.make(),
        {},
        {
          subscriptions: [JsonRpcServer.source(ticks, () => Effect.die(new Error(Contract.SECRET)))],
          onDefect: () => Effect.void
        }
      )
      const { give, take } = yield* make(server)
      yield* give(subscribe)
      assert.deepStrictEqual(yield* take, failure(1, -32603, "internal error"))
    })
  )
})

describe("a reader that is slow", () => {
  /** Makes a stream of numbers, and counts the items that are read. */
  const counted = () => {
    const read = { count: 0 }
    const stream = Stream.tap(Stream.rechunk(Stream.range(1, 1_000_000), 1), () => Effect.sync(() => void read.count++))
    return { read, stream }
  }
  /** Makes a `send` that accepts the answer with the id, but no further packet. */
  const once = () => {
    const sent: Array<any> = []
    const send = (packet: Uint8Array): Effect.Effect<void> =>
      Effect.suspend(() => {
        sent.push(JSON.parse(new TextDecoder().decode(packet)))
        return sent.length === 1 ? Effect.void : Effect.never
      })
    return { send, sent }
  }
  const size = JSON.stringify(notification(`0x${"1".repeat(32)}`, 1)).length

  it.effect("is cut off, rather than not told of what it misses", () =>
    Effect.gen(function* () {
      const { read, stream } = counted()
      const { send, sent } = once()
      const { ended, give } = yield* make(serverOf(stream), { send, limits: { maxBufferedBytes: 20 * size } })
      yield* give(subscribe)
      assert.deepStrictEqual(yield* ended, { _tag: "SlowReader", subscription: "ticks" })
      assert.isAtMost(read.count, 25)
      assert.isAtMost(sent.length, 2)
      yield* give(request(2, "ping"))
      yield* TestClock.adjust("1 second")
      assert.isAtMost(sent.length, 2)
    })
  )

  it.effect("is waited for, if so wished: the source is read no faster than the notifications are", () =>
    Effect.gen(function* () {
      const { read, stream } = counted()
      const permits = yield* Queue.unbounded<void>()
      const seen: Array<number> = []
      const { give } = yield* make(serverOf(stream), {
        onSlowReader: "wait",
        limits: { maxBufferedBytes: 20 * size },
        send: (packet) => {
          const message = JSON.parse(new TextDecoder().decode(packet))
          if (message.method === undefined) return Effect.void
          seen.push(message.params.result)
          return Queue.take(permits)
        }
      })
      yield* give(subscribe)
      yield* TestClock.adjust("1 second")
      const ahead = read.count
      assert.isAtMost(ahead, 23)
      assert.isAtLeast(ahead, 15)
      yield* Effect.forEach(Array.from({ length: 1000 }), () =>
        Effect.andThen(Queue.offer(permits, undefined), Effect.yieldNow)
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(
        seen,
        Array.from({ length: 1001 }, (_, index) => index + 1)
      )
      assert.isAtMost(read.count, 1001 + 25)
    })
  )

  it.effect("shares one buffer among its subscriptions", () =>
    Effect.gen(function* () {
      const { send } = once()
      const { ended, give } = yield* make(serverOf(Stream.concat(Stream.range(1, 8), Stream.never)), {
        send,
        limits: { maxBufferedBytes: 20 * size }
      })
      yield* give([subscribe, subscribe])
      const why = yield* Effect.forkChild(ended)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(why.pollUnsafe())
      yield* give(request(3, "eth_subscribe", "ticks"))
      assert.deepStrictEqual(yield* Fiber.join(why), { _tag: "SlowReader", subscription: "ticks" })
    })
  )

  it.effect("gets one notification that is larger than the buffer, when there is nothing else", () =>
    Effect.gen(function* () {
      const { give, take } = yield* make(serverOf(Stream.make(1)), { limits: { maxBufferedBytes: 1 } })
      yield* give(subscribe)
      const { result: id } = yield* take
      assert.deepStrictEqual(yield* take, notification(id, 1))
    })
  )

  it.effect("frees its place in the buffer when it gives up a subscription", () =>
    Effect.gen(function* () {
      const { sent, send } = once()
      const { ended, give } = yield* make(serverOf(Stream.concat(Stream.range(1, 15), Stream.never)), {
        send,
        limits: { maxBufferedBytes: 20 * size }
      })
      const why: Fiber.Fiber<Connection.ConnectionEnd> = yield* Effect.forkChild(ended)
      yield* give([subscribe])
      yield* TestClock.adjust("1 second")
      yield* give(request(2, "eth_unsubscribe", sent[0][0].result))
      yield* give(subscribe)
      yield* TestClock.adjust("1 second")
      assert.isUndefined(why.pollUnsafe())
    })
  )
})

describe("the end of a connection with subscriptions", () => {
  it.effect("interrupts their sources and waits for them", () =>
    Effect.gen(function* () {
      const stopped: Array<string> = []
      const stream = Stream.ensuring(
        Stream.never,
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => void stopped.push("stopped"))
        )
      )
      const scope = yield* Scope.make()
      const { give, take } = yield* Scope.provide(make(serverOf(stream)), scope)
      yield* give([subscribe, subscribe])
      yield* take
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(stopped, ["stopped", "stopped"])
    })
  )
})

it("asks for sources that give what the subscription promises", () => {
  const typed = Subscription.make("eth", "typed", {
    params: [Method.param("from", Schema.Int), Method.param("to", Schema.BigIntFromString, { optional: true })],
    item: Schema.BigIntFromString
  })
  class Start extends Context.Service<Start, bigint>()("test/Start") {}
  class Step extends Context.Service<Step, bigint>()("test/Step") {}
  const source = JsonRpcServer.source(typed, (from, to) =>
    Effect.map(Start, (start) => Stream.make(BigInt(from) + (to ?? start)))
  )
  const other = JsonRpcServer.source(ticks, () => Effect.succeed(Stream.map(Stream.fromEffect(Step), Number)))
  expectTypeOf(source).toEqualTypeOf<JsonRpcServer.ServerSource<Start>>()
  expectTypeOf(JsonRpcServer.make(MethodGroup.make(), {}, { subscriptions: [source, other] })).toEqualTypeOf<
    Dispatcher.Dispatcher<Start | Step>
  >()
  expectTypeOf(JsonRpcServer.make(MethodGroup.make(), {})).toEqualTypeOf<Dispatcher.Dispatcher<never>>()
  type Typed = Parameters<typeof JsonRpcServer.source<typeof typed, never>>[1]
  // Items are bigints; a refusal is an error object; a stream cannot fail, because its error would have no recipient.
  expectTypeOf<() => Effect.Effect<Stream.Stream<bigint>, ErrorObject.ErrorObject>>().toExtend<Typed>()
  expectTypeOf<() => Effect.Effect<Stream.Stream<number>>>().not.toExtend<Typed>()
  expectTypeOf<() => Effect.Effect<Stream.Stream<bigint>, string>>().not.toExtend<Typed>()
  expectTypeOf<() => Effect.Effect<Stream.Stream<bigint, ErrorObject.ErrorObject>>>().not.toExtend<Typed>()
})
