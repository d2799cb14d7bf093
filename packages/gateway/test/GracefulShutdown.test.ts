/** The shutdown of the service: running work is finished, new work is refused, and nothing waits for ever. */
import { once } from "node:events"
import * as http from "node:http"
import * as net from "node:net"

import { assert, describe, it } from "@effect/vitest"
import type { GatewayOptions } from "@plumbline/gateway"
import { Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"

import { Connections } from "../src/http/connections.ts"
import * as Service from "./support/service.ts"

const BODY = Service.call("eth_chainId")
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"0x1"}'
const result = new TextEncoder().encode('"0x1"')

/** Starts a service in a separate scope. Its node answers when the test says so. */
const startedWith = Effect.fnUntraced(function* (
  options: Pick<GatewayOptions.GatewayOptions, "mounts" | "timeouts"> = {}
) {
  const open = yield* Deferred.make<Uint8Array>()
  const begun = yield* Deferred.make<void>()
  const secondBegun = yield* Deferred.make<void>()
  const interrupted = yield* Deferred.make<void>()
  const scope = yield* Scope.make()
  const service = yield* Service.start(
    {
      call: () =>
        Effect.flatMap(Deferred.succeed(begun, undefined), (isFirst) =>
          isFirst ? Effect.void : Deferred.succeed(secondBegun, undefined)
        ).pipe(
          Effect.andThen(Deferred.await(open)),
          Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined))
        )
    },
    options
  ).pipe(Scope.provide(scope))
  return {
    service,
    begun: Deferred.await(begun),
    secondBegun: Deferred.await(secondBegun),
    interrupted: Deferred.await(interrupted),
    answer: Deferred.succeed(open, result),
    close: Scope.close(scope, Exit.void)
  }
})

const started = startedWith()

/** Waits until the service reports its shutdown. */
const draining = (service: { readonly port: number }) =>
  Effect.repeat(Service.ask(service, { path: "/ready", method: "GET" }), { until: ({ status }) => status === 503 })

const refused = (service: { readonly port: number }) =>
  Effect.callback<boolean>((resume) => {
    const socket = net.connect(service.port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      // The listener waits until no connection has come for a while, so the next try is delayed by that time.
      setTimeout(() => resume(Effect.succeed(false)), 150)
    })
    socket.once("error", (error: NodeJS.ErrnoException) => resume(Effect.succeed(error.code === "ECONNREFUSED")))
  })

/** Waits until the service refuses connections. */
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

  it.effect("answers everything during its grace, says that it ends, and then takes nothing new", () =>
    Effect.gen(function* () {
      const { answer, close, service } = yield* startedWith({ timeouts: { grace: "5 seconds" } })
      yield* answer
      const ready = yield* Service.ask(service, { path: "/ready", method: "GET" })
      assert.deepStrictEqual([ready.status, ready.body], [200, '{"status":"ready"}'])
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      const kept = yield* Service.ask(service, { body: BODY, agent })
      assert.strictEqual(kept.headers.connection, "keep-alive")
      const unused = twice(service, "", post(BODY))
      const socket = yield* Service.connected(service)

      const end = yield* Effect.forkChild(close)
      const ending = yield* draining(service)
      assert.strictEqual(JSON.parse(ending.body).status, "draining")
      // Calls are answered on a kept connection, an unused connection, a new connection and an open WebSocket.
      const again = yield* Service.ask(service, { body: BODY, agent })
      assert.deepStrictEqual([again.status, again.body, again.headers.connection], [200, RESULT, "close"])
      unused.goOn()
      assert.match(
        yield* Effect.promise(() => unused.heard),
        /^HTTP\/1\.1 200 .*connection: close.*"result":"0x1"\}$/su
      )
      const fresh = yield* Service.ask(service, { body: BODY })
      assert.deepStrictEqual([fresh.status, fresh.body, fresh.headers.connection], [200, RESULT, "close"])
      socket.socket.send(BODY)
      assert.strictEqual(yield* Effect.promise(() => socket.next()), RESULT)
      // New WebSockets are refused at once, so that they go to another process.
      const refusal = yield* Service.connect(service)
      assert.strictEqual("status" in refusal ? refusal.status : 0, 503)

      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(end)
      assert.deepStrictEqual(yield* Effect.promise(() => socket.closed), { code: 1001, reason: "going away" })
      assert.isTrue(yield* refused(service))
      agent.destroy()
    }).pipe(Effect.scoped)
  )

  it.live("answers all requests of a connection, and says on the last one that it is closed", () =>
    Effect.gen(function* () {
      const { answer, begun, close, service } = yield* started
      const all = yield* Effect.forkChild(Service.raw(service, post(BODY) + post(BODY) + post(BODY)))
      yield* begun
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      yield* answer
      const answers = (yield* Fiber.join(all)).split("HTTP/1.1 ").slice(1)
      assert.deepStrictEqual(
        answers.map((text) => [text.slice(0, 3), /connection: (.*)\r/iu.exec(text)?.[1], text.endsWith(RESULT)]),
        [
          ["200", "keep-alive", true],
          ["200", "keep-alive", true],
          ["200", "close", true]
        ]
      )
      yield* Fiber.join(end)
    })
  )

  it.live("answers what others serve on its listener, and closes the connection behind it", () =>
    Effect.gen(function* () {
      const asked = Promise.withResolvers<http.ServerResponse>()
      const mount = { path: "/admin", handle: (_: unknown, response: http.ServerResponse) => asked.resolve(response) }
      const { close, service } = yield* startedWith({ mounts: [mount] })
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      const first = yield* Effect.forkChild(Service.ask(service, { path: "/admin/x", method: "GET", agent }))
      const response = yield* Effect.promise(() => asked.promise)
      const end = yield* Effect.forkChild(close)
      yield* closing(service)
      response.end("here")
      const { body, headers, status } = yield* Fiber.join(first)
      assert.deepStrictEqual([status, body, headers.connection], [200, "here", "close"])
      yield* Fiber.join(end)
      agent.destroy()
    })
  )

  it.live("processes nothing that comes behind its last word, and reads it, so that the word is not lost", () =>
    Effect.gen(function* () {
      const { answer, begun, close, service } = yield* started
      yield* answer
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      yield* Service.ask(service, { path: "/ready", method: "GET", agent })
      const silent = twice(service, "", post(BODY))
      const end = yield* Effect.forkChild(close)
      // The client sends a request before it has noticed that the service has ended its half of the connection.
      silent.onData(() => silent.goOn())
      const heard = yield* Effect.promise(() => silent.heard)
      assert.match(heard, /^HTTP\/1\.1 408 Request Timeout\r\n.*\r\n\r\nrequest timeout\n$/su)
      yield* Fiber.join(end)
      assert.isFalse(yield* Effect.raceFirst(Effect.as(begun, true), Effect.succeed(false)))
      agent.destroy()
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

  it("accepts a connection whose first bytes the system had it repeat", async () => {
    const server = http.createServer()
    await once(server.listen(0, "127.0.0.1"), "listening")
    const { port } = server.address() as net.AddressInfo
    const connections = new Connections(server, () => 30_000)
    const connect = () => once(net.connect(port, "127.0.0.1"), "connect")
    const { _handle: handle } = server as unknown as { readonly _handle: { listen: (backlog: number) => number } }
    const listen = handle.listen.bind(handle)
    const late = Promise.withResolvers<unknown>()
    const backlogs: Array<number> = []
    handle.listen = (backlog) => {
      backlogs.push(backlog)
      const code = listen(backlog)
      // Two connections come at once while the queue is short. Linux makes the second one try again after 200 ms.
      void connect()
      setTimeout(() => connect().then(late.resolve, late.reject), 200)
      return code
    }
    connections.drain()
    await connections.stop()
    await late.promise
    assert.deepStrictEqual(backlogs, [0])
    connections.destroyAll()
    await connections.closed
  })

  it.live("closes connections that are not in use", () =>
    Effect.gen(function* () {
      const { answer, close, service } = yield* started
      yield* answer
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
      yield* Service.ask(service, { body: BODY, agent })
      const silent = yield* Effect.forkChild(Service.raw(service))
      const socket = yield* Service.connected(service).pipe(Effect.provideService(Scope.Scope, yield* Scope.make()))
      // The service closes all of these connections without waiting for a timeout.
      yield* close
      assert.match(yield* Fiber.join(silent), /^HTTP\/1\.1 408 .*connection: close.*\r\n\r\nrequest timeout\n$/su)
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
      // The service must wait for these connections, because each has begun a request.
      const upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n"
      const requests = [
        post(BODY),
        "GET /health HTTP/1.1\r\nhost: x\r\n\r\n",
        `GET /ws/v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\n${upgrade}sec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`
      ]
      const conversations = requests.map((text) => twice(service, text.slice(0, 20), text.slice(20)))
      // When two requests on another connection are answered, the service has read everything that was sent before.
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

/** Sends the first part at once and the rest on command. Returns everything received until the connection ends. */
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
    onData: (listener: () => void) => socket.once("data", listener),
    heard: new Promise<string>((resolve) => socket.once("close", () => resolve(text)))
  }
}

const post = (body: string) =>
  `POST /v3/${Service.KEY} HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`
