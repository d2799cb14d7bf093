/** No transport over HTTP shows a secret in an error, a log, a span or a metric, in any view of the error. */
import { inspect } from "node:util"

import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { HttpClientTransport, HttpTransport, UndiciTransport } from "@plumbline/jsonrpc-core"
import { Effect, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError } from "effect/http"
import { Agent } from "undici"

import type { Make } from "../support/http/subject.ts"
import * as HttpServer from "../support/httpServer.ts"
import * as Secrets from "../support/secrets.ts"

const { echo, HEADER, KEY, PASSWORD, secretUrl, silent, TOKEN, traces, USER, views } = Secrets

const url = secretUrl("https://node.example")

const secrets = { headers: { "x-api-key": Redacted.make(HEADER) }, maxBytes: 5000 }

const CALL = { method: "eth_chainId", params: [] }

/** Asserts that one failing call and one failing batch show no secret. Returns the error of the call. */
const assertSilent = (make: Make, options: HttpTransport.HttpEndpoint) =>
  Effect.gen(function* () {
    const { errors, spans } = yield* Secrets.assertSilent(yield* make(options), CALL)
    assert.lengthOf(spans, 1, "the span of the test is the only one")
    return errors[0]!
  })

const clientTransport =
  (client: Layer.Layer<HttpClient.HttpClient>): Make =>
  (options) =>
    Effect.flatMap(Layer.build(client), (context) => Effect.provideContext(HttpClientTransport.make(options), context))

const agent = Effect.acquireRelease(
  Effect.sync(() => new Agent()),
  (agent) => Effect.promise(() => agent.destroy())
)

const transports: Readonly<Record<string, Make>> = {
  HttpTransport: HttpTransport.make,
  UndiciTransport: (options) => Effect.flatMap(agent, (dispatcher) => UndiciTransport.make({ ...options, dispatcher })),
  "HttpClientTransport over fetch": clientTransport(FetchHttpClient.layer),
  "HttpClientTransport over undici": clientTransport(NodeHttpClient.layerUndici)
}

const remoteError = (asked: HttpServer.Asked): string => {
  const text = echo(asked)
  const error = { code: -32000, message: text, data: { url: text, list: [text, { [KEY]: TOKEN }] } }
  return JSON.stringify({ jsonrpc: "2.0", id: null, error })
}

/** Answers of real servers. */
const answers: Readonly<Record<string, (asked: HttpServer.Asked) => Response>> = {
  "a failing status": (asked) => new Response(echo(asked), { status: 401, statusText: KEY }),
  "a failing status with an error object": (asked) => new Response(remoteError(asked), { status: 403 }),
  "a redirect": (asked) => new Response("", { status: 307, headers: { location: `http://127.0.0.1:1${asked.path}` } }),
  "a body that is not JSON": (asked) => new Response(echo(asked)),
  "a body whose content type tells": () => new Response("what", { headers: { "content-type": `text/${KEY}` } }),
  "a body whose content encoding tells": () =>
    new Response(Uint8Array.of(0xff), { headers: { "content-encoding": "hunter2" } }),
  "a body of HTML": (asked) => new Response(`<html>${echo(asked)}</html>`),
  "a body that breaks off": (asked) => new Response(`{"jsonrpc":"2.0","id":1,"result":"${echo(asked)}`),
  "another id": (asked) => Response.json({ jsonrpc: "2.0", id: echo(asked), result: echo(asked) }),
  "an error object": (asked) => new Response(remoteError(asked)),
  "an error object without a message": (asked) =>
    Response.json({ jsonrpc: "2.0", id: 1, error: { code: 1, data: echo(asked) } }),
  "an answer that is too large": (asked) => new Response(echo(asked).repeat(100)),
  "a Retry-After that tells": () => new Response("", { status: 429, headers: { "retry-after": KEY } })
}

for (const [name, make] of Object.entries(transports)) {
  describe(`${name} shows no secret in`, () => {
    for (const [title, respond] of Object.entries(answers)) {
      it.effect(title, () =>
        Effect.gen(function* () {
          const asked: Array<HttpServer.Asked> = []
          const server = yield* HttpServer.responding((request) => {
            asked.push(request)
            return respond(request)
          })
          yield* assertSilent(make, { ...secrets, url: Redacted.make(secretUrl(server)) })
          // The server received all the secrets.
          assert.lengthOf(asked, 2)
          assert.include(asked[0]!.path, KEY)
          assert.strictEqual(asked[0]!.headers["x-api-key"], HEADER)
        })
      )
    }

    const broken: Readonly<Record<string, Parameters<typeof HttpServer.raw>[0]>> = {
      "a connection that is closed": (socket) => socket.destroy(),
      "a connection that is cut in the middle of an answer": (socket) =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${url}`),
      "an answer that is not HTTP": (socket) => socket.end(`${url}\r\n`)
    }
    for (const [title, fault] of Object.entries(broken)) {
      it.effect(title, () =>
        Effect.gen(function* () {
          const server = yield* HttpServer.raw(fault)
          const error = yield* assertSilent(make, { ...secrets, url: secretUrl(server) })
          assert.strictEqual(error.reason._tag, "TransportError")
        })
      )
    }

    it.effect("a connection that is refused, and its code is kept", () =>
      Effect.gen(function* () {
        const closed = yield* Effect.scoped(HttpServer.make(() => {}))
        const error = yield* assertSilent(make, { ...secrets, url: secretUrl(closed) })
        assert.strictEqual(error.message, "eth_chainId: connection failed (ECONNREFUSED)")
        assert.isTrue(error.retryable)
      })
    )

    it.effect("a server that does not speak TLS", () =>
      Effect.gen(function* () {
        const server = yield* HttpServer.make(() => {})
        const error = yield* assertSilent(make, { ...secrets, url: secretUrl(server.replace("http:", "https:")) })
        assert.match(error.message, /^eth_chainId: connection failed \([A-Z_]+\)$/)
      })
    )

    it.live("a timeout", () =>
      Effect.gen(function* () {
        const server = yield* HttpServer.make(() => {})
        const error = yield* assertSilent(make, { ...secrets, url: secretUrl(server), timeout: "20 millis" })
        assert.strictEqual(error.reason._tag, "TimeoutError")
      })
    )

    it.effect("an invalid URL", () =>
      Effect.gen(function* () {
        for (const invalid of [
          `not a url ${KEY}`,
          `http://[${KEY}/`,
          `/v3/${KEY}`,
          `http://${USER}:%zz@node.example/`
        ]) {
          const error = yield* assertSilent(make, { ...secrets, url: invalid })
          assert.strictEqual(error.message, "eth_chainId: invalid URL")
        }
      })
    )

    it.effect("an invalid header", () =>
      Effect.gen(function* () {
        const error = yield* assertSilent(make, { url, headers: { "x-key": `${HEADER}\n`.repeat(2) } })
        assert.strictEqual(error.message, "eth_chainId: invalid headers")
      })
    )

    it.effect("what it keeps of a remote error, but for the secrets", () =>
      Effect.gen(function* () {
        const server = yield* HttpServer.responding((asked) => new Response(remoteError(asked)))
        const { reason } = yield* assertSilent(make, { ...secrets, url: secretUrl(server) })
        assert(reason._tag === "RemoteError")
        assert.match(reason.message, /^the server says <redacted>, <redacted>, <redacted>, <redacted>, /)
        assert.deepStrictEqual(Object.keys(reason.data ?? {}), ["url", "list"])
        assert.strictEqual(reason.code, -32000)
      })
    )
  })
}

describe("what is below a transport does show them, so that these tests could fail", () => {
  const rawFailure = (client: Layer.Layer<HttpClient.HttpClient>, server: string) =>
    Effect.gen(function* () {
      const context = yield* Layer.build(client)
      const errors: Array<HttpClientError.HttpClientError> = []
      const { spans } = yield* traces(
        HttpClient.post(secretUrl(server)).pipe(
          Effect.flip,
          Effect.tap((error) => Effect.sync(() => errors.push(error))),
          Effect.provideContext(context)
        )
      )
      return { error: errors[0]!, spans }
    })

  for (const [name, client] of Object.entries({ fetch: FetchHttpClient.layer, undici: NodeHttpClient.layerUndici })) {
    it.effect(`Effect's client over ${name}: its errors and its spans`, () =>
      Effect.gen(function* () {
        const closed = yield* Effect.scoped(HttpServer.make(() => {}))
        const { error, spans } = yield* rawFailure(client, closed)
        assert.include(error.message, KEY)
        assert.include(JSON.stringify(error), KEY)
        assert.throws(() => views(error).forEach(silent))
        assert.lengthOf(spans, 2)
        assert.throws(() => spans.forEach(silent))
      })
    )
  }

  it.effect("fetch: the text of an invalid URL", () =>
    Effect.gen(function* () {
      const error = yield* Effect.promise(() => fetch(`http://[${KEY}/`).catch((error: unknown) => error))
      assert.include(inspect(error), KEY)
    })
  )
})

/** Returns an error with a secret in every place where a platform could put one. */
const crafted = (code: string): Error =>
  Object.assign(
    new TypeError(`fetch failed: ${url}`, {
      cause: Object.assign(new Error(`${code} ${url}`), { code, input: url, url, headers: { authorization: HEADER } })
    }),
    { url, headers: { authorization: HEADER } }
  )

/** Each transport over a platform that fails with this error. */
const failing: Readonly<Record<string, (error: unknown) => Make>> = {
  HttpTransport: (error) => (options) => HttpTransport.make({ ...options, fetch: () => Promise.reject(error) }),
  "HttpTransport whose fetch throws": (error) => (options) =>
    HttpTransport.make({
      ...options,
      fetch: () => {
        throw error
      }
    }),
  "HttpTransport in the middle of a body": (error) => (options) =>
    HttpTransport.make({
      ...options,
      fetch: async () => new Response(new ReadableStream({ pull: (controller) => controller.error(error) }))
    }),
  UndiciTransport: (error) => (options) =>
    UndiciTransport.make({
      ...options,
      dispatcher: {
        dispatch: (_, handler) => {
          handler.onResponseError({ abort: () => {} }, error as Error)
          return false
        }
      }
    }),
  "UndiciTransport whose dispatcher throws": (error) => (options) =>
    UndiciTransport.make({
      ...options,
      dispatcher: {
        dispatch: () => {
          throw error
        }
      }
    }),
  HttpClientTransport: (error) => (options) =>
    Effect.provideService(
      HttpClientTransport.make(options),
      HttpClient.HttpClient,
      HttpClient.make((request) =>
        Effect.fail(
          new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: error, description: url })
          })
        )
      )
    )
}

for (const [name, makeFailing] of Object.entries(failing)) {
  describe(`${name} keeps of a platform's error no more than`, () => {
    it.effect("its code, and what that means for a retry", () =>
      Effect.gen(function* () {
        const cases = [
          ["ECONNRESET", "(ECONNRESET)", true],
          ["ENOTFOUND", "(ENOTFOUND)", true],
          ["UND_ERR_CONNECT_TIMEOUT", "(UND_ERR_CONNECT_TIMEOUT)", true],
          ["ERR_TLS_HANDSHAKE_TIMEOUT", "(ERR_TLS_HANDSHAKE_TIMEOUT)", true],
          ["DEPTH_ZERO_SELF_SIGNED_CERT", "(DEPTH_ZERO_SELF_SIGNED_CERT)", false],
          ["ERR_TLS_CERT_ALTNAME_INVALID", "(ERR_TLS_CERT_ALTNAME_INVALID)", false],
          ["UND_ERR_DESTROYED", "(UND_ERR_DESTROYED)", false],
          ["HPE_INVALID_CONSTANT", "the answer is not HTTP", false],
          ["ERR_INVALID_URL", "invalid URL", false]
        ] as const
        for (const [code, text, retryable] of cases) {
          const error = yield* assertSilent(makeFailing(crafted(code)), { ...secrets, url })
          assert.include(error.message, text)
          assert.strictEqual(error.retryable, retryable)
        }
      })
    )

    it.effect("nothing, if it has none", () =>
      Effect.gen(function* () {
        for (const error of [
          crafted(`at ${url}`),
          crafted(KEY),
          new Error(url),
          url,
          null,
          { url, code: 7, cause: url }
        ]) {
          const { message, retryable } = yield* assertSilent(makeFailing(error), { ...secrets, url })
          assert.match(message, /^eth_chainId: (?:connection failed|the answer was cut off)$/)
          assert.isTrue(retryable)
        }
      })
    )
  })
}

describe("a server's own words", () => {
  const messageOf = (message: string, options: HttpTransport.HttpEndpoint) =>
    Effect.gen(function* () {
      const fetch = async () => Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32005, message } })
      const transport = yield* HttpTransport.make({ ...options, fetch })
      return (yield* Effect.flip(transport.call(CALL))).reason.message
    })

  it.effect("lose a short key, while names stay", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* messageOf("project abc123 of mainnet on v3 is over its limit", {
          url: "https://node.example/mainnet/v3/abc123"
        }),
        "project <redacted> of mainnet on v3 is over its limit"
      )
    })
  )

  it.effect("lose a key wherever a URL has it", () =>
    Effect.gen(function* () {
      const said = `the key ${KEY} of /v3/${KEY} on eth-mainnet is over its limit`
      const heard = "the key <redacted> of <redacted> on eth-mainnet is over its limit"
      assert.strictEqual(yield* messageOf(said, { url: `/v3/${KEY}` }), heard)
      assert.strictEqual(yield* messageOf(said, { url: `https://eth-mainnet.node.example/v3/${KEY}#part` }), heard)
      const bare = heard.replace("of <redacted>", "of /v3/<redacted>")
      for (const url of [
        `https://node.example/?${KEY}`,
        `https://node.example/?${KEY}&archive`,
        `https://node.example/rpc?apikey=${KEY}`,
        `https://${KEY}.eth-mainnet.node.example/`,
        `rpc?${KEY}`
      ]) {
        assert.strictEqual(yield* messageOf(said, { url }), bare, url)
      }
    })
  )

  it.effect("lose the name and the password of Basic authentication, given as a header or in the URL", () =>
    Effect.gen(function* () {
      const said = `no project ${USER} with the secret ${PASSWORD} (${btoa(`${USER}:${PASSWORD}`)})`
      for (const options of [
        { url: "https://node.example/", headers: { authorization: `Basic ${btoa(`${USER}:${PASSWORD}`)}` } },
        { url: "https://node.example/", headers: { "Proxy-Authorization": `basic ${btoa(`${USER}:${PASSWORD}`)}` } },
        { url: `https://${USER}:${PASSWORD}@node.example/` }
      ]) {
        const message = yield* messageOf(said, options)
        assert.strictEqual(message, "no project <redacted> with the secret <redacted> (<redacted>)")
      }
      const headers = { authorization: `Basic ${btoa(`:${PASSWORD}`)}` }
      assert.strictEqual(
        yield* messageOf(`wrong secret ${PASSWORD}`, { url: "https://node.example/", headers }),
        "wrong secret <redacted>"
      )
      const accented = { authorization: `Basic ${Buffer.from(":sécret-漢字").toString("base64")}` }
      assert.strictEqual(
        yield* messageOf("wrong secret sécret-漢字", { url: "https://node.example/", headers: accented }),
        "wrong secret <redacted>"
      )
      // A value that is not base64 is itself a secret.
      assert.strictEqual(
        yield* messageOf("%%%% is not a password", {
          url: "https://node.example/",
          headers: { authorization: "Basic %%%%" }
        }),
        "<redacted> is not a password"
      )
    })
  )

  it.effect("lose what needs escapes in JSON, in their data too", () =>
    Effect.gen(function* () {
      const secret = 'quoted "hunter2" \\ secret'
      const fetch = async () =>
        Response.json({ jsonrpc: "2.0", id: 1, error: { code: 1, message: secret, data: { said: [secret] } } })
      const transport = yield* HttpTransport.make({ url: "https://node.example/", headers: { "x-key": secret }, fetch })
      const { reason } = yield* Effect.flip(transport.call(CALL))
      assert(reason._tag === "RemoteError")
      assert.deepStrictEqual([reason.message, reason.data], ["<redacted>", { said: ["<redacted>"] }])
    })
  )

  it.effect("lose no header that is not a secret", () =>
    Effect.gen(function* () {
      const headers = { "X-Api-Key": "abcd", "User-Agent": "plumbline-tests/1", "x-network": "mainnet" }
      assert.strictEqual(
        yield* messageOf("send application/json, plumbline-tests/1 and mainnet with abcd", {
          url: "https://node.example/",
          headers
        }),
        "send application/json, plumbline-tests/1 and mainnet with <redacted>"
      )
    })
  )
})
