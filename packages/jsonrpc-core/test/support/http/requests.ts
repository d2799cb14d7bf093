/** Tests of the requests that are sent. */
import { assert, describe, it } from "@effect/vitest"
import { type HttpTransport, JsonRpcClient, Method, MethodGroup, Transport } from "@plumbline/jsonrpc-core"
import * as Spans from "@plumbline/seeded/Spans"
import { Effect, Redacted, Schema, Tracer } from "effect"

import * as HttpServer from "../httpServer.ts"
import { CALL, failure, result, type Subject } from "./subject.ts"

const group = MethodGroup.make(Method.make("m", { params: [], result: Schema.String }))

export const requests = ({ name, make, traits }: Subject): void => {
  const { unpacks } = traits
  describe(`${name}: requests`, () => {
    it.effect("are one POST of JSON with an id of ours", () =>
      Effect.gen(function* () {
        const requests: Array<HttpServer.Asked> = []
        const url = yield* HttpServer.responding((asked) => {
          requests.push(asked)
          return Response.json(result(asked.json.id, "0x1"))
        })
        const transport = yield* make({
          url: Redacted.make(`${url}v3/key?a=b#part`),
          headers: { "x-key": Redacted.make("k"), "Content-Type": "application/json; charset=utf-8" }
        })
        yield* transport.call({ method: "a", params: [1, null, "é"] })
        yield* transport.call({ method: "b", params: [] })
        assert.deepStrictEqual(
          requests.map(({ method, path, json }) => [method, path, json]),
          [
            ["POST", "/v3/key?a=b", { jsonrpc: "2.0", id: 1, method: "a", params: [1, null, "é"] }],
            ["POST", "/v3/key?a=b", { jsonrpc: "2.0", id: 2, method: "b", params: [] }]
          ]
        )
        const { headers } = requests[0]!
        assert.strictEqual(headers["content-type"], "application/json; charset=utf-8")
        assert.strictEqual(headers["accept"], "application/json")
        assert.strictEqual(headers["x-key"], "k")
        assert.isUndefined(headers["traceparent"])
        assert.strictEqual(headers["accept-encoding"] !== undefined, unpacks)
      }).pipe(Effect.withSpan("caller"))
    )

    it.effect("carry the trace of their call, if a tracer keeps it", () =>
      Effect.gen(function* () {
        const heard: Array<unknown> = []
        const url = yield* HttpServer.responding(({ headers, json }) => {
          heard.push(headers["traceparent"])
          return Response.json(result(json.id, "0x1"))
        })
        const transport = yield* make({ url })
        const { spans, tracer } = Spans.collecting()
        const client = yield* Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
        yield* Effect.provideService(client.m(), Tracer.Tracer, tracer)
        yield* client.m()
        assert.lengthOf(spans, 1)
        const [{ kind, name, spanId, traceId }] = spans as [Tracer.NativeSpan]
        assert.deepStrictEqual([name, kind], ["m", "client"])
        assert.deepStrictEqual(heard, [`00-${traceId}-${spanId}-01`, undefined])
      })
    )

    it.effect("send several calls as one batch, and one call alone", () =>
      Effect.gen(function* () {
        const bodies: Array<any> = []
        const url = yield* HttpServer.responding(({ json }) => {
          bodies.push(json)
          return Response.json(
            Array.isArray(json) ? json.map((call) => result(call.id, call.method)) : result(json.id, 1)
          )
        })
        const transport = yield* make({ url })
        yield* transport.callAll([])
        yield* transport.callAll([{ method: "a", params: [] }])
        yield* transport.callAll(["a", "b", "c"].map((method) => ({ method, params: [] })))
        assert.lengthOf(bodies, 2)
        assert.isFalse(Array.isArray(bodies[0]))
        assert.lengthOf(bodies[1], 3)
        assert.lengthOf(new Set(bodies.flat().map((call) => call.id)), 4)
      })
    )

    it.effect("turn a name and password of the URL into Basic authentication", () =>
      Effect.gen(function* () {
        const seen: Array<string | undefined> = []
        const url = yield* HttpServer.responding(({ headers }) => {
          seen.push(headers.authorization)
          return Response.json(result(1, null))
        })
        for (const user of [":s%C3%A9cret", "u:p"]) {
          const transport = yield* make({ url: url.replace("://", `://${user}@`) })
          yield* transport.call(CALL)
        }
        assert.deepStrictEqual(
          seen,
          [":sécret", "u:p"].map((text) => `Basic ${Buffer.from(text).toString("base64")}`)
        )
      })
    )

    it.effect("are not sent to a wrong URL, nor with wrong headers", () =>
      Effect.gen(function* () {
        const messageOf = (options: HttpTransport.HttpEndpoint) =>
          Effect.map(Effect.flatMap(make(options), failure), ({ message, notDone, retryable }) => [
            message,
            retryable,
            notDone
          ])
        const invalid = ["m: invalid URL", false, true]
        assert.deepStrictEqual(yield* messageOf({ url: "not a url" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "/v3/key" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "http://[::1/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "ftp://node.example/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "wss://node.example/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "http://a:100%@node.example/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "http://node.example/", headers: { "x-key": "a\nb: c" } }), [
          "m: invalid headers",
          false,
          true
        ])
      })
    )
  })
}
