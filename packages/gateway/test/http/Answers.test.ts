/** The answer to each kind of HTTP request, as in the table of the README. */
import { assert, describe, it } from "@effect/vitest"
import { HttpUpstream } from "@plumbline/gateway"
import { Effect } from "effect"

import * as FakeNode from "../support/fakeNode.ts"
import { HASH } from "../support/methods.ts"
import * as Service from "../support/service.ts"
import { GUARDED_KEY, KEY, SECRET } from "../support/service.ts"

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`

const BODY = Service.call("eth_chainId")
const RESULT = '{"jsonrpc":"2.0","id":1,"result":"eth_chainId"}'
const NOBODY = "ffffffffffffffffffffffffffffffff"

const text = (status: number, line: string, headers: Readonly<Record<string, string>> = {}) => ({
  status,
  body: `${line}\n`,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff", ...headers }
})
const json = (status: number, body: string) => ({ status, body, headers: { "content-type": "application/json" } })
const good = json(200, RESULT)

const missing = text(401, "project id required in the url", {
  "www-authenticate": 'Basic realm="Auth failure, project id required in the url"'
})
const unknown = text(401, "invalid project id", {
  "www-authenticate": 'Basic realm="Auth failure, invalid project id"'
})
const wrongSecret = text(401, "invalid project id or project secret", {
  "www-authenticate": 'Basic realm="Auth failure, invalid project id or project secret"'
})
const notJson = text(415, "invalid content type, only application/json is supported")
const withType = (type: string) => ({ headers: { "content-type": type }, body: BODY })
const withAuthorization = (authorization: string, key = KEY) => ({
  path: `/v3/${key}`,
  headers: { authorization },
  body: BODY
})

interface Expected {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const cases: ReadonlyArray<readonly [name: string, ask: Service.Ask, expected: Expected]> = [
  ["a call", { body: BODY }, good],
  ["a query behind the key", { path: `/v3/${KEY}?x=/v3/y`, body: BODY }, good],
  ["a target in absolute form", { path: `http://live.localhost/v3/${KEY}`, body: BODY }, good],

  ["no key", { path: "/v3", body: BODY }, missing],
  ["an empty key", { path: "/v3/", body: BODY }, missing],
  ["a key that nobody has", { path: `/v3/${NOBODY}`, body: BODY }, unknown],
  ["a key in capitals", { path: `/v3/${KEY.toUpperCase()}`, body: BODY }, unknown],
  ["a percent-encoded key", { path: `/v3/%30${KEY.slice(1)}`, body: BODY }, unknown],
  ["an endless key", { path: `/v3/${KEY.repeat(100)}`, body: BODY }, unknown],
  ["a wrong key with GET", { path: `/v3/${NOBODY}`, method: "GET" }, unknown],
  ["a wrong key with a wrong type", { path: `/v3/${NOBODY}`, ...withType("text/plain") }, unknown],

  ["the secret, without a user", withAuthorization(basic("", SECRET)), good],
  ["the secret, with the key as user", withAuthorization(basic(KEY, SECRET)), good],
  ["the scheme in small letters", withAuthorization(basic("", SECRET).replace("Basic", "basic")), good],
  ["a wrong secret", withAuthorization(basic("", KEY)), wrongSecret],
  ["an empty secret", withAuthorization(basic("", "")), wrongSecret],
  ["the secret with another user", withAuthorization(basic("root", SECRET)), wrongSecret],
  ["another scheme", withAuthorization(`Bearer ${SECRET}`), wrongSecret],
  ["no base64", withAuthorization("Basic %%%"), wrongSecret],
  ["base64 without a colon", withAuthorization(`Basic ${Buffer.from(SECRET).toString("base64")}`), wrongSecret],
  ["a required secret", withAuthorization(basic("", SECRET), GUARDED_KEY), good],
  ["a required secret that is missing", { path: `/v3/${GUARDED_KEY}`, body: BODY }, wrongSecret],
  ["a required secret that is wrong", withAuthorization(basic("", KEY), GUARDED_KEY), wrongSecret],
  ["a secret for a key that nobody has", withAuthorization(basic("", SECRET), NOBODY), unknown],

  ["GET", { method: "GET" }, text(405, "method not allowed", { allow: "POST" })],
  ["PUT", { method: "PUT", body: BODY }, text(405, "method not allowed", { allow: "POST" })],
  ["DELETE", { method: "DELETE" }, text(405, "method not allowed", { allow: "POST" })],

  ["the root", { path: "/", body: BODY }, text(404, "not found")],
  [
    "the root in a program",
    { path: "/", method: "GET" },
    text(404, "not found: calls are made with POST to /v3/<key> or /<network>/v3/<key>")
  ],
  ["another version", { path: `/v2/${KEY}`, body: BODY }, text(404, "not found")],
  ["another case", { path: `/V3/${KEY}`, body: BODY }, text(404, "not found")],
  ["a path behind the key", { path: `/v3/${KEY}/`, body: BODY }, text(404, "not found")],
  ["a doubled slash", { path: `//v3/${KEY}`, body: BODY }, text(404, "not found")],

  ["application/json", withType("application/json"), good],
  ["parameters", withType("Application/JSON ; charset=utf-8"), good],
  ["application/json-rpc", withType("application/json-rpc"), good],
  ["application/jsonrequest", withType("application/jsonrequest"), good],
  ["a JSON suffix", withType("application/vnd.api+json"), good],
  ["text/plain", withType("text/plain"), notJson],
  ["what curl -d says of its body", withType("application/x-www-form-urlencoded"), good],
  ["a form with a character set", withType("Application/X-WWW-Form-URLencoded; charset=utf-8"), good],
  ["a form with files", withType("multipart/form-data; boundary=x"), notJson],
  ["a type that only starts like JSON", withType("application/jsonp"), notJson],
  [
    "gzip",
    { headers: { "content-encoding": "gzip" }, body: BODY },
    text(415, "content encoding is not supported", { "accept-encoding": "identity" })
  ],
  ["no encoding, by name", { headers: { "content-encoding": "identity" }, body: BODY }, good],

  ["a body of the limit", { body: BODY.padEnd(4096) }, good],
  ["a body over the limit", { body: BODY.padEnd(4097) }, text(413, "content length too large (4097>4096)")],
  [
    "a chunked body over the limit",
    { headers: { "transfer-encoding": "chunked" }, body: BODY.padEnd(4097) },
    text(413, "content length too large (>4096)")
  ],
  [
    "an empty body",
    { headers: { "content-length": "0" } },
    json(200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}')
  ],
  [
    "bytes that are not UTF-8",
    { body: Uint8Array.of(0x22, 0xff, 0x22) },
    json(200, '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error"}}')
  ],

  [
    "a WebSocket path without the upgrade",
    { path: `/ws/v3/${KEY}`, method: "GET" },
    text(426, "websocket upgrade required", { upgrade: "websocket" })
  ],
  [
    "a WebSocket path with POST",
    { path: `/ws/v3/${KEY}`, body: BODY },
    text(405, "method not allowed", { allow: "GET" })
  ],
  ["a WebSocket path without the upgrade or a key", { path: `/ws/v3/${NOBODY}`, method: "GET" }, unknown],

  ["health with POST", { path: "/health", body: BODY }, text(405, "method not allowed", { allow: "GET, HEAD" })],
  [
    "an upgrade to HTTP/2, as Java offers it",
    { headers: { connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABk" }, body: BODY },
    good
  ],
  [
    "an upgrade to a WebSocket on the path for calls",
    { method: "GET", headers: { connection: "Upgrade", upgrade: "websocket" } },
    text(405, "method not allowed", { allow: "POST" })
  ]
]

const echo = Effect.gen(function* () {
  const node = yield* FakeNode.make(({ method }) => ({ result: method }))
  const upstream = yield* HttpUpstream.make({ url: node.url })
  return { node, service: yield* Service.start(upstream, { limits: { bodyBytes: 4096 } }) }
})

describe("an HTTP request", () => {
  it.live.each(cases)("%s", ([, ask, expected]) =>
    Effect.gen(function* () {
      const { node, service } = yield* echo
      const answer = yield* Service.ask(service, ask)
      assert.deepStrictEqual(
        { status: answer.status, body: answer.body },
        { status: expected.status, body: expected.body }
      )
      for (const [name, value] of Object.entries(expected.headers)) assert.strictEqual(answer.headers[name], value)
      // pages of other sites may call, but not read the state of the service
      assert.strictEqual(answer.headers["access-control-allow-origin"], ask.path === "/health" ? undefined : "*")
      assert.strictEqual(answer.headers["content-length"], String(Buffer.byteLength(answer.body)))
      assert.strictEqual(node.asked.length, expected === good ? 1 : 0)
      // After any of these requests, the service answers the next request.
      assert.strictEqual((yield* Service.ask(service, { body: BODY })).body, RESULT)
    }).pipe(Effect.scoped)
  )

  it.live("is answered byte for byte as the node wrote the result", () =>
    Effect.gen(function* () {
      const result = '{ "a" : [1.0, "\\u0041é"],"b":null }'
      const node = yield* FakeNode.make(
        ({ id }) =>
          (response) =>
            FakeNode.json(response, ` {"id": ${id} ,"result":${result},"jsonrpc":"2.0"}\n`)
      )
      const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }))
      const body = Service.call("eth_getBlockByHash", [HASH, false], 12_345_678_901_234)
      assert.strictEqual(
        (yield* Service.ask(service, { body })).body,
        `{"jsonrpc":"2.0","id":12345678901234,"result":${result}}`
      )
    }).pipe(Effect.scoped)
  )

  it.live("that is a notification is answered with an empty body", () =>
    Effect.gen(function* () {
      const { service } = yield* echo
      const answer = yield* Service.ask(service, { body: '{"jsonrpc":"2.0","method":"eth_chainId"}' })
      assert.deepStrictEqual(
        [answer.status, answer.body, answer.headers["content-length"], answer.headers["content-type"]],
        [200, "", "0", undefined]
      )
    }).pipe(Effect.scoped)
  )

  it.live("of a browser may come from any page", () =>
    Effect.gen(function* () {
      const { service } = yield* echo
      const answer = yield* Service.ask(service, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type"
        }
      })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.headers["access-control-allow-origin"], "*")
      assert.strictEqual(answer.headers["access-control-allow-methods"], "POST")
      assert.strictEqual(
        answer.headers["access-control-allow-headers"],
        "content-type, authorization, x-request-id, traceparent"
      )
      assert.strictEqual(answer.headers["access-control-max-age"], "600")
      const stranger = yield* Service.ask(service, { method: "OPTIONS", path: `/v3/${NOBODY}` })
      const own = { date: "", "x-request-id": "" }
      assert.deepStrictEqual({ ...stranger.headers, ...own }, { ...answer.headers, ...own })
    }).pipe(Effect.scoped)
  )

  it.live("to /health tells of the service and its nodes", () =>
    Effect.gen(function* () {
      const live = yield* FakeNode.make(() => ({ result: 1 }))
      const service = yield* Service.start([
        Service.network(yield* HttpUpstream.make({ url: live.url }), "live"),
        Service.network(yield* HttpUpstream.make({ url: "http://127.0.0.1:1" }), "gone"),
        Service.network(yield* HttpUpstream.make({ url: live.url }), "quiet")
      ])
      yield* Service.ask(service, { body: BODY, headers: { host: "live.localhost" } })
      yield* Service.ask(service, { body: BODY, headers: { host: "gone.localhost" } })
      const answer = yield* Service.ask(service, { path: "/health", method: "GET" })
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers["cache-control"], "no-store")
      assert.deepStrictEqual(JSON.parse(answer.body), {
        status: "degraded",
        degraded: ["network gone: no node answers"],
        networks: [
          { name: "live", chainId: 31_337, upstream: "up" },
          { name: "gone", chainId: 31_337, upstream: "down" },
          { name: "quiet", chainId: 31_337, upstream: "untried" }
        ],
        accounts: { store: "up" },
        limiter: { store: "untried", whenDown: "closed" },
        metering: { store: "up", waiting: 0, rows: 0, behind: 0 }
      })
      const head = yield* Service.ask(service, { path: "/health", method: "HEAD" })
      assert.deepStrictEqual([head.status, head.body], [200, ""])
      assert.strictEqual(head.headers["content-length"], answer.headers["content-length"])
    }).pipe(Effect.scoped)
  )

  it.live("goes to the network of its host, and to the default one from any other", () =>
    Effect.gen(function* () {
      const named = (name: string) =>
        Service.network({ call: () => Effect.succeed(new TextEncoder().encode(JSON.stringify(name))) }, name)
      const service = yield* Service.start([named("live"), named("history")], { defaultNetwork: "history" })
      const at = (headers: Readonly<Record<string, string>>, path = `/v3/${KEY}`) =>
        Effect.map(Service.ask(service, { body: BODY, headers, path }), ({ body }) => JSON.parse(body).result)
      assert.strictEqual(yield* at({ host: "live.localhost" }), "live")
      assert.strictEqual(yield* at({ host: "LIVE.localhost.:8545" }), "live")
      assert.strictEqual(yield* at({ host: "history.localhost:1" }), "history")
      assert.strictEqual(yield* at({ host: "elsewhere.example" }), "history")
      assert.strictEqual(yield* at({ host: "[::1]:8545" }), "history")
      assert.strictEqual(yield* at({ host: "elsewhere.example" }, `http://live.localhost:1/v3/${KEY}`), "live")
      const old = yield* Service.raw(
        service,
        `POST /v3/${KEY} HTTP/1.0\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`
      )
      assert.include(old, '"result":"history"')
    }).pipe(Effect.scoped)
  )
})
