import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { type JsonRpcError, Subscription, WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Cause, Effect, Exit, Fiber, Logger, Redacted, Result, Schema, Stream, Tracer } from "effect"
import { TestClock } from "effect/testing"

import * as Fake from "./support/fakeWebSocket.ts"

const KEY = "0123456789abcdef0123456789abcdef"
const PASSWORD = "pass-hunter2"
const TOKEN = "token/hunter2"
const HEADER = "header-hunter2-secret"
const PROTOCOL = "bearer.hunter2.protocol"

const url = `wss://user-hunter2:${PASSWORD}@node.example/ws/v3/${KEY}?token=${encodeURIComponent(TOKEN)}`

const SECRETS = [
  KEY,
  PASSWORD,
  TOKEN,
  encodeURIComponent(TOKEN),
  HEADER,
  PROTOCOL,
  "hunter2",
  btoa(`user-hunter2:${PASSWORD}`)
]

const assertSilent = (text: string): void => {
  for (const secret of SECRETS) {
    assert.notInclude(text, secret)
  }
}

/** The ways in which an error is usually shown. */
const views = (error: JsonRpcError.JsonRpcError): ReadonlyArray<string> => {
  const cause = Cause.fail(error)
  return [
    String(error),
    error.stack ?? "",
    error.reason.stack ?? "",
    JSON.stringify(error),
    JSON.stringify(Exit.failCause(cause)),
    Cause.pretty(cause),
    inspect(error, { depth: Infinity, showHidden: true }),
    inspect(cause, { depth: Infinity, showHidden: true })
  ]
}

const echo = `the server says ${url}, ${KEY}, /v3/${KEY}, ${TOKEN}, ${encodeURIComponent(TOKEN)}, ${HEADER}, ${PROTOCOL}, user-hunter2, ${PASSWORD}`

/** An error of the platform that tells all it knows. */
const loud = (code?: string): Error =>
  Object.assign(new Error(echo, { cause: new Error(echo) }), { code, url, headers: { authorization: HEADER } })

const remote = (id: unknown) => ({
  jsonrpc: "2.0",
  id,
  error: { code: -32000, message: echo, data: { url, list: [echo, { [KEY]: TOKEN }] } }
})

const whileDialling: Readonly<Record<string, (socket: Fake.FakeWs) => void>> = {
  "a refused connection": (socket) => socket.fail(loud("ECONNREFUSED")),
  "an error with a text for a code": (socket) => socket.fail(loud(echo)),
  "an error that is no error": (socket) => socket.fail(echo),
  "a refused handshake": (socket) =>
    socket.emit("unexpected-response", loud(), {
      statusCode: 401,
      statusMessage: echo,
      headers: { "www-authenticate": echo, "retry-after": echo }
    }),
  "a redirect": (socket) => socket.emit("unexpected-response", loud(), { statusCode: 302, headers: { location: url } })
}

const whenOpen: Readonly<Record<string, (socket: Fake.FakeWs) => void>> = {
  "an error object": (socket) => socket.sent.forEach(({ id }) => socket.message(remote(id))),
  "refusals that name no call": (socket) => socket.sent.forEach(() => socket.message(remote(null))),
  "an error object without a message": (socket) =>
    socket.sent.forEach(({ id }) => socket.message({ jsonrpc: "2.0", id, error: { code: 1, data: echo } })),
  "a message that is no JSON": (socket) => socket.text(echo),
  "a message that is too large": (socket) => socket.text(echo.repeat(100)),
  "a connection that breaks": (socket) => socket.fail(loud("ECONNRESET")),
  "a connection that is closed with a reason": (socket) =>
    socket.emit("close", { code: 4001, reason: echo, wasClean: true })
}

const request = { wire: Subscription.make("eth", "newHeads", { params: [], item: Schema.Unknown }).wire, params: [] }

/** The errors of a call and of a subscription that meet the same fault, and all that was logged and traced meanwhile. */
const meet = (fault: (socket: Fake.FakeWs) => void, onDial: (socket: Fake.FakeWs) => void) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const lines: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make((options) => {
      lines.push(Logger.formatJson.log(options), Logger.formatLogFmt.log(options), inspect(options.message))
    })
    yield* Effect.gen(function* () {
      const fake = Fake.make(Fake.FakeWs, onDial)
      const transport = yield* WebSocketTransport.make({
        url: Redacted.make(url),
        headers: { "x-api-key": Redacted.make(HEADER) },
        protocols: PROTOCOL,
        maxBytes: 5000,
        webSocket: fake.webSocket
      })
      const call = yield* Effect.forkChild(Effect.flip(transport.call({ method: "m", params: [] })))
      const stream = yield* Effect.forkChild(Effect.flip(Stream.runDrain(transport.subscribe(request))))
      yield* Fake.settle
      fault(fake.last())
      for (const error of [yield* Fiber.join(call), yield* Fiber.join(stream)]) {
        views(error).forEach(assertSilent)
        yield* Effect.logError("failed", error, Cause.fail(error))
      }
      assertSilent(inspect(transport, { depth: Infinity, showHidden: true }))
    }).pipe(Effect.withSpan("test"), Effect.withTracer(tracer), Effect.provide(Logger.layer([logger])))
    assert.isNotEmpty(spans)
    spans.forEach((span) => assertSilent(inspect([span.name, span.attributes, span.events, span.status], { depth: 9 })))
    assert.isNotEmpty(lines)
    lines.forEach(assertSilent)
  })

describe("WebSocketTransport shows no secret in", () => {
  for (const [name, fault] of Object.entries(whileDialling)) {
    it.effect(name, () => meet(fault, () => {}))
  }

  for (const [name, fault] of Object.entries(whenOpen)) {
    it.effect(name, () => meet(fault, Fake.opening))
  }

  it.effect("a dead peer", () =>
    Effect.gen(function* () {
      const fake = Fake.make(Fake.FakeWs, Fake.opening)
      const transport = yield* WebSocketTransport.make({ url, webSocket: fake.webSocket, timeout: "1 day" })
      const call = yield* Effect.forkChild(Effect.flip(transport.call({ method: "m", params: [] })))
      yield* TestClock.adjust("40 seconds")
      views(yield* Fiber.join(call)).forEach(assertSilent)
    })
  )

  it.effect("a notification that is an error", () =>
    Effect.gen(function* () {
      const fake = Fake.make(Fake.FakeWs, Fake.opening)
      const transport = yield* WebSocketTransport.make({
        url,
        headers: { "x-api-key": HEADER },
        protocols: [PROTOCOL],
        webSocket: fake.webSocket
      })
      const stream = yield* Effect.forkChild(Effect.flip(Stream.runDrain(transport.subscribe(request))))
      yield* Fake.settle
      fake.last().answer(0, "0x1")
      fake.last().message({
        jsonrpc: "2.0",
        method: "eth_subscription",
        params: { subscription: "0x1", error: remote(1).error }
      })
      const error = yield* Fiber.join(stream)
      assert.strictEqual(error.reason._tag, "RemoteError")
      views(error).forEach(assertSilent)
    })
  )

  it.effect("an invalid URL or header", () =>
    Effect.gen(function* () {
      const invalid: ReadonlyArray<Partial<WebSocketTransport.Options>> = [
        { url: `not a url ${KEY}` },
        { url: `ftp://${KEY}.example/` },
        { protocols: [`no protocol ${PROTOCOL}`] },
        { headers: { "x-key": `${HEADER}\nx` }, webSocket: Fake.make().webSocket },
        { url }
      ]
      for (const options of invalid) {
        // Node's own class: whatever it throws, and whatever it would say.
        const transport = yield* WebSocketTransport.make({ url: "wss://node.example/", ...options })
        const outcome = yield* Effect.result(transport.call({ method: "m", params: [] }))
        assert(Result.isFailure(outcome))
        views(outcome.failure).forEach(assertSilent)
        assert.strictEqual(outcome.failure.reason._tag, "TransportError")
        assert.isFalse(outcome.failure.retryable)
      }
    })
  )
})
