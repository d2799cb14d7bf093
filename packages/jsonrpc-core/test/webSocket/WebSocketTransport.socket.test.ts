import { assert, describe, it } from "@effect/vitest"
import { Subscription, type Transport, WebSocketTransport } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Deferred, Duration, Effect, Exit, Fiber, Schema, Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"

import * as RandomJson from "../support/randomJson.ts"
import * as WebSocketServer from "../support/webSocketServer.ts"

const { wire } = Subscription.make("eth", "newHeads", { params: [], item: Schema.Unknown })

const classes = { ws: WebSocket, platform: undefined }

interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** Passes each message of a socket to `handle`, as one request. */
const onRequest = (socket: WebSocket, handle: (request: Request) => void): void =>
  void socket.on("message", (data: Buffer) => handle(JSON.parse(data.toString())))

const result = (id: unknown, value: unknown): string => JSON.stringify({ jsonrpc: "2.0", id, result: value })

const note = (id: unknown, value: unknown): string =>
  JSON.stringify({ jsonrpc: "2.0", method: wire.notification, params: { subscription: id, result: value } })

const call = (transport: Transport.Transport["Service"], method: string, ...params: ReadonlyArray<unknown>) =>
  transport.call({ method, params })

const failureOf = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), (error) => error.message)

for (const [name, webSocket] of Object.entries(classes)) {
  describe(`over a socket (${name})`, () => {
    it.effect("10,000 calls at a time are all answered, each with its own answer", () =>
      Effect.gen(function* () {
        const random = Random.make(7)
        const { sockets, url } = yield* WebSocketServer.make((socket) => {
          let waiting: Array<Request> = []
          onRequest(socket, (request) => {
            waiting.push(request)
            if (waiting.length === 1) {
              setImmediate(() => {
                const ready = RandomJson.shuffled(random, waiting)
                waiting = []
                ready.forEach(({ id, params }) => socket.send(result(id, params[0])))
              })
            }
          })
        })
        const transport = yield* WebSocketTransport.make({ url, webSocket })
        const numbers = Array.from({ length: 10_000 }, (_, index) => index)
        const answers = yield* Effect.forEach(numbers, (n) => call(transport, "echo", n), { concurrency: "unbounded" })
        assert.deepStrictEqual(answers, numbers)
        assert.strictEqual(sockets.size, 1)
      })
    )

    it.effect("calls fail when it breaks, and subscriptions go on after it", () =>
      Effect.gen(function* () {
        const requests: Array<string> = []
        const { sockets, url } = yield* WebSocketServer.make((socket) =>
          onRequest(socket, ({ id, method }) => {
            requests.push(method)
            if (method === wire.subscribe) {
              // Some servers send a notification before the answer with the subscription's id.
              socket.send(note("0x1", requests.length))
              socket.send(result(id, "0x1"))
            }
          })
        )
        const transport = yield* WebSocketTransport.make({ url, webSocket, backoff: { jitter: 0 } })
        const seen: Array<Subscription.SubscriptionEvent<unknown>> = []
        const first = yield* Deferred.make<void>()
        const stream = yield* transport.subscribe({ wire, params: [] }).pipe(
          Stream.tap((event) =>
            Effect.andThen(
              Effect.sync(() => seen.push(event)),
              Deferred.succeed(first, undefined)
            )
          ),
          Stream.take(3),
          Stream.runDrain,
          Effect.forkChild
        )
        yield* Deferred.await(first)
        const pending = yield* Effect.forkChild(failureOf(call(transport, "hang")))
        yield* TestClock.adjust(0)
        sockets.forEach((socket) => socket.terminate())
        assert.match(yield* Fiber.join(pending), /^hang: connection lost \((?:code 1006|error)\)$/)
        yield* TestClock.adjust("100 millis")
        yield* Fiber.join(stream)
        assert.deepStrictEqual(seen, [
          { _tag: "Item", value: 1 },
          { _tag: "Gap", cause: "reconnected" },
          { _tag: "Item", value: requests.lastIndexOf(wire.subscribe) + 1 }
        ])
      })
    )

    it.effect("a refused connection is told by its code where the platform tells it", () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(WebSocketServer.make(() => {}))
        const transport = yield* WebSocketTransport.make({ url, webSocket })
        const known = name === "ws" ? " (ECONNREFUSED)" : ""
        assert.strictEqual(yield* failureOf(call(transport, "m")), `m: connection failed${known}`)
      })
    )

    it.effect("a refused handshake is told by its status and the server's words where the platform tells them", () =>
      Effect.gen(function* () {
        const { url } = yield* WebSocketServer.make(() => {}, { verifyClient: (_, done) => done(false, 401, "no key") })
        const transport = yield* WebSocketTransport.make({ url, webSocket })
        const error = yield* Effect.flip(call(transport, "m"))
        assert.strictEqual(error.message, name === "ws" ? "m: HTTP status 401: no key" : "m: connection failed")
        assert.strictEqual(error.retryable, name !== "ws")
      })
    )

    it.effect("binary messages are read as text, and a peer's ping is answered", () =>
      Effect.gen(function* () {
        const { url } = yield* WebSocketServer.make((socket) => {
          onRequest(socket, ({ id }) => {
            socket.ping()
            socket.once("pong", () => socket.send(Buffer.from(result(id, "漢字"))))
          })
        })
        const transport = yield* WebSocketTransport.make({ url, webSocket })
        assert.strictEqual(yield* call(transport, "m"), "漢字")
      })
    )

    it.effect("an answer that is too large is not read", () =>
      Effect.gen(function* () {
        const { url } = yield* WebSocketServer.make((socket) =>
          onRequest(socket, ({ id, params }) => socket.send(result(id, "x".repeat(Number(params[0])))))
        )
        const transport = yield* WebSocketTransport.make({ url, webSocket, maxBytes: 10_000 })
        assert.lengthOf(String(yield* call(transport, "m", 9000)), 9000)
        const error = yield* Effect.flip(call(transport, "m", 20_000))
        assert.strictEqual(error.message, "m: the answer is larger than 10000 bytes")
        assert.isFalse(error.retryable)
      })
    )

    it.effect("the scope's end closes it as the protocol has it", () =>
      Effect.gen(function* () {
        const closed = yield* Deferred.make<number>()
        const { url } = yield* WebSocketServer.make((socket) => {
          socket.on("close", (code) => Deferred.doneUnsafe(closed, Effect.succeed(code)))
          onRequest(socket, ({ id }) => socket.send(result(id, null)))
        })
        const scope = yield* Scope.make()
        const transport = yield* Effect.provideService(WebSocketTransport.make({ url, webSocket }), Scope.Scope, scope)
        yield* call(transport, "m")
        yield* Scope.close(scope, Exit.void)
        assert.strictEqual(yield* Deferred.await(closed), 1000)
      })
    )

    it.effect("a peer that went silent is found out, and one that is only quiet is not", () =>
      Effect.gen(function* () {
        let isSilent = false
        const { url } = yield* WebSocketServer.make(
          (socket) => {
            socket.on("ping", (data) => isSilent || socket.pong(data))
            onRequest(socket, ({ id, method }) => isSilent || method === "hang" || socket.send(result(id, method)))
          },
          { autoPong: false }
        )
        const transport = yield* WebSocketTransport.make({ url, webSocket, timeout: "1 day" })
        const fiber = yield* Effect.forkChild(failureOf(call(transport, "hang")))
        assert.strictEqual(yield* call(transport, "echo"), "echo")
        yield* TestClock.adjust("10 seconds")
        for (let round = 0; round < 3; round++) {
          yield* TestClock.adjust("20 seconds")
          // The answer to this call comes after the answer to the ping.
          assert.strictEqual(yield* call(transport, "echo"), "echo")
          yield* TestClock.adjust("10 seconds")
        }
        assert.isUndefined(fiber.pollUnsafe())
        isSilent = true
        yield* TestClock.adjust("40 seconds")
        assert.strictEqual(yield* Fiber.join(fiber), "hang: connection lost (no sign of life)")
      })
    )
  })
}

describe("over a socket of ws", () => {
  it.effect("headers and Basic authentication reach the server", () =>
    Effect.gen(function* () {
      const { url } = yield* WebSocketServer.make((socket, { headers }) =>
        onRequest(socket, ({ id }) =>
          socket.send(result(id, [headers.authorization, headers["x-key"], socket.protocol]))
        )
      )
      const transport = yield* WebSocketTransport.make({
        url: url.replace("ws://", "ws://:hunter2@"),
        headers: { "x-key": "k" },
        protocols: ["jsonrpc"],
        webSocket: WebSocket
      })
      assert.deepStrictEqual(yield* call(transport, "m"), [
        `Basic ${Buffer.from(":hunter2").toString("base64")}`,
        "k",
        "jsonrpc"
      ])
    })
  )

  it.effect("a handshake that is refused for a while says for how long", () =>
    Effect.gen(function* () {
      const { url } = yield* WebSocketServer.make(() => {}, {
        verifyClient: (_, done) => done(false, 429, "slow down", { "retry-after": "7" })
      })
      const transport = yield* WebSocketTransport.make({ url, webSocket: WebSocket })
      const error = yield* Effect.flip(call(transport, "m"))
      assert.strictEqual(error.message, "m: HTTP status 429: slow down")
      assert.deepStrictEqual(error.retryAfter, Duration.seconds(7))
    })
  )

  it.effect("a server that floods a slow reader is made to wait, and nothing is lost", () =>
    Effect.gen(function* () {
      const COUNT = 20_000
      const padding = "x".repeat(1000)
      let peak = 0
      const { url } = yield* WebSocketServer.make((socket) =>
        onRequest(socket, ({ id, method }) => {
          if (method === wire.subscribe) {
            socket.send(result(id, "0x1"))
            for (let n = 0; n < COUNT; n++) {
              socket.send(note("0x1", [n, padding]))
            }
            peak = socket.bufferedAmount
          }
        })
      )
      const transport = yield* WebSocketTransport.make({ url, webSocket: WebSocket, buffer: 512, overflow: "wait" })
      let next = 0
      let most = 0
      yield* transport.subscribe({ wire, params: [] }).pipe(
        Stream.take(COUNT),
        Stream.chunks,
        Stream.runForEach((events) =>
          Effect.gen(function* () {
            most = Math.max(most, events.length)
            for (const event of events) {
              assert(event._tag === "Item")
              assert.deepStrictEqual(event.value, [next++, padding])
            }
            // The reader waits for a turn of the event loop, so that it is slower than the server.
            yield* Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
          })
        )
      )
      assert.strictEqual(next, COUNT)
      assert.isAtMost(most, 512)
      assert.isAbove(peak, 1024 * 1024)
    })
  )

  it.effect("a flood of answers that nobody asked for is ignored", () =>
    Effect.gen(function* () {
      const { url } = yield* WebSocketServer.make((socket) =>
        onRequest(socket, ({ id, params }) => {
          for (let n = 1; n <= 50_000; n++) {
            socket.send(result(n + 1_000_000, "x"))
          }
          socket.send(result(id, params[0]))
        })
      )
      const transport = yield* WebSocketTransport.make({ url, webSocket: WebSocket })
      assert.strictEqual(yield* call(transport, "echo", "here"), "here")
      assert.strictEqual(yield* call(transport, "echo", "again"), "again")
    })
  )
})
