import { EventEmitter } from "node:events"

import { assert, describe, it } from "@effect/vitest"
import { type JsonRpcError, type Subscriptions, type Transport, WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Duration, Effect, Exit, Fiber, type Layer, Random, Redacted, Result, Scope } from "effect"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"

import * as Fake from "../support/fakeWebSocket.ts"

const url = "wss://node.example/v3/key"

/** A transport over fake sockets, without randomness. */
const make = (
  options: Partial<WebSocketTransport.WebSocketTransportOptions> = {},
  fake: Fake.Fake<Fake.FakeWs> = Fake.make()
) =>
  Effect.map(
    WebSocketTransport.make({ url, webSocket: fake.webSocket, backoff: { jitter: 0 }, ...options }),
    (transport) => ({ fake, transport })
  )

/** Starts calls, and runs them until they wait. */
const start = (transport: Transport.Transport["Service"], ...methods: ReadonlyArray<string>) =>
  Effect.tap(
    Effect.forEach(methods, (method) => Effect.forkChild(Effect.result(transport.call({ method, params: [] })))),
    () => Fake.settle
  )

const messageOf = (outcome: Transport.WireOutcome): string =>
  Result.isFailure(outcome) ? outcome.failure.message : JSON.stringify(outcome.success)

const join = (fibers: ReadonlyArray<Fiber.Fiber<Transport.WireOutcome>>) =>
  Effect.map(Fiber.joinAll(fibers), (outcomes) => outcomes.map(messageOf))

const failureOf = (fiber: Fiber.Fiber<Transport.WireOutcome> | undefined) =>
  Effect.map(Fiber.join(fiber!), (outcome): JsonRpcError.JsonRpcError => {
    assert(Result.isFailure(outcome))
    return outcome.failure
  })

const isRunning = (fiber: Fiber.Fiber<unknown>): boolean => fiber.pollUnsafe() === undefined

describe("dialling", () => {
  it.effect("waits for the first call, and happens once for all that come meanwhile", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({
        protocols: "rpc",
        headers: { "x-key": Redacted.make("k"), "Content-Type": "text/plain" },
        maxBytes: 1000
      })
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 0)
      const fibers = yield* start(transport, "a", "b")
      assert.lengthOf(fake.sockets, 1)
      const socket = fake.last()
      assert.strictEqual(socket.url, url)
      assert.deepStrictEqual(socket.protocols, ["rpc"])
      assert.deepStrictEqual(socket.options, { headers: { "x-key": "k" }, maxPayload: 1000 })
      assert.lengthOf(socket.sent, 0)
      socket.open()
      socket.answer(1, "b")
      socket.answer(0, "a")
      assert.deepStrictEqual(yield* join(fibers), ['"a"', '"b"'])
    })
  )

  it.effect("sends a name and password of the URL as Basic authentication", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ url: Redacted.make("wss://:s%C3%A9cret@node.example/v3") })
      yield* start(transport, "a")
      assert.strictEqual(fake.last().url, "wss://node.example/v3")
      assert.strictEqual(
        fake.last().options.headers.authorization,
        `Basic ${Buffer.from(":sécret").toString("base64")}`
      )
    })
  )

  it.effect("that fails, fails all calls that waited for it, and no other", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make()
      const fibers = yield* start(transport, "a", "b")
      fake.last().fail(Object.assign(new Error(`connect ${url}`), { code: "ECONNREFUSED" }))
      fake.last().drop()
      const failed = "connection failed (ECONNREFUSED)"
      assert.deepStrictEqual(yield* join(fibers), [`a: ${failed}`, `b: ${failed}`])
      const next = yield* start(transport, "c")
      yield* TestClock.adjust("100 millis")
      assert.lengthOf(fake.sockets, 2)
      fake.last().open()
      fake.last().answer(0, "c")
      assert.deepStrictEqual(yield* join(next), ['"c"'])
    })
  )

  it.effect("says what is known of the failure, and whether to try again", () =>
    Effect.gen(function* () {
      const response =
        (statusCode: number, headers = {}) =>
        (socket: Fake.FakeWs) =>
          socket.emit("unexpected-response", {}, { statusCode, headers })
      const error = (code?: string) => (socket: Fake.FakeWs) => socket.fail(code && { code })
      const cases: ReadonlyArray<readonly [(socket: Fake.FakeWs) => void, string, boolean, number?]> = [
        [response(401), "HTTP status 401", false, 401],
        [response(403), "HTTP status 403", false, 403],
        [response(404), "HTTP status 404", false, 404],
        [response(429), "HTTP status 429", true, 429],
        [response(500), "HTTP status 500", true, 500],
        [response(503), "HTTP status 503", true, 503],
        [response(302, { location: url }), "redirected: give the final URL", false, 302],
        [error("ENOTFOUND"), "connection failed (ENOTFOUND)", true],
        [error("DEPTH_ZERO_SELF_SIGNED_CERT"), "connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)", false],
        [error(), "connection failed", true],
        [(socket) => socket.drop(), "connection failed", true]
      ]
      for (const [fail, detail, retryable, status] of cases) {
        const { fake, transport } = yield* make()
        const [fiber] = yield* start(transport, "m")
        fail(fake.last())
        const failure = yield* failureOf(fiber)
        assert.strictEqual(failure.message, `m: ${detail}`)
        assert.strictEqual(failure.retryable, retryable)
        // Nothing was sent.
        assert.isTrue(failure.notDone)
        assert.strictEqual(failure.reason._tag === "TransportError" ? failure.reason.status : 0, status)
        assert.strictEqual(fake.last().ended, "terminated")
      }
    })
  )

  it.effect("says what the server said with its refusal, whatever becomes of the body", () =>
    Effect.gen(function* () {
      const utf8 = (text: string) => new TextEncoder().encode(text)
      const cases: ReadonlyArray<
        readonly [pieces: ReadonlyArray<Uint8Array>, end: "end" | "close" | "error" | "never", said: string]
      > = [
        [[utf8("invalid project id\n")], "end", ": invalid project id"],
        [[utf8("pro"), utf8("jekt \u00fc").subarray(0, 6), utf8("\u00fc").subarray(1)], "end", ": projekt \u00fc"],
        [[utf8('{"error":{"message":"no such key"}}')], "end", ": no such key"],
        [[utf8("dial http://10.0.0.1/others-key: refused")], "end", ": dial <url> refused"],
        [[], "end", ""],
        [[utf8("<!doctype html><p>nginx")], "end", ""],
        [[Uint8Array.of(0xff)], "end", ""],
        [[utf8("half a sen")], "close", ""],
        [[utf8("half a sen")], "error", ""],
        [[utf8("half a sen")], "never", ""],
        [Array.from({ length: 40 }, () => new Uint8Array(1024).fill(0x61)), "never", ""]
      ]
      for (const [pieces, end, said] of cases) {
        const { fake, transport } = yield* make({ connectTimeout: "1 second" })
        const [fiber] = yield* start(transport, "m")
        const body = new EventEmitter()
        yield* TestClock.adjust("500 millis")
        fake
          .last()
          .emit("unexpected-response", {}, Object.assign(body, { statusCode: 503, headers: { "retry-after": "2" } }))
        for (const piece of pieces) body.emit("data", piece)
        if (end === "never") yield* TestClock.adjust("1 second")
        else body.emit(end, end === "error" ? new Error("ECONNRESET") : undefined)
        const failure = yield* failureOf(fiber)
        assert.strictEqual(failure.message, `m: HTTP status 503${said}`)
        assert(failure.reason._tag === "TransportError")
        assert.deepStrictEqual([failure.reason.status, failure.retryable], [503, true])
        assert.deepStrictEqual(failure.retryAfter, Duration.seconds(2))
        assert.strictEqual(fake.last().ended, "terminated")
      }
    })
  )

  it.effect("takes no longer than it may", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ connectTimeout: "3 seconds" })
      const fibers = yield* start(transport, "a")
      yield* TestClock.adjust("2999 millis")
      assert.isTrue(isRunning(fibers[0]!))
      yield* TestClock.adjust("1 millis")
      const failure = yield* failureOf(fibers[0])
      assert.strictEqual(failure.message, "a: no connection within 3s")
      assert.isTrue(failure.retryable)
      assert.strictEqual(fake.last().ended, "terminated")
      fake.last().open()
      assert.lengthOf(fake.last().sent, 0)
    })
  )

  it.effect("is refused where it cannot be", () =>
    Effect.gen(function* () {
      const plain = Fake.make(Fake.FakeSocket)
      const noHeaders = "this platform's WebSocket sends no headers and no password"
      const throwing = class extends Fake.FakeWs {
        constructor(url: string) {
          super(url)
          throw new SyntaxError(`invalid: ${url}`)
        }
      }
      const cases: ReadonlyArray<readonly [Partial<WebSocketTransport.WebSocketTransportOptions>, string]> = [
        [{ webSocket: plain.webSocket, headers: { "x-key": "k" } }, noHeaders],
        [{ webSocket: plain.webSocket, url: "wss://:secret@node.example/" }, noHeaders],
        [{ webSocket: throwing }, "invalid URL or subprotocol"],
        [{ headers: { "x-key": "a\nb" } }, "invalid headers"],
        [{ url: "wss://%ff:@node.example/" }, "invalid URL"]
      ]
      for (const [options, detail] of cases) {
        const { transport } = yield* make(options)
        const [fiber] = yield* start(transport, "m")
        const failure = yield* failureOf(fiber)
        assert.strictEqual(failure.message, `m: ${detail}`)
        assert.isFalse(failure.retryable)
      }
      assert.lengthOf(plain.sockets, 0)
    })
  )

  it("fits the sockets of browsers and of ws", () => {
    const classes: ReadonlyArray<WebSocketTransport.WebSocketClass> = [WebSocket, globalThis.WebSocket]
    assert.lengthOf(classes, 2)
  })
})

describe("a lost connection", () => {
  it.effect("fails the calls under way, and is made anew for the next call", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({}, Fake.make(Fake.FakeWs, Fake.opening))
      const fibers = yield* start(transport, "a", "b")
      fake.last().drop(1012)
      const lost = "connection lost (code 1012)"
      assert.deepStrictEqual(yield* join(fibers), [`a: ${lost}`, `b: ${lost}`])
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 1)
      const next = yield* start(transport, "c")
      assert.lengthOf(fake.sockets, 2)
      fake.last().answer(0, "c")
      assert.deepStrictEqual(yield* join(next), ['"c"'])
      const failure = yield* Effect.flatMap(start(transport, "d"), ([fiber]) => {
        fake.last().fail({ code: "ECONNRESET" })
        return failureOf(fiber)
      })
      assert.strictEqual(failure.message, "d: connection lost (error)")
      assert.isTrue(failure.retryable)
      assert.isFalse(failure.notDone)
    })
  )

  it.effect("says so when the platform refused a message for its size", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ maxBytes: 5000 }, Fake.make(Fake.FakeWs, Fake.opening))
      const [fiber] = yield* start(transport, "a")
      fake.last().fail({ code: "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH" })
      const failure = yield* failureOf(fiber)
      assert.strictEqual(failure.message, "a: the answer is larger than 5000 bytes")
      assert.isFalse(failure.retryable)
      assert.strictEqual(fake.last().ended, "terminated")
    })
  )

  it.effect("is given up by us when what comes over it is not JSON-RPC", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({}, Fake.make(Fake.FakeWs, Fake.opening))
      const fibers = yield* start(transport, "a", "b")
      fake.last().text("<html>")
      const broken = "the answer is HTML, not JSON"
      assert.deepStrictEqual(yield* join(fibers), [`a: ${broken}`, `b: ${broken}`])
      assert.strictEqual(fake.last().ended, "terminated")
    })
  )

  it.effect("is of no more concern: what its socket still says is not heard", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({}, Fake.make(Fake.FakeWs, Fake.opening))
      yield* start(transport, "a")
      const old = fake.last()
      old.drop()
      yield* TestClock.adjust("100 millis")
      const fibers = yield* start(transport, "b")
      old.message({ jsonrpc: "2.0", id: fake.last().sent[0].id, result: "old" })
      old.fail(new Error("again"))
      old.drop()
      old.open()
      fake.last().answer(0, "new")
      assert.deepStrictEqual(yield* join(fibers), ['"new"'])
      assert.lengthOf(fake.sockets, 2)
    })
  )
})

describe("the wait between connections", () => {
  /** Returns the times at which the transport dials, while calls fail one after another. */
  const dials = (
    options: Partial<WebSocketTransport.WebSocketTransportOptions>,
    fail: (socket: Fake.FakeWs) => void,
    count: number
  ) =>
    Effect.gen(function* () {
      const times: Array<number> = []
      const fake = Fake.make(Fake.FakeWs, (socket) =>
        queueMicrotask(() => {
          fail(socket)
        })
      )
      const { transport } = yield* make({ timeout: "1 day", ...options }, fake)
      const caller = Effect.result(transport.call({ method: "m", params: [] }))
      const fiber = yield* Effect.forkChild(Effect.forever(caller))
      for (let millis = 0; times.length < count; millis += 50) {
        yield* Fake.settle
        while (times.length < fake.sockets.length) {
          times.push(millis)
        }
        yield* TestClock.adjust(50)
      }
      yield* Fiber.interrupt(fiber)
      return times.slice(0, count).map((time, index) => time - (times[index - 1] ?? 0))
    })

  it.effect("doubles up to its bound, however eager the callers are", () =>
    Effect.gen(function* () {
      const waits = yield* dials({ backoff: { jitter: 0, max: "1 second" } }, (socket) => socket.fail(), 8)
      assert.deepStrictEqual(waits, [0, 100, 200, 400, 800, 1000, 1000, 1000])
      const slower = { jitter: 0, initial: "1 second", factor: 3 } as const
      assert.deepStrictEqual(yield* dials({ backoff: slower }, (socket) => socket.fail(), 4), [0, 1000, 3000, 9000])
    })
  )

  it.effect("grows for connections that open and break as well", () =>
    Effect.gen(function* () {
      const waits = yield* dials({}, (socket) => (socket.open(), socket.drop()), 5)
      assert.deepStrictEqual(waits, [0, 100, 200, 400, 800])
    })
  )

  it.effect("is as long as the server asks, within its bound", () =>
    Effect.gen(function* () {
      const busy = (seconds: string) => (socket: Fake.FakeWs) =>
        socket.emit("unexpected-response", {}, { statusCode: 429, headers: { "retry-after": seconds } })
      assert.deepStrictEqual(yield* dials({}, busy("2"), 3), [0, 2000, 2000])
      assert.deepStrictEqual(yield* dials({ backoff: { jitter: 0, max: "5 seconds" } }, busy("99999"), 2), [0, 5000])
    })
  )

  it.effect("is shortened by chance, but by no more than said", () =>
    Effect.gen(function* () {
      const waits = yield* dials(
        { backoff: { initial: "10 seconds", factor: 1, jitter: 0.5 } },
        (socket) => socket.fail(),
        12
      )
      for (const wait of waits.slice(1)) {
        assert.isAtLeast(wait, 5000)
        assert.isAtMost(wait, 10_050)
      }
      assert.isAbove(new Set(waits).size, 3)
    }).pipe(Random.withSeed("jitter"))
  )

  it.effect("begins anew after a connection that lasted", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make(
        { backoff: { jitter: 0, max: "1 second" }, heartbeat: false },
        Fake.make(Fake.FakeWs, Fake.opening)
      )
      const breakAfter = (age: Duration.Input) =>
        Effect.gen(function* () {
          yield* start(transport, "m")
          yield* TestClock.adjust(age)
          fake.last().drop()
          yield* Fake.settle
        })
      const redials = (after: Duration.Input) =>
        Effect.gen(function* () {
          const before = fake.sockets.length
          yield* start(transport, "m")
          yield* TestClock.adjust(Duration.subtract(Duration.fromInputUnsafe(after), Duration.millis(1)))
          assert.lengthOf(fake.sockets, before)
          yield* TestClock.adjust("1 millis")
          assert.lengthOf(fake.sockets, before + 1)
          yield* Fake.settle
        })
      yield* breakAfter(0)
      yield* redials("100 millis")
      yield* breakAfter("999 millis")
      yield* redials("200 millis")
      yield* breakAfter("1 second")
      yield* redials("100 millis")
    })
  )
})

describe("the heartbeat", () => {
  const opened = (options: Partial<WebSocketTransport.WebSocketTransportOptions> = {}) =>
    Effect.gen(function* () {
      const made = yield* make({ timeout: "1 day", ...options }, Fake.make(Fake.FakeWs, Fake.opening))
      const [fiber] = yield* start(made.transport, "m")
      return { ...made, socket: made.fake.last(), fiber: fiber! }
    })

  it.effect("pings a peer that is silent, and gives up one that stays so", () =>
    Effect.gen(function* () {
      const { fiber, socket } = yield* opened()
      yield* TestClock.adjust("29999 millis")
      assert.strictEqual(socket.pings, 0)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(socket.pings, 1)
      yield* TestClock.adjust("9999 millis")
      assert.isTrue(isRunning(fiber))
      yield* TestClock.adjust("1 millis")
      const failure = yield* failureOf(fiber)
      assert.strictEqual(failure.message, "m: connection lost (no sign of life)")
      assert.isTrue(failure.retryable)
      assert.strictEqual(socket.ended, "terminated")
    })
  )

  it.effect("takes a pong, a ping or any message for a sign of life", () =>
    Effect.gen(function* () {
      const signs: ReadonlyArray<(socket: Fake.FakeWs) => void> = [
        (socket) => socket.emit("pong"),
        (socket) => socket.emit("ping"),
        (socket) => socket.message({ jsonrpc: "2.0", id: 999, result: null })
      ]
      for (const sign of signs) {
        const { fiber, socket } = yield* opened({ heartbeat: { interval: "5 seconds", timeout: "2 seconds" } })
        for (let round = 1; round <= 5; round++) {
          yield* TestClock.adjust("5 seconds")
          assert.strictEqual(socket.pings, round)
          sign(socket)
          yield* TestClock.adjust("2 seconds")
          // The next silence began with the peer's last message.
          yield* TestClock.adjust("2 seconds")
          sign(socket)
        }
        assert.isTrue(isRunning(fiber))
        assert.isUndefined(socket.ended)
      }
    })
  )

  it.effect("leaves a peer that talks alone", () =>
    Effect.gen(function* () {
      const { socket } = yield* opened()
      for (let minute = 0; minute < 60; minute++) {
        yield* TestClock.adjust("29 seconds")
        socket.message({ jsonrpc: "2.0", method: "chatter", params: {} })
      }
      assert.strictEqual(socket.pings, 0)
    })
  )

  it.effect("calls a method where the platform has no ping", () =>
    Effect.gen(function* () {
      for (const [method, options] of [
        ["rpc.ping", {}],
        ["eth_chainId", { method: "eth_chainId" }]
      ] as const) {
        const fake = Fake.make(Fake.FakeSocket, Fake.opening)
        const transport = yield* WebSocketTransport.make({
          url,
          webSocket: fake.webSocket,
          timeout: "1 day",
          heartbeat: options
        })
        const [fiber] = yield* start(transport, "m")
        yield* TestClock.adjust("30 seconds")
        const ping = fake.last().sent[1]
        assert.deepStrictEqual(ping, { jsonrpc: "2.0", id: ping.id, method, params: [] })
        const error = { code: -32601, message: "the method rpc.ping does not exist" }
        fake.last().message({ jsonrpc: "2.0", id: ping.id, error })
        yield* TestClock.adjust("30 seconds")
        assert.lengthOf(fake.last().sent, 3)
        assert.isTrue(isRunning(fiber!))
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual((yield* failureOf(fiber)).message, "m: connection lost (no sign of life)")
        assert.deepStrictEqual(fake.last().ended, { code: undefined })
      }
    })
  )

  it.effect("finds no peer dead because others' calls take their time", () =>
    Effect.gen(function* () {
      const fake = Fake.make(Fake.FakeSocket, Fake.opening)
      const transport = yield* WebSocketTransport.make({
        url,
        webSocket: fake.webSocket,
        timeout: "1 day",
        maxInFlight: 1
      })
      const fibers = yield* start(transport, "slow", "waits")
      yield* TestClock.adjust("30 seconds")
      const socket = fake.last()
      assert.deepStrictEqual(
        socket.sent.map(({ method }) => method),
        ["slow", "rpc.ping"]
      )
      socket.answer(1, null)
      yield* TestClock.adjust("10 seconds")
      assert.isUndefined(socket.ended)
      socket.answer(0, "slow")
      socket.answer(2, "waits")
      assert.deepStrictEqual(yield* join(fibers), ['"slow"', '"waits"'])
    })
  )

  it.effect("can be switched off", () =>
    Effect.gen(function* () {
      const { fiber, socket } = yield* opened({ heartbeat: false })
      yield* TestClock.adjust("10 hours")
      assert.strictEqual(socket.pings, 0)
      assert.isTrue(isRunning(fiber))
    })
  )
})

describe("callers", () => {
  it.effect("run out of time, also while there is no connection", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ timeout: "5 seconds", connectTimeout: "1 minute" })
      const [a] = yield* start(transport, "a")
      yield* TestClock.adjust("4 seconds")
      const [b] = yield* start(transport, "b")
      yield* TestClock.adjust("1 seconds")
      const failure = yield* failureOf(a)
      assert.strictEqual(failure.message, "a: no answer within 5s")
      assert.isTrue(isRunning(b!))
      fake.last().open()
      assert.deepStrictEqual(
        fake.last().sent.map(({ method }) => method),
        ["b"]
      )
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual((yield* failureOf(b)).reason._tag, "TimeoutError")
    })
  )

  it.effect("that are interrupted are forgotten, and their late answers ignored", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ maxInFlight: 2 }, Fake.make(Fake.FakeWs, Fake.opening))
      const [a, b, c, d] = yield* start(transport, "a", "b", "c", "d")
      assert.lengthOf(fake.last().sent, 2)
      yield* Fiber.interrupt(c!)
      yield* Fiber.interrupt(a!)
      assert.deepStrictEqual(
        fake.last().sent.map(({ method }) => method),
        ["a", "b", "d"]
      )
      fake.last().answer(0, "late")
      fake.last().answer(2, "d")
      fake.last().answer(1, "b")
      assert.deepStrictEqual(yield* join([b!, d!]), ['"b"', '"d"'])
    })
  )

  it.effect("wait while too much of what was sent waits in the platform", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({ maxBufferedBytes: 1000 }, Fake.make(Fake.FakeWs, Fake.opening))
      yield* start(transport, "a")
      const socket = fake.last()
      socket.bufferedAmount = 1001
      yield* start(transport, "b", "c")
      yield* TestClock.adjust("1 second")
      assert.lengthOf(socket.sent, 1)
      socket.bufferedAmount = 1000
      yield* TestClock.adjust("10 millis")
      assert.deepStrictEqual(
        socket.sent.map(({ method }) => method),
        ["a", "b", "c"]
      )
    })
  )

  it.effect("share batches as they share calls", () =>
    Effect.gen(function* () {
      const { fake, transport } = yield* make({}, Fake.make(Fake.FakeWs, Fake.opening))
      const fiber = yield* Effect.forkChild(
        transport.callAll([
          { method: "a", params: [] },
          { method: "b", params: [] }
        ])
      )
      yield* Fake.settle
      const [packet] = fake.last().sent
      assert.lengthOf(packet, 2)
      fake.last().drop()
      assert.deepStrictEqual(
        (yield* Fiber.join(fiber)).map(messageOf),
        ["a", "b"].map((method) => `${method}: connection lost (code 1006)`)
      )
      assert.deepStrictEqual(yield* transport.callAll([]), [])
    })
  )
})

describe("closing the scope", () => {
  it.effect("closes the connection, and fails what is under way and what comes after", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const { fake, transport } = yield* Effect.provideService(
        make({}, Fake.make(Fake.FakeWs, Fake.opening)),
        Scope.Scope,
        scope
      )
      const [fiber] = yield* start(transport, "a")
      yield* Scope.close(scope, Exit.void)
      assert.deepStrictEqual(fake.last().ended, { code: 1000 })
      const closed = "the transport is closed"
      const sent = yield* failureOf(fiber)
      assert.strictEqual(sent.message, `a: ${closed}`)
      assert.isFalse(sent.notDone)
      const later = yield* Effect.flip(transport.call({ method: "b", params: [] }))
      assert.strictEqual(later.message, `b: ${closed}`)
      assert.isFalse(later.retryable)
      assert.isTrue(later.notDone)
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 1)
    })
  )

  it.effect("ends a dial, and one that waits", () =>
    Effect.gen(function* () {
      const fake = Fake.make()
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { transport } = yield* make({}, fake)
          yield* start(transport, "a")
        })
      )
      assert.deepStrictEqual(fake.last().ended, { code: 1000 })
      fake.last().open()
      fake.last().fail(new Error("WebSocket was closed before the connection was established"))
      yield* TestClock.adjust("1 hour")
      assert.lengthOf(fake.sockets, 1)
    })
  )

  it.effect("is the layer's, and the layer itself cannot fail", () =>
    Effect.gen(function* () {
      const fake = Fake.make()
      const layer: Layer.Layer<Transport.Transport | Subscriptions.Subscriptions> = WebSocketTransport.layer({
        url: "nonsense",
        webSocket: fake.webSocket
      })
      yield* Effect.provide(Effect.void, layer)
      assert.lengthOf(fake.sockets, 0)
    })
  )
})
