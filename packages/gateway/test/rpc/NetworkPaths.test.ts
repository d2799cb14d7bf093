/** Networks named in the path: `/<network>/v3/<key>`. Networks can still be chosen by host. */
import { assert, describe, it } from "@effect/vitest"
import { Redaction } from "@plumbline/gateway"
import { Effect } from "effect"

import * as Service from "../support/service.ts"
import { KEY } from "../support/service.ts"

/** Two networks. Each answers with its own name. */
const networks = ["first", "second"].map((name) =>
  Service.network({ call: () => Effect.succeed(new TextEncoder().encode(`"${name}"`)) }, name)
)

const body = Service.call("eth_chainId")
const answeredBy = (name: string) => `{"jsonrpc":"2.0","id":1,"result":"${name}"}`

const started = Service.start(networks)

describe("a path that begins with a network", () => {
  it.live("leads to it over HTTP, whatever the host", () =>
    Effect.gen(function* () {
      const service = yield* started
      const answerOf = (path: string, host = "127.0.0.1") =>
        Effect.map(Service.ask(service, { path, headers: { host }, body }), ({ body }) => body)
      for (const host of ["127.0.0.1", "first.localhost", "second.localhost", "elsewhere.example"]) {
        assert.strictEqual(yield* answerOf(`/first/v3/${KEY}`, host), answeredBy("first"))
        assert.strictEqual(yield* answerOf(`/second/v3/${KEY}`, host), answeredBy("second"))
        assert.strictEqual(yield* answerOf(`/second/v3/${KEY}?a=/v3/b`, host), answeredBy("second"))
      }
      assert.strictEqual(yield* answerOf(`http://first.localhost/second/v3/${KEY}`), answeredBy("second"))
      // The host still chooses a network.
      assert.strictEqual(yield* answerOf(`/v3/${KEY}`, "second.localhost"), answeredBy("second"))
    }).pipe(Effect.scoped)
  )

  it.live("leads to it over a WebSocket, for its whole life", () =>
    Effect.gen(function* () {
      const service = yield* started
      const client = yield* Service.connected(service, {
        path: `/second/ws/v3/${KEY}`,
        headers: { host: "first.localhost" }
      })
      for (let count = 0; count < 2; count++) {
        client.socket.send(body)
        assert.strictEqual(yield* Effect.promise(() => client.next()), answeredBy("second"))
        // After a reload the caller is admitted again, with the new options.
        yield* service.reload({ networks: networks.toReversed() })
      }
      yield* service.reload({ networks: networks.slice(0, 1) })
      assert.strictEqual((yield* Effect.promise(() => client.closed)).code, 1008)
    }).pipe(Effect.scoped)
  )

  it.live("that does not exist, with a good key and with none", () =>
    Effect.gen(function* () {
      const service = yield* started
      const paths = ["/third/v3/", "/FIRST/v3/", "/first%2Fv3/v3/", "/fir%73t/v3/", "//v3/", "/api/v3/", "/health/v3/"]
      for (const path of [...paths, "/first/second/v3/", "/first/v3/x/", "/first/api/v0/", "/constructor/v3/"]) {
        for (const key of [KEY, "f".repeat(32)]) {
          const { body: text, status } = yield* Service.ask(service, { path: `${path}${key}`, body })
          assert.deepStrictEqual([path, status, text], [path, 404, "not found\n"])
        }
      }
      const refused = yield* Service.connect(service, { path: `/third/ws/v3/${KEY}` })
      assert.isFalse(refused instanceof Service.Client)
      assert.strictEqual("status" in refused ? refused.status : 0, 404)
    }).pipe(Effect.scoped)
  )

  it.live("asks for a key, and is refused, as the host's would be", () =>
    Effect.gen(function* () {
      const service = yield* started
      const cases = [
        ["/first/v3", "POST", 401, "project id required in the url\n"],
        ["/first/v3/", "POST", 401, "project id required in the url\n"],
        [`/first/v3/${"f".repeat(32)}`, "POST", 401, "invalid project id\n"],
        [`/first/v3/${KEY}`, "GET", 405, "method not allowed\n"],
        [`/first/v3/${KEY}`, "OPTIONS", 204, ""],
        [`/first/ws/v3/${KEY}`, "GET", 426, "websocket upgrade required\n"]
      ] as const
      for (const [path, method, status, text] of cases) {
        const answer = yield* Service.ask(service, { path, method, ...(method === "POST" ? { body } : {}) })
        assert.deepStrictEqual([path, answer.status, answer.body], [path, status, text])
      }
    }).pipe(Effect.scoped)
  )

  it("is shown without what stands in the places of a name and a key", () => {
    assert.strictEqual(Redaction.path(`/first/v3/${KEY}`), "/<redacted>/v3/<redacted>")
    assert.strictEqual(Redaction.path(`/${KEY}/ws/v3/first`), "/<redacted>/ws/v3/<redacted>")
    assert.strictEqual(Redaction.text(`GET /first/ws/v3/${KEY} failed`), "GET /first/ws/v3/<redacted> failed")
  })
})
