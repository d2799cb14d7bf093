import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { Subscription, WebSocketTransport } from "@plumbline/jsonrpc-core"
import { Cause, Effect, Fiber, Redacted, Result, Schema, Stream } from "effect"
import { TestClock } from "effect/testing"
import { WebSocket } from "ws"

import * as Fake from "../support/fakeWebSocket.ts"
import * as Secrets from "../support/secrets.ts"
import * as WebSocketServer from "../support/webSocketServer.ts"

const { HEADER, KEY, PASSWORD, secretUrl, silent, TOKEN, traces, USER, views } = Secrets

const PROTOCOL = "bearer.hunter2.protocol"

const url = secretUrl("wss://node.example")

const echo = `the server says ${url}, ${KEY}, /v3/${KEY}, ${TOKEN}, ${encodeURIComponent(TOKEN)}, ${HEADER}, ${PROTOCOL}, ${USER}, ${PASSWORD}`

/** An error of the platform that contains every secret. */
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
  "an error that is not an error": (socket) => socket.fail(echo),
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
  "a message that is not JSON": (socket) => socket.text(echo),
  "a message that is too large": (socket) => socket.text(echo.repeat(100)),
  "a connection that breaks": (socket) => socket.fail(loud("ECONNRESET")),
  "a connection that is closed with a reason": (socket) =>
    socket.emit("close", { code: 4001, reason: echo, wasClean: true })
}

const CALL = { method: "m", params: [] }

const request = { wire: Subscription.make("eth", "newHeads", { params: [], item: Schema.Unknown }).wire, params: [] }

/**
 * Returns the errors of a call and of a subscription with the same fault, and everything that was logged and traced in
 * the meantime.
 */
const meet = (fault: (socket: Fake.FakeWs) => void, onDial: (socket: Fake.FakeWs) => void) =>
  Effect.gen(function* () {
    const { spans, lines } = yield* traces(
      Effect.gen(function* () {
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
          views(error).forEach(silent)
          yield* Effect.logError("failed", error, Cause.fail(error))
        }
        silent(inspect(transport, { depth: Infinity, showHidden: true }))
      })
    )
    assert.isNotEmpty(spans)
    spans.forEach(silent)
    assert.isNotEmpty(lines)
    lines.forEach(silent)
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
      views(yield* Fiber.join(call)).forEach(silent)
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
      views(error).forEach(silent)
    })
  )

  it.effect("an invalid URL or header", () =>
    Effect.gen(function* () {
      const invalid: ReadonlyArray<Partial<WebSocketTransport.WebSocketTransportOptions>> = [
        { url: `not a url ${KEY}` },
        { url: `ftp://${KEY}.example/` },
        { protocols: [`no protocol ${PROTOCOL}`] },
        { headers: { "x-key": `${HEADER}\nx` }, webSocket: Fake.make().webSocket },
        { url }
      ]
      for (const options of invalid) {
        // Most of these cases use Node's own class, with everything that it throws or prints.
        const transport = yield* WebSocketTransport.make({ url: "wss://node.example/", ...options })
        const outcome = yield* Effect.result(transport.call({ method: "m", params: [] }))
        assert(Result.isFailure(outcome))
        views(outcome.failure).forEach(silent)
        assert.strictEqual(outcome.failure.reason._tag, "TransportError")
        assert.isFalse(outcome.failure.retryable)
      }
    })
  )
})

/**
 * Ways in which real servers handle a handshake and later messages. Each server repeats everything that it received.
 */
const servers: Readonly<
  Record<string, (told: Secrets.Told) => { readonly status?: number; readonly says?: (socket: WebSocket) => void }>
> = {
  "a refused handshake": () => ({ status: 401 }),
  "a redirect": () => ({ status: 307 }),
  "an error object": (told) => ({
    says: (socket) =>
      socket.on("message", (data: Buffer) => {
        const error = { code: -32000, message: Secrets.echo(told), data: { list: [Secrets.echo(told)] } }
        const answers = [JSON.parse(data.toString())].flat().map(({ id }) => ({ jsonrpc: "2.0", id, error }))
        answers.forEach((answer) => socket.send(JSON.stringify(answer)))
      })
  }),
  "a message that is not JSON": (told) => ({
    says: (socket) => socket.on("message", () => socket.send(Secrets.echo(told)))
  }),
  "a close with a reason": (told) => ({
    says: (socket) => socket.on("message", () => socket.close(4001, told.path.slice(0, 100)))
  }),
  "a message that is too large": (told) => ({
    says: (socket) => socket.on("message", () => socket.send(Secrets.echo(told).repeat(100)))
  })
}

for (const [name, webSocket] of Object.entries({ ws: WebSocket, platform: globalThis.WebSocket })) {
  describe(`a real socket (${name}) shows no secret in`, () => {
    /** The platform's class cannot send headers or a password, so it gets only a URL. */
    const options = (url: string): WebSocketTransport.WebSocketTransportOptions => ({
      ...(name === "ws"
        ? { url: secretUrl(url), headers: { "x-api-key": HEADER } }
        : { url: Redacted.make(Secrets.withoutPassword(secretUrl(url))) }),
      webSocket,
      maxBytes: 5000,
      timeout: "5 seconds",
      backoff: { initial: "1 millis", max: "1 millis" }
    })

    for (const [title, serve] of Object.entries(servers)) {
      it.live(title, () =>
        Effect.gen(function* () {
          const paths: Array<string> = []
          const { url } = yield* WebSocketServer.make(
            (socket, { headers, url = "" }) => serve({ path: url, headers }).says?.(socket),
            {
              verifyClient: ({ req: { headers, url = "" } }, done) => {
                paths.push(url)
                const { status } = serve({ path: url, headers })
                done(status === undefined, status, Secrets.echo({ path: url, headers }), {
                  location: secretUrl("ws://a")
                })
              }
            }
          )
          yield* Secrets.assertSilent(yield* WebSocketTransport.make(options(url)), CALL)
          assert.include(paths[0], KEY)
        })
      )
    }

    it.live("a connection that is refused", () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(WebSocketServer.make(() => {}))
        yield* Secrets.assertSilent(yield* WebSocketTransport.make(options(url)), CALL)
      })
    )

    it.live("a server that does not speak TLS", () =>
      Effect.gen(function* () {
        const { url } = yield* WebSocketServer.make(() => {})
        yield* Secrets.assertSilent(yield* WebSocketTransport.make(options(url.replace("ws:", "wss:"))), CALL)
      })
    )

    it.live("a timeout", () =>
      Effect.gen(function* () {
        const { url } = yield* WebSocketServer.make(() => {})
        const transport = yield* WebSocketTransport.make({ ...options(url), timeout: "20 millis" })
        const { errors } = yield* Secrets.assertSilent(transport, CALL)
        assert.strictEqual(errors[0]!.reason._tag, "TimeoutError")
      })
    )
  })
}

describe("what is below it does show them, so that these tests could fail", () => {
  it("the class of ws: the text of an invalid URL", () => {
    assert.throws(() => new WebSocket(`ws://[${KEY}/`), KEY)
  })
})
