/** Each command has a span, and its request carries the span's `traceparent`. */
import { assert, describe, it } from "@effect/vitest"
import { Cid, IpfsClient } from "@plumbline/ipfs-client"
import * as Spans from "@plumbline/seeded/Spans"
import { Effect, References, Stream, Tracer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"

const CID = Cid.fromTextUnsafe("Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD")

describe("the trace of a command", () => {
  it.effect("begins with a span of the command's name, whose id the node gets", () =>
    Effect.gen(function* () {
      const heard: Array<unknown> = []
      const node = HttpClient.make((request) => {
        heard.push(request.headers["traceparent"])
        return Effect.succeed(HttpClientResponse.fromWeb(request, new Response("hello")))
      })
      const { spans, tracer } = Spans.collecting()
      const options = { url: "https://ipfs.example", apiKey: "the-key", apiKeySecret: "the-secret" }
      const ipfs = yield* Effect.provideService(IpfsClient.make(options), HttpClient.HttpClient, node)
      const both = Effect.andThen(ipfs.blockGet(CID), Stream.runDrain(ipfs.cat(CID)))
      yield* Effect.provideService(both, Tracer.Tracer, tracer)
      yield* both
      assert.deepStrictEqual(
        spans.map(({ kind, name, status }) => [name, kind, status._tag]),
        [
          ["ipfs block/get", "client", "Ended"],
          ["ipfs cat", "client", "Ended"]
        ]
      )
      assert.deepStrictEqual(heard, [
        ...spans.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`),
        undefined,
        undefined
      ])
      heard.length = 0
      const silent = both.pipe(Effect.provideService(Tracer.DisablePropagation, true))
      yield* Effect.provideService(silent, Tracer.Tracer, tracer)
      const disabled = both.pipe(Effect.provideService(References.TracerEnabled, false))
      yield* Effect.provideService(disabled, Tracer.Tracer, tracer)
      assert.deepStrictEqual(heard, [undefined, undefined, undefined, undefined])
      assert.notInclude(JSON.stringify(spans.map(({ attributes, name }) => [name, ...attributes])), "the-")
    })
  )
})
