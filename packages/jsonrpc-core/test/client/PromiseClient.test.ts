import { getEventListeners } from "node:events"

import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import {
  JsonRpcError,
  Method,
  MethodGroup,
  PromiseClient,
  Subscription,
  Subscriptions,
  Transport,
  UndiciTransport
} from "@plumbline/jsonrpc-core"
import { Context, Effect, Exit, Layer, Queue, Redacted, Schema, Scope, Stream } from "effect"
import { Agent } from "undici"
import type { WebSocket } from "ws"

import * as Contract from "../support/contract.ts"
import * as HttpServer from "../support/httpServer.ts"
import * as WebSocketServer from "../support/webSocketServer.ts"

type OnTestFinished = { readonly onTestFinished: (done: () => Promise<void>) => void }

/** Acquires a resource until the end of the test. */
const during = async <A>({ onTestFinished }: OnTestFinished, acquire: Effect.Effect<A, never, Scope.Scope>) => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(Scope.provide(acquire, scope))
}

/** Makes a promise and the function that resolves it. */
const signalled = () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { promise, resolve }
}

const failureOf = async (promise: Promise<unknown>): Promise<JsonRpcError.JsonRpcError> => {
  const error: unknown = await promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )
  assert.instanceOf(error, JsonRpcError.JsonRpcError)
  return error
}

const ticks = Subscription.make("eth", "ticks", {
  params: [Method.param("from", Schema.NumberFromString)],
  item: Schema.NumberFromString
})
const beats = Subscription.make("eth", "beats", { params: [], item: Schema.String })

/** A node that sends counting notifications in geth's form to each subscriber, and records its requests. */
const counting = (context: OnTestFinished) => {
  const asked: Array<string> = []
  const left = signalled()
  const given = signalled()
  const answer = (socket: WebSocket, id: unknown, result: unknown): void =>
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, result }))
  return during(
    context,
    WebSocketServer.make((socket) => {
      socket.on("close", () => left.resolve())
      socket.on("message", (data: Buffer) => {
        const { id, method, params } = JSON.parse(data.toString())
        asked.push([method, ...params].join(" "))
        if (method === "eth_unsubscribe") {
          answer(socket, id, true)
          given.resolve()
        } else if (method === "eth_subscribe" && params[0] === "ticks") {
          answer(socket, id, "0xa")
          for (let n = Number(params[1]); n < Number(params[1]) + 3; n++) {
            const params = { subscription: "0xa", result: String(n) }
            socket.send(JSON.stringify({ jsonrpc: "2.0", method: "eth_subscription", params }))
          }
        } else if (method === "eth_subscribe") {
          const error = { code: -32601, message: `no "${params[0]}" subscription in eth namespace` }
          socket.send(JSON.stringify({ jsonrpc: "2.0", id, error }))
        } else if (method !== "eth_never") {
          answer(socket, id, params)
        }
      })
    })
  ).then(({ url }) => ({ url, asked, left: left.promise, given: given.promise }))
}

/** A transport whose subscriptions give the events in a queue. */
const scripted = (events: Queue.Dequeue<Subscription.SubscriptionEvent<unknown>>) => {
  const count = { begun: 0, ended: 0 }
  const transport = Transport.Transport.of({
    call: ({ params }) => (params[0] === "never" ? Effect.never : Effect.succeed(params)),
    callAll: () => Effect.never
  })
  const subscriptions = Subscriptions.Subscriptions.of({
    subscribe: () =>
      Stream.suspend(() => {
        count.begun++
        return Stream.ensuring(
          Stream.fromQueue(events),
          Effect.sync(() => {
            count.ended++
          })
        )
      })
  })
  const services = Context.make(Transport.Transport, transport).pipe(
    Context.add(Subscriptions.Subscriptions, subscriptions)
  )
  return { count, layer: Layer.succeedContext(services) }
}

const item = <A>(value: A) => ({ _tag: "Item", value }) as const

describe("a client", () => {
  for (const [name, serve] of Object.entries({
    "over HTTP": (handle: ReturnType<typeof Contract.makeServer>["handle"]) => HttpServer.dispatching(handle),
    "over a WebSocket": (handle: ReturnType<typeof Contract.makeServer>["handle"]) =>
      Effect.map(WebSocketServer.dispatching(handle), ({ url }) => url)
  })) {
    it(`${name} has the methods of its group`, async (context) => {
      const url = await during(context, serve(Contract.makeServer().handle))
      await using client = PromiseClient.create({ url: Redacted.make(url), group: Contract.group })
      const { subtract, describe } = client.methods
      assert.strictEqual(await client.methods.ping(), "pong")
      assert.strictEqual(await subtract(42, 23), 19)
      assert.deepStrictEqual(await Promise.all([describe("a"), describe("a", undefined, 3)]), [
        "a, nothing, nothing",
        "a, nothing, 3"
      ])
    })

    it(`${name} rejects with the error itself`, async (context) => {
      const url = await during(context, serve(Contract.makeServer().handle))
      await using client = PromiseClient.create({ url, group: Contract.group, stack: { retry: false } })
      const failed = await failureOf(client.methods.fail())
      assert.strictEqual(failed.message, "fail: limit exceeded (code -32005)")
      assert.isTrue(failed.retryable)
      const misused = await failureOf(client.methods.subtract("1" as never, 2))
      assert.strictEqual(misused.reason._tag, "EncodeError")
      const unknown = await failureOf(client.call("nope"))
      assert.strictEqual(unknown.message, "nope: the method nope does not exist/is not available (code -32601)")
    })

    it(`${name} calls by name, one or several`, async (context) => {
      const url = await during(context, serve(Contract.makeServer().handle))
      await using client = PromiseClient.create({ url, stack: false })
      assert.deepStrictEqual(client.methods, {})
      assert.strictEqual(await client.call("ping"), "pong")
      assert.strictEqual(await client.call("subtract", [42, 23]), 19)
      const [first, second, third] = await client.callAll([
        { method: "echo", params: [null] },
        { method: "nope", params: [] },
        { method: "echo", params: [1n] }
      ])
      assert.deepStrictEqual(first, { status: "fulfilled", value: null })
      assert(second?.status === "rejected" && third?.status === "rejected")
      assert.strictEqual(second.reason.reason._tag, "RemoteError")
      assert.strictEqual(third.reason.message, "echo: params: not JSON")
      assert.deepStrictEqual(await client.callAll([]), [])
    })
  }

  it("has a transport of one's own", async (context) => {
    const url = await during(context, HttpServer.dispatching(Contract.makeServer().handle))
    await using dispatcher = { agent: new Agent(), [Symbol.asyncDispose]: () => dispatcher.agent.destroy() }
    await using client = PromiseClient.create({
      transport: UndiciTransport.layer({ url, dispatcher: dispatcher.agent }),
      group: Contract.group
    })
    assert.strictEqual(await client.methods.ping(), "pong")
  })

  it("tries again what may succeed later, unless it is told not to", async (context) => {
    let requests = 0
    const url = await during(
      context,
      HttpServer.responding(({ json }) =>
        ++requests % 2 === 1
          ? new Response("", { status: 503 })
          : Response.json({ jsonrpc: "2.0", id: json.id, result: "later" })
      )
    )
    await using patient = PromiseClient.create({ url, stack: { retry: { initial: "1 millis" } } })
    assert.strictEqual(await patient.call("m"), "later")
    await using bare = PromiseClient.create({ url, stack: false })
    assert.strictEqual((await failureOf(bare.call("m"))).message, "m: HTTP status 503")
    assert.strictEqual(requests, 3)
  })

  it("sends nothing again that must not be done twice", async (context) => {
    const asked: Array<string> = []
    const url = await during(
      context,
      HttpServer.responding(({ json }) => {
        asked.push(json.method)
        return new Response("", { status: 503 })
      })
    )
    const group = MethodGroup.make(Method.make("spend", { params: [], result: Schema.Null, idempotent: false }))
    const stack = { retry: { times: 1, initial: "1 millis" }, circuitBreaker: false } as const
    await using client = PromiseClient.create({ url, group, stack })
    await failureOf(client.methods.spend())
    await failureOf(client.call("spend"))
    await failureOf(client.call("give", [], { idempotent: false }))
    await client.callAll([{ method: "spend", params: [] }])
    await client.callAll([{ method: "give", params: [], idempotent: false }])
    assert.deepStrictEqual(asked, ["spend", "spend", "give", "spend", "give"])
    await failureOf(client.call("read"))
    await client.callAll([{ method: "read", params: [] }])
    await client.callAll([{ method: "spend", params: [], idempotent: true }])
    assert.deepStrictEqual(asked.slice(5), ["read", "read", "read", "read", "spend", "spend"])
  })

  it("waits no longer than its timeout", async (context) => {
    const url = await during(
      context,
      HttpServer.make(() => {})
    )
    await using client = PromiseClient.create({ url, timeout: "20 millis", stack: { retry: false } })
    assert.strictEqual((await failureOf(client.call("m"))).message, "m: no answer within 20ms")
  })

  it("says in its types what it gives and takes", () => {
    const client = PromiseClient.create({ url: "http://node.example", group: Contract.group })
    expectTypeOf(client.methods.ping).toEqualTypeOf<() => Promise<string>>()
    expectTypeOf(client.methods.subtract).toEqualTypeOf<(minuend: number, subtrahend: number) => Promise<number>>()
    expectTypeOf(client.until).toEqualTypeOf<(signal: AbortSignal) => typeof client.methods>()
    expectTypeOf(client.call).returns.resolves.toBeUnknown()
    // @ts-expect-error There is no such method.
    assert.isUndefined(client.methods.nope)

    const events = client.subscribe(ticks, [7])
    expectTypeOf(events).toEqualTypeOf<AsyncIterable<Subscription.SubscriptionEvent<number>>>()
    expectTypeOf(client.subscribe(beats)).toEqualTypeOf<AsyncIterable<Subscription.SubscriptionEvent<string>>>()
    expectTypeOf(client.subscribe({ wire: ticks.wire, params: [] })).toEqualTypeOf<
      AsyncIterable<Subscription.SubscriptionEvent<unknown>>
    >()
    // @ts-expect-error This subscription has a parameter.
    client.subscribe(ticks)
    // @ts-expect-error The parameter is a number.
    client.subscribe(ticks, ["7"])
    // @ts-expect-error A node is needed.
    PromiseClient.create({ group: Contract.group })

    const plain = PromiseClient.create({ url: "http://node.example" })
    expectTypeOf<keyof typeof plain.methods>().toBeNever()
  })
})

describe("a signal", () => {
  it("that is aborted before sends nothing", async (context) => {
    const url = await during(
      context,
      HttpServer.make(() => assert.fail("sent"))
    )
    await using client = PromiseClient.create({ url, group: Contract.group })
    const reason = new Error("enough")
    const signal = AbortSignal.abort(reason)
    for (const call of [
      () => client.call("m", [], { signal }),
      () => client.callAll([{ method: "m", params: [] }], { signal }),
      () => client.until(signal).ping()
    ]) {
      assert.strictEqual(await call().catch((error: unknown) => error), reason)
    }
  })

  it("that is aborted later rejects with its reason and aborts the request", async (context) => {
    const asked = signalled()
    const gone = signalled()
    const url = await during(
      context,
      HttpServer.make((_, response) => {
        asked.resolve()
        response.once("close", gone.resolve)
      })
    )
    await using client = PromiseClient.create({ url })
    const controller = new AbortController()
    const call = client.call("m", [], { signal: controller.signal })
    await asked.promise
    controller.abort()
    const error: unknown = await call.catch((error: unknown) => error)
    assert.strictEqual(error, controller.signal.reason)
    assert.propertyVal(error, "name", "AbortError")
    await gone.promise
  })

  it("may be a timeout", async (context) => {
    const url = await during(
      context,
      HttpServer.make(() => {})
    )
    await using client = PromiseClient.create({ url, group: Contract.group })
    const error: unknown = await client
      .until(AbortSignal.timeout(20))
      .ping()
      .catch((error: unknown) => error)
    assert.propertyVal(error, "name", "TimeoutError")
  })

  it("of many calls keeps no trace of those that are over", async (context) => {
    const url = await during(context, HttpServer.dispatching(Contract.makeServer().handle))
    await using client = PromiseClient.create({ url, group: Contract.group, stack: { retry: false } })
    const { signal } = new AbortController()
    await Promise.all([client.until(signal).ping(), client.call("ping", [], { signal })])
    await failureOf(client.until(signal).fail())
    assert.lengthOf(getEventListeners(signal, "abort"), 0)
  })
})

describe("a subscription", () => {
  it("is a loop, and leaving it gives it up", async (context) => {
    const { url, asked, given } = await counting(context)
    await using client = PromiseClient.create({ url })
    const seen: Array<Subscription.SubscriptionEvent<number>> = []
    for await (const event of client.subscribe(ticks, [7])) {
      seen.push(event)
      if (seen.length === 2) {
        break
      }
    }
    assert.deepStrictEqual(seen, [item(7), item(8)])
    await given
    assert.deepStrictEqual(asked, ["eth_subscribe ticks 7", "eth_unsubscribe 0xa"])
  })

  it("in wire form brings what arrived", async (context) => {
    const { url } = await counting(context)
    await using client = PromiseClient.create({ url })
    for await (const event of client.subscribe({ wire: ticks.wire, params: ["7"] })) {
      assert.deepStrictEqual(event, item("7"))
      break
    }
  })

  it("goes beside calls over one connection", async (context) => {
    const { url, asked } = await counting(context)
    await using client = PromiseClient.create({ url })
    for await (const event of client.subscribe(ticks, [1])) {
      assert(event._tag === "Item")
      assert.deepStrictEqual(await client.call("eth_echo", [event.value]), [event.value])
      if (event.value === 3) {
        break
      }
    }
    assert.deepStrictEqual(asked.slice(0, 4), ["eth_subscribe ticks 1", "eth_echo 1", "eth_echo 2", "eth_echo 3"])
  })

  it("that is refused rejects with the server's words", async (context) => {
    const { url } = await counting(context)
    await using client = PromiseClient.create({ url })
    const iterator = client.subscribe(beats)[Symbol.asyncIterator]()
    const failure = await failureOf(iterator.next())
    assert.strictEqual(failure.reason.message, 'no "beats" subscription in eth namespace')
    assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
  })

  it("with wrong arguments or wrong items rejects", async () => {
    const events = Effect.runSync(Queue.unbounded<Subscription.SubscriptionEvent<unknown>>())
    const { layer, count } = scripted(events)
    await using client = PromiseClient.create({ transport: layer })
    const wrong = client.subscribe(ticks, ["7" as never])[Symbol.asyncIterator]()
    assert.strictEqual((await failureOf(wrong.next())).reason._tag, "EncodeError")
    assert.strictEqual(count.begun, 0)
    Queue.offerUnsafe(events, item("1"))
    Queue.offerUnsafe(events, item(2))
    const iterator = client.subscribe(ticks, [7])[Symbol.asyncIterator]()
    assert.deepStrictEqual(await iterator.next(), { done: false, value: item(1) })
    assert.strictEqual((await failureOf(iterator.next())).reason._tag, "DecodeError")
    assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
    assert.deepStrictEqual(count, { begun: 1, ended: 1 })
  })

  it("is not to be had over HTTP, and says so", async (context) => {
    const url = await during(
      context,
      HttpServer.make(() => assert.fail("asked"))
    )
    await using client = PromiseClient.create({ url })
    const failure = await failureOf(client.subscribe(beats)[Symbol.asyncIterator]().next())
    assert.strictEqual(failure.message, "eth_subscribe: this transport carries no subscriptions: give a ws or wss URL")
  })

  it("shows its gaps", async () => {
    const events = Effect.runSync(Queue.unbounded<Subscription.SubscriptionEvent<unknown>>())
    await using client = PromiseClient.create({ transport: scripted(events).layer })
    const gap = { _tag: "Gap", cause: "overflow", missed: 3 } as const
    Queue.offerUnsafe(events, gap)
    const iterator = client.subscribe(ticks, [7])[Symbol.asyncIterator]()
    assert.deepStrictEqual(await iterator.next(), { done: false, value: gap })
  })

  it("answers those who ask at once one after the other", async () => {
    const events = Effect.runSync(Queue.unbounded<Subscription.SubscriptionEvent<unknown>>())
    const { layer, count } = scripted(events)
    await using client = PromiseClient.create({ transport: layer })
    const iterator = client.subscribe(beats)[Symbol.asyncIterator]()
    const asked = Promise.all([iterator.next(), iterator.next(), iterator.next()])
    for (const value of ["a", "b", "c"]) {
      Queue.offerUnsafe(events, item(value))
    }
    assert.deepStrictEqual(
      (await asked).map(({ value }) => value),
      ["a", "b", "c"].map(item)
    )
    assert.strictEqual(count.begun, 1)
  })

  it("ends for all who wait when it is given up", async () => {
    const events = Effect.runSync(Queue.unbounded<Subscription.SubscriptionEvent<unknown>>())
    const { layer, count } = scripted(events)
    await using client = PromiseClient.create({ transport: layer })
    const iterator = client.subscribe(beats)[Symbol.asyncIterator]()
    Queue.offerUnsafe(events, item("a"))
    assert.deepStrictEqual(await iterator.next(), { done: false, value: item("a") })
    const waiting = [iterator.next(), iterator.next(), iterator.next()]
    const done = { done: true, value: undefined } as const
    assert.deepStrictEqual(await iterator.return!(), done)
    assert.deepStrictEqual(await Promise.all(waiting), [done, done, done])
    assert.deepStrictEqual(count, { begun: 1, ended: 1 })
  })

  it("begins with the first question, for each loop anew", async () => {
    const events = Effect.runSync(Queue.unbounded<Subscription.SubscriptionEvent<unknown>>())
    const { layer, count } = scripted(events)
    await using client = PromiseClient.create({ transport: layer })
    const iterable = client.subscribe(beats)
    const [unused, first, second] = Array.from({ length: 3 }, () => iterable[Symbol.asyncIterator]())
    assert.deepStrictEqual(await unused!.return!(), { done: true, value: undefined })
    assert.deepStrictEqual(await unused!.next(), { done: true, value: undefined })
    assert.deepStrictEqual(count, { begun: 0, ended: 0 })
    Queue.offerUnsafe(events, item("a"))
    await first!.next()
    Queue.offerUnsafe(events, item("b"))
    await second!.next()
    assert.deepStrictEqual(count, { begun: 2, ended: 0 })
    await first!.return!()
    await first!.return!()
    assert.deepStrictEqual(count, { begun: 2, ended: 1 })
  })

  it("ends its loop when it ends", async () => {
    const transport = Layer.succeedContext(
      Context.make(Transport.Transport, { call: () => Effect.never, callAll: () => Effect.never }).pipe(
        Context.add(Subscriptions.Subscriptions, { subscribe: () => Stream.make(item("a"), item("b")) })
      )
    )
    await using client = PromiseClient.create({ transport })
    const seen: Array<Subscription.SubscriptionEvent<string>> = []
    for await (const event of client.subscribe(beats)) {
      seen.push(event)
    }
    assert.deepStrictEqual(seen, [item("a"), item("b")])
  })

  it("is given up by a signal, whose reason the loop throws", async () => {
    const events = Effect.runSync(Queue.unbounded<Subscription.SubscriptionEvent<unknown>>())
    const { layer, count } = scripted(events)
    await using client = PromiseClient.create({ transport: layer })
    const controller = new AbortController()
    const { signal } = controller
    const waiting = client.subscribe(beats, [], { signal })[Symbol.asyncIterator]()
    const between = client.subscribe({ wire: beats.wire, params: [] }, { signal })[Symbol.asyncIterator]()
    Queue.offerUnsafe(events, item("a"))
    await between.next()
    const next = waiting.next()
    await Promise.resolve()
    const reason = new Error("enough")
    controller.abort(reason)
    const late = client.subscribe(beats, [], { signal })[Symbol.asyncIterator]()
    for (const [iterator, promise] of [
      [waiting, next],
      [between, between.next()],
      [late, late.next()]
    ] as const) {
      assert.strictEqual(await promise.catch((error: unknown) => error), reason)
      assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
      await iterator.return!()
    }
    assert.strictEqual(count.begun, count.ended)
    assert.lengthOf(getEventListeners(signal, "abort"), 0)
  })
})

describe("the end of a client", () => {
  it("ends its loops, rejects its calls and closes its connection", async (context) => {
    const { url, asked, left } = await counting(context)
    const client = PromiseClient.create({ url, stack: false })
    const iterator = client.subscribe(ticks, [7])[Symbol.asyncIterator]()
    for (const value of [7, 8, 9]) {
      assert.deepStrictEqual(await iterator.next(), { done: false, value: item(value) })
    }
    const waiting = iterator.next()
    const call = failureOf(client.call("eth_never"))
    const batch = client.callAll([{ method: "eth_never", params: [] }])
    while (asked.length < 3) {
      await client.call("eth_echo")
    }
    const closing = client.close()
    assert.strictEqual(client.close(), closing)
    await closing
    assert.deepStrictEqual(await waiting, { done: true, value: undefined })
    const overtaken = await call
    assert.strictEqual(overtaken.message, "eth_never: the client was closed")
    assert.isFalse(overtaken.retryable)
    assert.isFalse(overtaken.notDone)
    const [settled] = await batch
    assert(settled?.status === "rejected")
    assert.strictEqual(settled.reason.message, "eth_never: the client was closed")
    await left
  })

  it("lets nothing begin after it", async (context) => {
    const url = await during(
      context,
      HttpServer.make(() => assert.fail("asked"))
    )
    const client = PromiseClient.create({ url, group: Contract.group })
    await client.close()
    for (const call of [() => client.call("ping"), () => client.methods.ping()]) {
      const failure = await failureOf(call())
      assert.strictEqual(failure.message, "ping: the client is closed")
      assert.isTrue(failure.notDone)
    }
    const [settled] = await client.callAll([{ method: "ping", params: [] }])
    assert(settled?.status === "rejected")
    assert.strictEqual(settled.reason.message, "ping: the client is closed")
    const failure = await failureOf(client.subscribe(beats)[Symbol.asyncIterator]().next())
    assert.strictEqual(failure.message, "eth_subscribe: the client is closed")
  })

  it("comes before its connection stands, too", async (context) => {
    const connecting = signalled()
    const url = await during(
      context,
      HttpServer.make(() => connecting.resolve())
    )
    const client = PromiseClient.create({ url: url.replace("http:", "ws:") })
    const call = failureOf(client.call("m"))
    const next = client.subscribe(beats)[Symbol.asyncIterator]().next()
    await connecting.promise
    await client.close()
    assert.strictEqual((await call).message, "m: the client was closed")
    assert.deepStrictEqual(await next, { done: true, value: undefined })
  })

  it("comes before its transport is there, too, and so does that of a signal", async () => {
    const making = signalled()
    const transport = Layer.effect(
      Transport.Transport,
      Effect.suspend(() => {
        making.resolve()
        return Effect.never
      })
    )
    const client = PromiseClient.create({ transport })
    const call = failureOf(client.call("m"))
    const next = client.subscribe(beats)[Symbol.asyncIterator]().next()
    const controller = new AbortController()
    const until = { signal: controller.signal }
    const given = [client.call("m", [], until), client.subscribe(beats, [], until)[Symbol.asyncIterator]().next()]
    await making.promise
    const reason = new Error("enough")
    controller.abort(reason)
    for (const promise of given) {
      assert.strictEqual(await promise.catch((error: unknown) => error), reason)
    }
    await client.close()
    assert.strictEqual((await call).message, "m: the client was closed")
    assert.deepStrictEqual(await next, { done: true, value: undefined })
  })

  it("aborts a request that is under way over HTTP", async (context) => {
    const asked = signalled()
    const gone = signalled()
    const url = await during(
      context,
      HttpServer.make((_, response) => {
        asked.resolve()
        response.once("close", gone.resolve)
      })
    )
    const client = PromiseClient.create({ url })
    const call = failureOf(client.call("m"))
    await asked.promise
    await client.close()
    assert.strictEqual((await call).message, "m: the client was closed")
    await gone.promise
  })

  it("is the end of its block", async (context) => {
    const { url, left } = await counting(context)
    {
      await using client = PromiseClient.create({ url })
      assert.deepStrictEqual(await client.call("eth_echo", [1]), [1])
    }
    await left
  })
})
