/** The end of the service: what is under way is finished, what is new is turned away, nothing waits for ever. */
import * as http from "node:http"
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

import * as Service from "./Service.ts"

const BODY = Service.call("eth_chainId")
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const result = new TextEncoder().encode('"0x1"')

/** A service whose node answers when it is let, in a scope of its own. */
const started = Effect.gen(function* () {
  const open = yield* Deferred.make<Uint8Array>()
  const begun = yield* Deferred.make<void>()
  const secondBegun = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const scope = yield* Scope.make()
  const service = yield* Service.start({
    call: () =>
      Effect.flatMap(Deferred.succeed(begun, undefined), (isFirst) =>
        isFirst ? Effect.void : Deferred.succeed(secondBegun, undefined)
      ).pipe(
        Effect.andThen(Deferred.await(open)),
        Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
      )
  }).pipe(Scope.provide(scope))
  return {
    service,
    begun: Deferred.await(begun),
    secondBegun: Deferred.await(secondBegun),
    interrupted: Deferred.await(interrupted),
    answer: Deferred.succeed(open, result),
    close: Scope.close(scope, Exit.void)
  }
})

const refused = (service: { readonly port: number }) =>
  Service.ask(service, { body: BODY }).pipe(
    Effect.sandbox,
    Effect.flip,
    Effect.map((cause) => String(cause)),
    Effect.map((text) => text.includes("ECONNREFUSED"))
  )

/** Waits until the service does not take connections any more. */
const closing = (service: { readonly port: number }) => Effect.repeat(refused(service), { until: (is) => is })

describe("a service that ends", () => {
  it.live("finishes what is under way, and takes nothing new", () =>
    Effect.gen(function* () {
      const { answer, begun, close, service } = yield* started
      const first = yield* Effect.forkChild(Service.ask(service, { body: BODY }))
      yield* begun
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      yield* answer
      const { body, headers, status } = yield* Fiber.join(first)
      assert.deepStrictEqual([status, body, headers.connection], [200, RESULT, "close"])
      yield* Fiber.join(end)
    })
  )

  it.live("answers a request on a connection in use, and closes it", () =>
    Effect.gen(function* () {
      const { answer, begun, close, service } = yield* started
      const first = yield* Effect.forkChild(
        // Two requests, the second of them sent before the first is answered.
        Service.raw(service, ...Array.from({ length: 2 }, () => post(BODY)))
      )
      yield* begun
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      yield* answer
      const answers = yield* Fiber.join(first)
      assert.match(answers, /^HTTP\/1\.1 200 OK\r\n.*connection: close/su)
      yield* Fiber.join(end)
    })
  )

  it.live("closes connections that are not in use", () =>
    Effect.gen(function* () {
      const { answer, close, service } = yield* started
      yield* answer
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      yield* Service.ask(service, { body: BODY, agent })
      const silent = yield* Effect.forkChild(Service.raw(service))
      const socket = yield* Service.connected(service).pipe(Effect.provideService(Scope.Scope, yield* Scope.make()))
      // No timeout is needed for any of them.
      yield* close
      assert.strictEqual(yield* Fiber.join(silent), "")
      assert.deepStrictEqual(yield* Effect.promise(() => socket.closed), { code: 1001, reason: "going away" })
      agent.destroy()
    })
  )

  it.live("closes WebSockets with 1001 behind their last answer", () =>
    Effect.gen(function* () {
      const { answer, begun, close, service } = yield* started
      const client = yield* Service.connected(service)
      client.socket.send(BODY)
      yield* begun
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      client.socket.send(Service.call("eth_chainId", [], "too late"))
      yield* answer
      assert.strictEqual(yield* Effect.promise(() => client.next()), RESULT)
      assert.deepStrictEqual(yield* Effect.promise(() => client.closed), { code: 1001, reason: "going away" })
      yield* Fiber.join(end)
    }).pipe(Effect.scoped)
  )

  it.live("turns away what comes on connections that were already open, or serves it and closes them", () =>
    Effect.gen(function* () {
      const { answer, begun, close, service } = yield* started
      // The service has to wait for these: each has begun a request.
      const upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
      const requests = [
        post(BODY),
        "GET /health HTTP/1.1\r\nhost: x\r\n\r\n",
        `GET /ws/v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\n${upgrade}sec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`
      ]
      const conversations = requests.map((text) => twice(service, text.slice(0, 20), text.slice(20)))
      // Behind two answers on another connection the service has read what was sent before.
      yield* Service.ask(service, { path: "/health", method: "GET" })
      yield* Service.ask(service, { path: "/health", method: "GET" })
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      for (const { goOn } of conversations) goOn()
      yield* begun
      yield* answer
      const [call, health, socket] = yield* Effect.promise(() => Promise.all(conversations.map(({ heard }) => heard)))
      assert.match(call!, /^HTTP\/1\.1 200 .*connection: close.*"result":"0x1"\}$/su)
      assert.match(health!, /^HTTP\/1\.1 503 .*connection: close.*\{"status":"draining"/su)
      assert.match(socket!, /^HTTP\/1\.1 503 .*connection: close.*\r\n\r\nservice unavailable\n$/su)
      yield* Fiber.join(end)
    })
  )

  it.effect("gives up after its time what is still under way, and says so", () =>
    Effect.gen(function* () {
      const { begun, close, interrupted, secondBegun, service } = yield* started
      const first = yield* Effect.forkChild(Service.ask(service, { body: BODY }))
      yield* begun
      const client = yield* Service.connected(service)
      client.socket.send(BODY)
      yield* secondBegun
      const half = yield* Effect.forkChild(Service.raw(service, post(BODY).slice(0, -5)))
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      yield* TestClock.adjust("10 seconds")
      const { body, headers, status } = yield* Fiber.join(first)
      assert.deepStrictEqual([status, body, headers.connection], [503, "service unavailable\n", "close"])
      yield* Fiber.join(end)
      yield* interrupted
      assert.deepStrictEqual(yield* Effect.promise(() => client.closed), { code: 1001, reason: "going away" })
      yield* Fiber.join(half)
    }).pipe(Effect.scoped)
  )

  it.live("leaves its port free", () =>
    Effect.gen(function* () {
      const { close, service } = yield* started
      yield* close
      const again = yield* Service.start({ call: () => Effect.succeed(result) }, { port: service.port })
      assert.strictEqual(again.port, service.port)
      assert.strictEqual((yield* Service.ask(again, { body: BODY })).body, RESULT)
    }).pipe(Effect.scoped)
  )
})

/** Sends the beginning now and the rest when told; hears all until the connection ends. */
const twice = (service: { readonly port: number }, first: string, rest: string) => {
  const socket = net.connect(service.port, "127.0.0.1")
  let text = ""
  socket.setEncoding("latin1")
  socket.on("data", (chunk: string) => {
    text += chunk
  })
  socket.on("error", () => undefined)
  socket.write(first)
  return {
    goOn: () => socket.write(rest),
    heard: new Promise<string>((resolve) => socket.once("close", () => resolve(text)))
  }
}

const post = (body: string) =>
  `POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
