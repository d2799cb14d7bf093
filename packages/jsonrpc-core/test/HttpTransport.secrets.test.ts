import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { HttpTransport, type JsonRpcError } from "@plumbline/jsonrpc-core"
import { Cause, Effect, Exit, Logger, Redacted, Result, Schema, Tracer } from "effect"

import * as HttpServer from "./support/httpServer.ts"

const KEY = "0123456789abcdef0123456789abcdef"
const PASSWORD = "pass-hunter2"
const TOKEN = "token/hunter2"
const HEADER = "header-hunter2-secret"

const url = `https://user-hunter2:${PASSWORD}@node.example/v3/${KEY}?token=${encodeURIComponent(TOKEN)}`

const SECRETS = [
  KEY,
  PASSWORD,
  TOKEN,
  encodeURIComponent(TOKEN),
  HEADER,
  "user-hunter2",
  "hunter2",
  btoa(`user-hunter2:${PASSWORD}`)
]

/** All the ways in which an error is usually shown. */
const views = (error: JsonRpcError.JsonRpcError): ReadonlyArray<string> => {
  const cause = Cause.fail(error)
  return [
    String(error),
    error.message,
    error.stack ?? "",
    JSON.stringify(error),
    JSON.stringify(error.reason),
    JSON.stringify(Exit.failCause(cause)),
    JSON.stringify(Object.getOwnPropertyDescriptors(error)),
    JSON.stringify(Schema.encodeUnknownSync(Schema.Unknown)(error)),
    Cause.pretty(cause),
    String(cause),
    inspect(error, { depth: Infinity, showHidden: true }),
    inspect(cause, { depth: Infinity, showHidden: true }),
    inspect(Exit.failCause(cause), { depth: Infinity }),
    String(error.cause),
    String(error.reason.cause),
    error.reason.stack ?? ""
  ]
}

const assertSilent = (text: string): void => {
  for (const secret of SECRETS) {
    assert.notInclude(text, secret)
  }
}

type Fetch = typeof globalThis.fetch

/** Fails the way Node's fetch does: with the URL in its texts. */
const rejecting =
  (code: string): Fetch =>
  async (input) => {
    const cause = Object.assign(new Error(`${code} ${JSON.stringify(input)} ${url}`), { code, input, url })
    throw Object.assign(new TypeError(`fetch failed: ${url}`, { cause }), { url, headers: { authorization: HEADER } })
  }

const answering =
  (body: string, init?: ResponseInit): Fetch =>
  async () =>
    new Response(body, init)

const echo = `the server says ${url}, ${KEY}, /v3/${KEY}, ${TOKEN}, ${encodeURIComponent(TOKEN)}, ${HEADER}, user-hunter2, ${PASSWORD}`
const remote = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  error: { code: -32000, message: echo, data: { url, list: [echo, { [KEY]: TOKEN }] } }
})

const cases: Readonly<Record<string, Fetch>> = {
  "connection refused": rejecting("ECONNREFUSED"),
  "DNS failure": rejecting("ENOTFOUND"),
  "a certificate that does not fit": rejecting("ERR_TLS_CERT_ALTNAME_INVALID"),
  "a failure with a text for a code": rejecting(`at ${url}`),
  "a failure that is no error": () => Promise.reject(url),
  "a fetch that throws": () => {
    throw new Error(url)
  },
  "a bad status": answering(echo, { status: 401, statusText: KEY }),
  "a bad status with an error object": answering(remote, { status: 403 }),
  "a redirect": answering("", { status: 307, headers: { location: url } }),
  "a body that is no JSON": answering(echo),
  "a body of HTML": answering(`<html>${echo}</html>`),
  "another id": answering(JSON.stringify({ jsonrpc: "2.0", id: url, result: echo })),
  "an error object": answering(remote),
  "an error object without a message": answering(
    JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: 1, data: echo } })
  ),
  "an answer that is too large": answering(echo.repeat(100)),
  "a body that breaks": async () =>
    new Response(
      new ReadableStream({
        pull: (controller) => controller.error(new Error(url))
      })
    )
}

describe("HttpTransport shows no secret in", () => {
  for (const [name, fetch] of Object.entries(cases)) {
    it.effect(name, () =>
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
        const transport = yield* HttpTransport.make({
          url: Redacted.make(url),
          headers: { "x-api-key": Redacted.make(HEADER) },
          maxBytes: 5000,
          fetch
        })
        const call = { method: "eth_chainId", params: [] }
        yield* Effect.gen(function* () {
          const error = yield* Effect.flip(transport.call(call))
          views(error).forEach(assertSilent)
          yield* Effect.logError("failed", error, Cause.fail(error))
          for (const outcome of yield* transport.callAll([call, call])) {
            assert(Result.isFailure(outcome))
            views(outcome.failure).forEach(assertSilent)
          }
        }).pipe(Effect.withSpan("test"), Effect.withTracer(tracer), Effect.provide(Logger.layer([logger])))
        assertSilent(inspect(transport, { depth: Infinity, showHidden: true }))
        assert.isNotEmpty(spans)
        spans.forEach((span) =>
          assertSilent(inspect([span.name, span.attributes, span.events, span.status], { depth: 9 }))
        )
        assert.isNotEmpty(lines)
        lines.forEach(assertSilent)
      })
    )
  }

  it.effect("an invalid URL", () =>
    Effect.gen(function* () {
      for (const invalid of [`not a url ${KEY}`, `http://[${KEY}/`, `ftp://${KEY}.example/`, `/v3/${KEY}`]) {
        const transport = yield* HttpTransport.make({ url: invalid })
        const error = yield* Effect.flip(transport.call({ method: "m", params: [] }))
        views(error).forEach(assertSilent)
        assert.strictEqual(error.reason._tag, "TransportError")
      }
    })
  )

  it.effect("an invalid header", () =>
    Effect.gen(function* () {
      const transport = yield* HttpTransport.make({ url, headers: { "x-key": `${HEADER}\n`.repeat(2) } })
      const error = yield* Effect.flip(transport.call({ method: "m", params: [] }))
      views(error).forEach(assertSilent)
      assert.strictEqual(error.message, "m: TransportError: invalid headers")
    })
  )

  it.effect("a real connection that is refused, and its code is kept", () =>
    Effect.gen(function* () {
      const closed = yield* Effect.scoped(HttpServer.make(() => {}))
      const transport = yield* HttpTransport.make({ url: `${closed}v3/${KEY}?token=${TOKEN}` })
      const error = yield* Effect.flip(transport.call({ method: "m", params: [] }))
      views(error).forEach(assertSilent)
      assert.strictEqual(error.message, "m: TransportError: connection failed (ECONNREFUSED)")
      assert.isTrue(error.retryable)
    })
  )

  it.effect("a remote error that repeats a short key, while names stay", () =>
    Effect.gen(function* () {
      const message = "project abc123 of mainnet on v3 is over its limit"
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32005, message } })
      const transport = yield* HttpTransport.make({
        url: "https://node.example/mainnet/v3/abc123",
        fetch: answering(body)
      })
      const error = yield* Effect.flip(transport.call({ method: "m", params: [] }))
      assert.strictEqual(error.reason.message, "project <redacted> of mainnet on v3 is over its limit")
    })
  )

  it.effect("what it keeps of a remote error, but for the secrets", () =>
    Effect.gen(function* () {
      const transport = yield* HttpTransport.make({ url, fetch: answering(remote) })
      const { reason } = yield* Effect.flip(transport.call({ method: "m", params: [] }))
      assert(reason._tag === "RemoteError")
      assert.match(reason.message, /^the server says <redacted>, <redacted>, <redacted>, /)
      assert.deepStrictEqual(Object.keys(reason.data ?? {}), ["url", "list"])
      assert.strictEqual(reason.code, -32000)
    })
  )

  it.effect("classes that a retry can use", () =>
    Effect.gen(function* () {
      const retryable = (code: string) =>
        Effect.gen(function* () {
          const transport = yield* HttpTransport.make({ url, fetch: rejecting(code) })
          const error = yield* Effect.flip(transport.call({ method: "m", params: [] }))
          return [error.message, error.retryable] as const
        })
      assert.deepStrictEqual(yield* retryable("ECONNRESET"), [
        "m: TransportError: connection failed (ECONNRESET)",
        true
      ])
      assert.deepStrictEqual(yield* retryable("ENOTFOUND"), ["m: TransportError: connection failed (ENOTFOUND)", true])
      assert.deepStrictEqual(yield* retryable("DEPTH_ZERO_SELF_SIGNED_CERT"), [
        "m: TransportError: connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)",
        false
      ])
      assert.deepStrictEqual(yield* retryable("ERR_INVALID_URL"), ["m: TransportError: invalid URL", false])
    })
  )
})
