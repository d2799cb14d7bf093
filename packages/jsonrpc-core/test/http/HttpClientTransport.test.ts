import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { HttpClientTransport } from "@plumbline/jsonrpc-core"
import { Duration, Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"

import * as HttpServer from "../support/httpServer.ts"
import * as HttpSuite from "../support/HttpSuite.ts"
import { suite } from "../support/TransportSuite.ts"

const clients = {
  fetch: FetchHttpClient.layer,
  undici: NodeHttpClient.layerUndici,
  "node:http": NodeHttpClient.layerNodeHttp
}

for (const [name, client] of Object.entries(clients)) {
  suite(`HttpClientTransport over ${name}`, ({ handle }) =>
    Layer.unwrap(
      Effect.map(HttpServer.dispatching(handle), (url) =>
        HttpClientTransport.layer({ url }).pipe(Layer.provide(client))
      )
    )
  )

  HttpSuite.suite(
    `HttpClientTransport over ${name}`,
    (options) =>
      Effect.flatMap(Layer.build(client), (context) =>
        Effect.provideContext(HttpClientTransport.make(options), context)
      ),
    { unpacks: name === "fetch", follows: name === "fetch" }
  )
}

const CALL = { method: "m", params: [] }
const answer = (value: unknown, init?: ResponseInit) => Response.json({ jsonrpc: "2.0", id: 1, result: value }, init)

const transportOver = (client: HttpClient.HttpClient, url: string) =>
  Effect.provideService(HttpClientTransport.make({ url }), HttpClient.HttpClient, client)

/** Provides a changed client on `fetch`. */
const changed = (change: (client: HttpClient.HttpClient) => HttpClient.HttpClient) =>
  Effect.provide(Effect.map(HttpClient.HttpClient, change), FetchHttpClient.layer)

describe("a client of one's own", () => {
  it.effect("may be a double", () =>
    Effect.gen(function* () {
      const client = HttpClient.make((request) =>
        Effect.succeed(HttpClientResponse.fromWeb(request, answer(request.url)))
      )
      const transport = yield* transportOver(client, "https://node.example/v3/key")
      assert.strictEqual(yield* transport.call(CALL), "https://node.example/v3/key")
    })
  )

  it.effect("may change the request, its trace headers and its URL too", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(({ path, headers }) => answer([path, headers["traceparent"]]))
      const client = yield* changed(
        HttpClient.mapRequest((request) =>
          request.pipe(
            HttpClientRequest.setUrlParam("token", "t"),
            HttpClientRequest.setHeader("traceparent", "00-1-2-01")
          )
        )
      )
      const transport = yield* transportOver(client, `${url}v3?a=b#part`)
      assert.deepStrictEqual(yield* Effect.withSpan(transport.call(CALL), "caller"), ["/v3?a=b&token=t", "00-1-2-01"])
    })
  )

  it.effect("may take failing statuses for errors: the server's own words are kept", () =>
    Effect.gen(function* () {
      const body = { jsonrpc: "2.0", id: 1, error: { code: -32005, message: "slow down" } }
      const url = yield* HttpServer.responding(() =>
        Response.json(body, { status: 429, headers: { "retry-after": "3" } })
      )
      const transport = yield* transportOver(yield* changed(HttpClient.filterStatusOk), url)
      const failure = yield* Effect.flip(transport.call(CALL))
      assert.strictEqual(failure.message, "m: slow down (code -32005)")
      assert.deepStrictEqual(failure.retryAfter, Duration.seconds(3))
    })
  )

  it.effect("may be told to follow no redirect, or to follow it on purpose", () =>
    Effect.gen(function* () {
      let followed = 0
      const elsewhere = yield* HttpServer.responding(() => {
        followed++
        return answer("from elsewhere")
      })
      const url = yield* HttpServer.make((_, response) => response.writeHead(307, { location: elsewhere }).end())
      const manual = FetchHttpClient.layer.pipe(
        Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
      )
      const client = yield* Effect.provide(HttpClient.HttpClient, manual)
      const failure = yield* Effect.flip((yield* transportOver(client, url)).call(CALL))
      assert.strictEqual(failure.message, "m: redirected: give the final URL")
      assert.strictEqual(followed, 0)
      const willing = yield* transportOver(HttpClient.followRedirects(client), url)
      assert.strictEqual(yield* willing.call(CALL), "from elsewhere")
    })
  )

  it.effect("may fail in its own ways", () =>
    Effect.gen(function* () {
      const cases = [
        [
          (request: HttpClientRequest.HttpClientRequest) => new HttpClientError.EncodeError({ request }),
          "connection failed"
        ],
        [
          (request: HttpClientRequest.HttpClientRequest) => new HttpClientError.InvalidUrlError({ request }),
          "invalid URL"
        ],
        [
          (request: HttpClientRequest.HttpClientRequest) =>
            new HttpClientError.TransportError({ request, cause: { cause: { cause: { code: "EAI_AGAIN" } } } }),
          "connection failed (EAI_AGAIN)"
        ]
      ] as const
      for (const [reason, detail] of cases) {
        const client = HttpClient.make((request) =>
          Effect.fail(new HttpClientError.HttpClientError({ reason: reason(request) }))
        )
        const failure = yield* Effect.flip((yield* transportOver(client, "https://node.example/")).call(CALL))
        assert.strictEqual(failure.message, `m: ${detail}`)
      }
    })
  )
})
