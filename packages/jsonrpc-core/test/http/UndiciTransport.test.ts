import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { UndiciTransport } from "@plumbline/jsonrpc-core"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Agent,
  type BalancedPool,
  Client,
  type Dispatcher,
  type EnvHttpProxyAgent,
  interceptors,
  type MockAgent,
  Pool,
  type ProxyAgent,
  type RetryAgent
} from "undici"

import type { Make } from "../support/http/subject.ts"
import * as HttpServer from "../support/httpServer.ts"
import * as HttpSuite from "../support/HttpSuite.ts"
import { suite } from "../support/TransportSuite.ts"

const scoped = <D extends Dispatcher>(make: () => D) =>
  Effect.acquireRelease(Effect.sync(make), (dispatcher) => Effect.promise(() => dispatcher.destroy()))

const make: Make = (options) =>
  Effect.flatMap(
    scoped(() => new Agent()),
    (dispatcher) => UndiciTransport.make({ ...options, dispatcher })
  )

suite("UndiciTransport", ({ handle }) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const dispatcher = yield* scoped(() => new Agent())
      return UndiciTransport.layer({ url: yield* HttpServer.dispatching(handle), dispatcher })
    })
  )
)

HttpSuite.suite("UndiciTransport", make, { unpacks: false, follows: false })

const CALL = { method: "m", params: [] }
const answer = (id: unknown, value: unknown = id) => Response.json({ jsonrpc: "2.0", id, result: value })

describe("a dispatcher", () => {
  it("is any of undici's", () => {
    expectTypeOf<Agent>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<BalancedPool>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<Client>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<Dispatcher>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<Dispatcher.ComposedDispatcher>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<EnvHttpProxyAgent>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<MockAgent>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<Pool>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<ProxyAgent>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<RetryAgent>().toExtend<UndiciTransport.UndiciDispatcher>()
    expectTypeOf<{
      dispatch: (options: { origin: number }) => boolean
    }>().not.toExtend<UndiciTransport.UndiciDispatcher>()
  })

  it.effect("may be one connection, a pool or an agent", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(({ json }) => answer(json.id))
      const { origin } = new URL(url)
      const kinds: ReadonlyArray<() => Dispatcher> = [
        () => new Client(origin),
        () => new Pool(origin),
        () => new Agent()
      ]
      for (const make of kinds) {
        const transport = yield* UndiciTransport.make({ url, dispatcher: yield* scoped(make) })
        assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], () => transport.call(CALL)), [1, 2, 3])
      }
    })
  )

  it.effect("with few connections serves many calls, each with its own answer", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(({ json }) => answer(json.id, json.params))
      const dispatcher = yield* scoped(() => new Pool(new URL(url).origin, { connections: 4 }))
      const transport = yield* UndiciTransport.make({ url, dispatcher })
      const numbers = Array.from({ length: 500 }, (_, index) => [index])
      const results = yield* Effect.forEach(numbers, (params) => transport.call({ method: "m", params }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(results, numbers)
    })
  )

  it.effect("never sends a call that was given up while it waited for a connection", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const release = yield* Deferred.make<void>()
      const methods: Array<string> = []
      const url = yield* HttpServer.responding(async ({ json }) => {
        methods.push(json.method)
        Deferred.doneUnsafe(asked, Effect.void)
        await Effect.runPromise(Deferred.await(release))
        return answer(json.id, json.method)
      })
      const dispatcher = yield* scoped(() => new Pool(new URL(url).origin, { connections: 1 }))
      const transport = yield* UndiciTransport.make({ url, dispatcher, timeout: "5 seconds" })
      const call = (method: string) => transport.call({ method, params: [] })
      const first = yield* Effect.forkChild(call("first"))
      yield* Deferred.await(asked)
      const second = yield* Effect.forkChild(call("second"))
      yield* TestClock.adjust("4 seconds")
      const third = yield* Effect.forkChild(call("third"))
      yield* Fiber.interrupt(second)
      yield* Deferred.succeed(release, undefined)
      assert.strictEqual(yield* Fiber.join(first), "first")
      assert.strictEqual(yield* Fiber.join(third), "third")
      assert.deepStrictEqual(methods, ["first", "third"])
    })
  )

  it.effect("keeps nobody waiting for a connection beyond the timeout", () =>
    Effect.gen(function* () {
      const asked = yield* Deferred.make<void>()
      const url = yield* HttpServer.make(() => Deferred.doneUnsafe(asked, Effect.void))
      const dispatcher = yield* scoped(() => new Pool(new URL(url).origin, { connections: 1 }))
      const patient = yield* UndiciTransport.make({ url, dispatcher, timeout: "1 hour" })
      const hurried = yield* UndiciTransport.make({ url, dispatcher, timeout: "1 second" })
      yield* Effect.forkChild(patient.call(CALL))
      yield* Deferred.await(asked)
      const waiting = yield* Effect.forkChild(Effect.flip(hurried.call(CALL)))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(waiting)).message, "m: no answer within 1s")
    })
  )

  it.effect("that is closed serves no more", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(({ json }) => answer(json.id))
      const dispatcher = yield* scoped(() => new Agent())
      const transport = yield* UndiciTransport.make({ url, dispatcher })
      yield* transport.call(CALL)
      yield* Effect.promise(() => dispatcher.close())
      const failure = yield* Effect.flip(transport.call(CALL))
      assert.match(failure.message, /^m: connection failed \(UND_ERR_(?:CLOSED|DESTROYED)\)$/)
      assert.isFalse(failure.retryable)
    })
  )

  it.effect("that unpacks is asked for compressed answers by a header", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(async ({ json, headers }) => {
        const stream = answer(json.id, headers["accept-encoding"]).body!.pipeThrough(new CompressionStream("gzip"))
        return new Response(stream, { headers: { "content-encoding": "gzip" } })
      })
      const agent = yield* scoped(() => new Agent())
      const transport = yield* UndiciTransport.make({
        url,
        dispatcher: agent.compose(interceptors.decompress()),
        headers: { "accept-encoding": "gzip" }
      })
      assert.strictEqual(yield* transport.call(CALL), "gzip")
    })
  )

  it.effect("that breaks its own rules harms no call but the one", () =>
    Effect.gen(function* () {
      const controller = { abort: () => {} }
      const body = new TextEncoder().encode('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
      const dispatches: ReadonlyArray<UndiciTransport.UndiciDispatcher["dispatch"]> = [
        () => {
          throw new Error("not today")
        },
        (_, handler) => {
          handler.onResponseError(controller, new Error("at once"))
          return false
        },
        (_, handler) => {
          handler.onRequestStart(controller)
          handler.onResponseData(controller, body)
          handler.onResponseEnd(controller)
          handler.onResponseError(controller, new Error("no head"))
          return true
        },
        (_, handler) => {
          handler.onRequestStart(controller)
          handler.onResponseStart(controller, 200, { "retry-after": ["1", "2"] })
          handler.onResponseData(controller, body)
          handler.onResponseEnd(controller)
          handler.onResponseEnd(controller)
          handler.onResponseError(controller, new Error("after the end"))
          return true
        }
      ]
      const outcomes = yield* Effect.forEach(dispatches, (dispatch) =>
        Effect.flatMap(UndiciTransport.make({ url: "http://node.example", dispatcher: { dispatch } }), (transport) =>
          Effect.result(transport.call(CALL))
        )
      )
      assert.deepStrictEqual(
        outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.message)),
        ["m: connection failed", "m: connection failed", "m: connection failed", "0x1"]
      )
    })
  )

  it.effect("is not asked for what is not HTTP", () =>
    Effect.gen(function* () {
      const dispatcher: UndiciTransport.UndiciDispatcher = { dispatch: () => assert.fail("asked") }
      for (const url of ["ws://node.example/", "ftp://node.example/", "data:,x", "/v3"]) {
        const transport = yield* UndiciTransport.make({ url, dispatcher })
        assert.strictEqual((yield* Effect.flip(transport.call(CALL))).message, "m: invalid URL")
      }
    })
  )
})
