/** Traces through the gateway: from the `traceparent` of a caller to the `traceparent` of the call to the node. */
import type { IncomingHttpHeaders } from "node:http"

import { assert, describe, it } from "@effect/vitest"
import { type GatewayOptions, HttpUpstream } from "@plumbline/gateway"
import * as Spans from "@plumbline/seeded/Spans"
import { Effect, Option, type Tracer } from "effect"

import * as FakeNode from "../support/fakeNode.ts"
import { ADDRESS } from "../support/methods.ts"
import * as Service from "../support/service.ts"

const TRACE = "0af7651916cd43dd8448eb211c80319c"
const PARENT = "b7ad6b7169203331"
const BODY = Service.call("eth_chainId")

/** Starts a service with a node behind HTTP. The test sees the spans, and the headers that the node got. */
const started = Effect.fnUntraced(function* (sample: number | undefined, behaviour?: FakeNode.Behaviour) {
  const { spans, tracer } = Spans.collecting()
  const heard: Array<IncomingHttpHeaders> = []
  const node = yield* FakeNode.make((asked) => (response, request) => {
    heard.push(request.headers)
    const answer = behaviour?.(asked) ?? { result: "0x1" }
    if (typeof answer === "function") answer(response, request)
    else FakeNode.json(response, JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...answer }))
  })
  const options: Partial<GatewayOptions.GatewayOptions> = sample === undefined ? {} : { tracing: { tracer, sample } }
  const service = yield* Service.start(yield* HttpUpstream.make({ url: node.url }), options)
  const ask = (traceparent?: string, body = BODY) =>
    Service.ask(service, { body, headers: traceparent === undefined ? {} : { traceparent } })
  return { service, spans, heard, ask, ended: () => spans.filter(({ status }) => status._tag === "Ended") }
})

const parentOf = ({ parent }: Tracer.Span): string | undefined => Option.getOrUndefined(parent)?.spanId

describe("a trace", () => {
  it.live("goes from the caller through the gateway to its node", () =>
    Effect.gen(function* () {
      const { ask, ended, heard } = yield* started(1)
      const { headers } = yield* ask(`00-${TRACE}-${PARENT}-01`)
      const [request, call] = ended().toSorted((a, b) => (a.kind === "server" ? -1 : b.kind === "server" ? 1 : 0))
      assert.deepStrictEqual([request!.name, call!.name], ["POST /v3", "eth_chainId"])
      assert.deepStrictEqual([request!.traceId, call!.traceId], [TRACE, TRACE])
      assert.deepStrictEqual([parentOf(request!), parentOf(call!)], [PARENT, request!.spanId])
      assert.deepStrictEqual(
        heard.map(({ traceparent }) => traceparent),
        [`00-${TRACE}-${call!.spanId}-01`]
      )
      assert.deepStrictEqual(Object.fromEntries(request!.attributes), {
        "http.request.method": "POST",
        "http.route": "/v3",
        "http.response.status_code": 200,
        "plumbline.request_id": headers["x-request-id"],
        "plumbline.project": "open",
        "plumbline.network": "live"
      })
    })
  )

  it.live("begins at the gateway without a valid header, and has a span for each call of a batch", () =>
    Effect.gen(function* () {
      const { ask, ended, heard } = yield* started(1)
      yield* ask(
        `01-${TRACE}-${PARENT}-01`,
        `[${BODY},${Service.call("eth_getStorageAt", [ADDRESS, "0x00", "latest"])}]`
      )
      const server = ended().find(({ kind }) => kind === "server")
      const calls = ended().filter(({ kind }) => kind === "client")
      assert.notStrictEqual(server!.traceId, TRACE)
      assert.isUndefined(parentOf(server!))
      assert.deepStrictEqual(calls.map(({ name }) => name).sort(), ["eth_chainId", "eth_getStorageAt"])
      for (const call of calls) assert.strictEqual(parentOf(call), server!.spanId)
      assert.strictEqual(new Set(heard.map(({ traceparent }) => traceparent)).size, 2)
    })
  )

  it.live("of a WebSocket belongs to its handshake", () =>
    Effect.gen(function* () {
      const { ended, service } = yield* started(1)
      const client = yield* Service.connected(service, { headers: { traceparent: `00-${TRACE}-${PARENT}-01` } })
      for (const id of [1, 2]) {
        client.socket.send(Service.call("eth_chainId", [], id))
        yield* Effect.promise(() => client.next())
      }
      const messages = ended().filter(({ kind }) => kind === "server")
      assert.deepStrictEqual(
        messages.map((span) => [span.name, span.traceId, parentOf(span)]),
        [1, 2].map(() => ["message /ws/v3", TRACE, PARENT])
      )
    })
  )

  it.live("is not made if the caller or the operator wants none", () =>
    Effect.gen(function* () {
      for (const [sample, header] of [
        [1, `00-${TRACE}-${PARENT}-00`],
        [0, `00-${TRACE}-${PARENT}-01`],
        [undefined, `00-${TRACE}-${PARENT}-01`]
      ] as const) {
        const { ask, heard, spans } = yield* started(sample)
        yield* ask(header)
        assert.deepStrictEqual([spans.length, heard[0]!["traceparent"]], [0, undefined])
      }
    })
  )

  it.live("is made for a share of the requests, whatever callers ask for", () =>
    Effect.gen(function* () {
      const { ask, spans } = yield* started(0.5)
      for (let index = 0; index < 60; index++) yield* ask(`00-${TRACE}-${PARENT}-01`)
      const requests = spans.filter(({ kind }) => kind === "server").length
      // Each request has a trace with a probability of 1/2. A number outside these bounds has a probability below
      // 10^-9.
      assert.isAbove(requests, 5)
      assert.isBelow(requests, 55)
    })
  )

  it.live("holds no key, no parameters and no words of a node", () =>
    Effect.gen(function* () {
      const secret = `0x${"5e".repeat(20)}`
      const { ask, ended, service, spans } = yield* started(1, ({ method }) =>
        method === "eth_chainId"
          ? { error: { code: 3, message: `reverted by ${secret}` } }
          : (response) => response.destroy()
      )
      yield* ask()
      yield* ask(undefined, Service.call("eth_getStorageAt", [secret, "0x00", "latest"]))
      yield* Service.ask(service, { path: `/v3/${Service.SECRET}`, body: BODY })
      const text = JSON.stringify(
        spans.map(({ attributes, name, status }) => [
          name,
          [...attributes],
          status._tag === "Ended" ? JSON.stringify(status.exit) : ""
        ])
      )
      for (const hidden of [Service.KEY, Service.SECRET, secret, "reverted"]) assert.notInclude(text, hidden)
      const calls = ended().filter(({ kind }) => kind === "client")
      assert.deepStrictEqual(
        calls.map(({ attributes, status }) => [
          attributes.get("rpc.jsonrpc.error_code"),
          status._tag === "Ended" && status.exit._tag
        ]),
        [
          [3, "Success"],
          [undefined, "Failure"]
        ]
      )
      const statuses = ended()
        .filter(({ kind }) => kind === "server")
        .map(({ attributes }) => attributes.get("http.response.status_code"))
      assert.deepStrictEqual(statuses, [200, 502, 401])
    })
  )
})
