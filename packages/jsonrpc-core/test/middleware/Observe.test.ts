import { assert, describe, it } from "@effect/vitest"
import { Batching, JsonRpcClient, JsonRpcError, Method, MethodGroup, Observe, Transport } from "@plumbline/jsonrpc-core"
import * as Spans from "@plumbline/seeded/Spans"
import { Context, Effect, Exit, Fiber, Layer, Metric, Option, References, Result, Schema, Tracer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Otlp, PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"

import * as Scripted from "../support/scripted.ts"

const attributesOf = (span: Tracer.Span) => Object.fromEntries(span.attributes)

const exitOf = (span: Tracer.Span) => {
  assert(span.status._tag === "Ended")
  return span.status.exit
}

const traced = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const { spans, tracer } = Spans.collecting()
    const exit = yield* Effect.exit(Effect.provideService(effect, Tracer.Tracer, tracer))
    return { spans, exit }
  })

/** Returns each metric series as one line, with its state. */
const metered = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    yield* Effect.exit(effect)
    const snapshot = yield* Metric.snapshot
    return new Map(
      snapshot.map((metric) => [
        [metric.id, ...Object.entries(metric.attributes ?? {}).map(([name, value]) => `${name}=${value}`)].join(" "),
        metric.state
      ])
    )
  }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))

const fork = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const CALL = {
  "rpc.system.name": "jsonrpc",
  "rpc.method": "eth_call",
  "jsonrpc.protocol.version": "2.0"
}

const group = MethodGroup.make(Method.make("eth_call", { params: [], result: Schema.Unknown }))

describe("the span of a call", () => {
  it.effect("is made once, by the client or by the middleware, and once more at a node with a name", () =>
    Effect.gen(function* () {
      const spansOf = Effect.fnUntraced(function* (...middleware: ReadonlyArray<Transport.Middleware>) {
        const transport = middleware.reduce((inner, outer) => outer(inner), Scripted.echo().transport)
        const client = yield* Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
        const { spans } = yield* traced(client.eth_call())
        return spans.map((span) => [span.name, attributesOf(span)])
      })
      assert.deepStrictEqual(yield* spansOf(), [["eth_call", CALL]])
      assert.deepStrictEqual(yield* spansOf(Observe.make()), [["eth_call", CALL]])
      assert.deepStrictEqual(yield* spansOf(Observe.make({ name: "archive" }), Observe.make()), [
        ["eth_call", CALL],
        ["eth_call", { ...CALL, "service.peer.name": "archive" }]
      ])
    })
  )

  it.effect("is made for a packet too, although the packet runs inside the span of its first call", () =>
    Effect.gen(function* () {
      const transport = Batching.make()(Observe.make()(Scripted.echo().transport))
      const client = yield* Effect.provideService(JsonRpcClient.make(group), Transport.Transport, transport)
      const calls = Effect.all([client.eth_call(), client.eth_call()], { concurrency: 2 })
      const { spans } = yield* traced(calls)
      assert.deepStrictEqual(spans.map(({ name }) => name).toSorted(), ["eth_call", "eth_call", "jsonrpc"])
      const packet = spans.find(({ name }) => name === "jsonrpc")!
      assert.strictEqual(attributesOf(packet)["jsonrpc.batch.size"], 2)
    })
  )

  it.effect("is named after the method, and is a client's", () =>
    Effect.gen(function* () {
      const { call } = Observe.make()(Scripted.echo().transport)
      const { spans } = yield* traced(call(Scripted.call("eth_call", { to: "0x1" })))
      assert.lengthOf(spans, 1)
      assert.strictEqual(spans[0]!.name, "eth_call")
      assert.strictEqual(spans[0]!.kind, "client")
      assert.deepStrictEqual(attributesOf(spans[0]!), CALL)
      assert.deepStrictEqual(exitOf(spans[0]!), Exit.void)
    })
  )

  it.effect("tells the server's name where it has one", () =>
    Effect.gen(function* () {
      const { call } = Observe.make({ name: "archive" })(Scripted.echo().transport)
      const { spans } = yield* traced(call(Scripted.call("eth_call")))
      assert.deepStrictEqual(attributesOf(spans[0]!), { ...CALL, "service.peer.name": "archive" })
    })
  )

  it.effect("tells the code and the kind of a server's error, and of other failures the tag", () =>
    Effect.gen(function* () {
      for (const [reason, attributes] of [
        [Scripted.limited(), { "error.type": "rateLimited", "rpc.status_code": "-32005" }],
        [Scripted.reverted(), { "error.type": "executionFailed", "rpc.status_code": "3" }],
        [Scripted.refused(), { "error.type": "TransportError" }],
        [Scripted.timedOut(), { "error.type": "TimeoutError" }],
        [Scripted.malformed(), { "error.type": "ProtocolError" }]
      ] as const) {
        const { call } = Observe.make()(Scripted.inOrder(Effect.fail(reason)).transport)
        const { spans, exit } = yield* traced(call(Scripted.call("eth_call")))
        assert.deepStrictEqual(attributesOf(spans[0]!), { ...CALL, ...attributes })
        assert.isTrue(Exit.isFailure(exitOf(spans[0]!)))
        // The caller gets the unchanged error.
        assert(Exit.isFailure(exit))
        assert.deepStrictEqual(
          Exit.findErrorOption(exit),
          Option.some(new JsonRpcError.JsonRpcError({ method: "eth_call", reason }))
        )
      }
    })
  )

  it.effect("ends with an interruption as such, and with a defect without its text", () =>
    Effect.gen(function* () {
      const { spans, tracer } = Spans.collecting()
      const hanging = Observe.make()(Scripted.inOrder(Effect.never).transport)
      const fiber = yield* fork(Effect.provideService(hanging.call(Scripted.call("eth_call")), Tracer.Tracer, tracer))
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(attributesOf(spans[0]!), CALL)
      assert.isTrue(Exit.hasInterrupts(exitOf(spans[0]!)))

      const dying = Observe.make()(Scripted.inOrder(Effect.die("boom")).transport)
      const other = yield* traced(dying.call(Scripted.call("eth_call")))
      assert.deepStrictEqual(attributesOf(other.spans[0]!), { ...CALL, "error.type": "Defect" })
      assert.deepStrictEqual(exitOf(other.spans[0]!), Exit.fail({ name: "Defect", message: "Defect" }))
      assert.isTrue(Exit.hasDies(other.exit))
    })
  )

  it.effect("is the parent of what happens beneath, and the child of what is around", () =>
    Effect.gen(function* () {
      const script = Scripted.make(() => Effect.withSpan(Effect.succeed(1), "http"))
      const { call } = Observe.make()(script.transport)
      const { spans } = yield* traced(Effect.withSpan(call(Scripted.call("eth_call")), "work"))
      assert.deepStrictEqual(
        spans.map((span) => [
          span.name,
          Option.getOrUndefined(Option.map(span.parent, (parent) => (parent._tag === "Span" ? parent.name : "")))
        ]),
        [
          ["work", undefined],
          ["eth_call", "work"],
          ["http", "eth_call"]
        ]
      )
    })
  )

  it.effect("lasts as long as the call", () =>
    Effect.gen(function* () {
      const { spans, tracer } = Spans.collecting()
      const { call } = Observe.make()(Scripted.inOrder(Effect.delay(Effect.succeed(1), "250 millis")).transport)
      const fiber = yield* fork(Effect.provideService(call(Scripted.call()), Tracer.Tracer, tracer))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(fiber)
      const { status } = spans[0]!
      assert(status._tag === "Ended")
      assert.strictEqual(status.endTime - status.startTime, 250_000_000n)
    })
  )

  it.effect("is not made where nobody keeps it", () =>
    Effect.gen(function* () {
      const seen: Array<boolean> = []
      const script = Scripted.make(() =>
        Effect.map(Effect.context(), (context) => {
          seen.push(Option.isSome(Context.getOption(context, Tracer.ParentSpan)))
        })
      )
      const { call } = Observe.make()(script.transport)
      yield* call(Scripted.call())
      const { spans, tracer } = Spans.collecting()
      yield* call(Scripted.call()).pipe(
        Effect.provideService(References.TracerEnabled, false),
        Effect.provideService(Tracer.Tracer, tracer)
      )
      assert.lengthOf(spans, 0)
      assert.isFalse(seen[0])
    })
  )
})

describe("the span of a packet", () => {
  it.effect("tells how many calls it holds, and how many of them failed", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ method }) =>
        method === "b" ? Effect.fail(Scripted.reverted()) : Effect.succeed(method)
      )
      const { callAll } = Observe.make({ name: "archive" })(script.transport)
      const packet = { "rpc.system.name": "jsonrpc", "service.peer.name": "archive", "jsonrpc.protocol.version": "2.0" }
      const { spans } = yield* traced(
        Effect.all([callAll([Scripted.call("a"), Scripted.call("b")]), callAll([Scripted.call("a")]), callAll([])])
      )
      assert.deepStrictEqual(
        spans.map((span) => [span.name, attributesOf(span)]),
        [
          ["jsonrpc", { ...packet, "jsonrpc.batch.size": 2, "jsonrpc.batch.failed": 1 }],
          ["jsonrpc", { ...packet, "jsonrpc.batch.size": 1 }]
        ]
      )
    })
  )

  it.effect("ends with an interruption as such", () =>
    Effect.gen(function* () {
      const { spans, tracer } = Spans.collecting()
      const { callAll } = Observe.make()(Scripted.inOrder(Effect.never).transport)
      const fiber = yield* fork(Effect.provideService(callAll([Scripted.call()]), Tracer.Tracer, tracer))
      yield* Fiber.interrupt(fiber)
      assert.isTrue(Exit.hasInterrupts(exitOf(spans[0]!)))
    })
  )
})

describe("metrics", () => {
  it.effect("count calls by method and outcome, and time them in seconds", () =>
    Effect.gen(function* () {
      const script = Scripted.make((_, nth) =>
        Effect.delay(nth === 2 ? Effect.fail(Scripted.limited()) : Effect.succeed(nth), "300 millis")
      )
      const { call } = Observe.make({ name: "archive" })(script.transport)
      const fiber = yield* fork(
        metered(
          Effect.all(
            ["eth_call", "eth_call", "eth_call", "eth_chainId"].map((method) =>
              Effect.result(call(Scripted.call(method)))
            )
          )
        )
      )
      yield* TestClock.adjust("1 minute")
      const series = yield* Fiber.join(fiber)
      const labels = (method: string) => `rpc.system.name=jsonrpc service.peer.name=archive rpc.method=${method}`
      assert.deepStrictEqual(
        [...series.keys()],
        [
          `rpc.client.call.duration ${labels("eth_call")} unit=s`,
          `rpc.client.calls ${labels("eth_call")} outcome=ok`,
          `rpc.client.call.duration ${labels("eth_call")} error.type=rateLimited unit=s`,
          `rpc.client.calls ${labels("eth_call")} outcome=rateLimited`,
          `rpc.client.call.duration ${labels("eth_chainId")} unit=s`,
          `rpc.client.calls ${labels("eth_chainId")} outcome=ok`
        ]
      )
      assert.deepInclude(series.get(`rpc.client.calls ${labels("eth_call")} outcome=ok`), { count: 2 })
      assert.deepInclude(series.get(`rpc.client.calls ${labels("eth_call")} outcome=rateLimited`), { count: 1 })
      assert.deepInclude(series.get(`rpc.client.call.duration ${labels("eth_call")} unit=s`), {
        count: 2,
        sum: 0.6,
        min: 0.3,
        max: 0.3
      })
    })
  )

  it.effect("count interruptions and defects too", () =>
    Effect.gen(function* () {
      const script = Scripted.inOrder(Effect.die("boom"), Effect.never)
      const { call } = Observe.make()(script.transport)
      const series = yield* metered(
        Effect.gen(function* () {
          yield* Effect.exit(call(Scripted.call()))
          yield* Fiber.interrupt(yield* fork(call(Scripted.call())))
        })
      )
      assert.deepStrictEqual(
        [...series.keys()].filter((line) => line.startsWith("rpc.client.calls")),
        [
          "rpc.client.calls rpc.system.name=jsonrpc rpc.method=m outcome=Defect",
          "rpc.client.calls rpc.system.name=jsonrpc rpc.method=m outcome=Interrupted"
        ]
      )
    })
  )

  it.effect("count each call of a packet", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ method }) =>
        method === "b" ? Effect.fail(Scripted.reverted()) : Effect.succeed(method)
      )
      const { callAll } = Observe.make()(script.transport)
      const series = yield* metered(callAll([Scripted.call("a"), Scripted.call("b"), Scripted.call("a")]))
      const labels = "rpc.client.calls rpc.system.name=jsonrpc rpc.method"
      assert.deepInclude(series.get(`${labels}=a outcome=ok`), { count: 2 })
      assert.deepInclude(series.get(`${labels}=b outcome=executionFailed`), { count: 1 })
      assert.strictEqual((yield* metered(callAll([]))).size, 0)
    })
  )

  it.effect("make no more series than there are methods worth one", () =>
    Effect.gen(function* () {
      const { call } = Observe.make()(Scripted.echo().transport)
      const many = Array.from({ length: 1000 }, (_, n) => call(Scripted.call(`method${n}`)))
      const series = yield* metered(Effect.all(many))
      assert.strictEqual(series.size, 2 * 257)
      assert.deepInclude(series.get("rpc.client.calls rpc.system.name=jsonrpc rpc.method=_OTHER outcome=ok"), {
        count: 744
      })

      const chosen = Observe.make({ methods: ["a"] })(Scripted.echo().transport)
      const { spans } = yield* traced(
        Effect.all([
          chosen.call(Scripted.call("a")),
          chosen.call(Scripted.call("b")),
          chosen.call(Scripted.call("_OTHER"))
        ])
      )
      assert.deepStrictEqual(
        spans.map((span) => [span.name, span.attributes.get("rpc.method"), span.attributes.get("rpc.method_original")]),
        [
          ["a", "a", undefined],
          ["jsonrpc", "_OTHER", "b"],
          ["jsonrpc", "_OTHER", undefined]
        ]
      )
    })
  )
})

describe("secrets", () => {
  const SECRET = "hunter2-f00dfeed"

  const saying = (text: string): ReadonlyArray<Scripted.Ending> => [
    Effect.succeed(text),
    Effect.fail(new JsonRpcError.RemoteError({ code: -32000, message: text, data: { see: text } })),
    Effect.fail(new JsonRpcError.TransportError({ detail: text, retryable: true })),
    Effect.fail(new JsonRpcError.ProtocolError({ detail: text })),
    Effect.fail(new JsonRpcError.DecodeError({ path: [text], detail: text })),
    Effect.fail(new JsonRpcError.EncodeError({ path: [text], detail: text })),
    Effect.fail(new JsonRpcError.DisagreementError({ needed: 2, answers: [{ node: "a", error: text }] })),
    Effect.die(new Error(text))
  ]

  it.effect("are in nothing that is exported, whoever wrote them", () =>
    Effect.gen(function* () {
      const bodies: Array<string> = []
      const collector = HttpClient.make((request) =>
        Effect.sync(() => {
          assert(request.body._tag === "Uint8Array")
          bodies.push(new TextDecoder().decode(request.body.body))
          return HttpClientResponse.fromWeb(request, new Response("{}"))
        })
      )
      const use = (node: Transport.Transport["Service"]) =>
        Effect.all([
          Effect.exit(node.call(Scripted.call("eth_call", SECRET, { to: SECRET }))),
          Effect.exit(node.callAll([Scripted.call("eth_call", SECRET), Scripted.call("eth_call", [SECRET])]))
        ])
      const prometheus = yield* Effect.forEach(saying(SECRET), (ending) =>
        use(Observe.make({ name: "archive" })(Scripted.inOrder(ending).transport))
      ).pipe(
        Effect.andThen(PrometheusMetrics.format()),
        Effect.provide(
          Otlp.layerJson({ baseUrl: "http://collector.example", resource: { serviceName: "test" } }).pipe(
            Layer.provide(Layer.succeed(HttpClient.HttpClient, collector))
          )
        ),
        Effect.provideService(Metric.MetricRegistry, new Map())
      )
      const exported = bodies.join("\n")
      assert.notInclude(exported, SECRET)
      assert.notInclude(prometheus, SECRET)
      // The secrets are absent although something was exported.
      const spans = bodies.flatMap((body) =>
        (JSON.parse(body).resourceSpans ?? []).flatMap((resource: any) => resource.scopeSpans[0].spans)
      )
      assert.lengthOf(spans, 16)
      const failed = spans.filter((span: any) => span.status.code === 2)
      assert.deepStrictEqual(
        failed.map((span: any) => span.status.message),
        [
          "other",
          "TransportError",
          "ProtocolError",
          "DecodeError",
          "EncodeError",
          "DisagreementError",
          "Defect",
          "Defect"
        ]
      )
      const errorCode = failed[0].attributes.find((attribute: any) => attribute.key === "rpc.status_code")
      assert.deepStrictEqual(errorCode.value, { stringValue: "-32000" })
      assert.include(prometheus, 'rpc_client_call_duration_bucket{rpc_system_name="jsonrpc"')
      assert.include(prometheus, 'outcome="other"')
    })
  )
})

describe("what passes", () => {
  it.effect("is what passed without", () =>
    Effect.gen(function* () {
      const script = Scripted.make(({ method }) =>
        method === "b" ? Effect.fail(Scripted.reverted()) : Effect.succeed(null)
      )
      const { call, callAll } = Observe.make()(script.transport)
      assert.isNull(yield* call(Scripted.call("a")))
      assert.deepStrictEqual((yield* Effect.flip(call(Scripted.call("b")))).reason, Scripted.reverted())
      const outcomes = yield* callAll([Scripted.call("a"), Scripted.call("b")])
      assert.deepStrictEqual(outcomes.map(Result.isSuccess), [true, false])
      assert.deepStrictEqual(
        script.packets.map((packet) => packet.together),
        [false, false, true]
      )
    })
  )
})
