import { assert, describe, it } from "@effect/vitest"
import { HttpTransport, type JsonRpcError } from "@plumbline/jsonrpc-core"
import { Clock, Deferred, Duration, Effect, Fiber, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"

import * as HttpServer from "./support/httpServer.ts"
import { suite } from "./TransportSuite.ts"

suite("HttpTransport", (handle) =>
  Layer.unwrap(Effect.map(HttpServer.dispatching(handle), (url) => HttpTransport.layer({ url })))
)

const URL_OF_NODE = "https://node.example/"

type Fetch = typeof globalThis.fetch

/** What one POST looks like from the server. */
const sent = (init: RequestInit | undefined): any => {
  assert(typeof init?.body === "string")
  return JSON.parse(init.body)
}

const transportOver = (fetch: Fetch, options?: Partial<HttpTransport.Options>) =>
  HttpTransport.make({ url: URL_OF_NODE, fetch, ...options })

/** The failure of a call that is answered so. */
const failureOf = (response: () => Response | Promise<Response>, options?: Partial<HttpTransport.Options>) =>
  Effect.gen(function* () {
    const transport = yield* transportOver(async () => response(), options)
    const error: JsonRpcError.JsonRpcError = yield* Effect.flip(transport.call({ method: "m", params: [] }))
    return error
  })

const outcomesOf = (count: number, respond: (ids: ReadonlyArray<number>) => Response) =>
  Effect.gen(function* () {
    const transport = yield* transportOver(async (_, init) => respond(sent(init).map((call: any) => call.id)))
    const outcomes = yield* transport.callAll(
      Array.from({ length: count }, (_, n) => ({ method: `m${n}`, params: [] }))
    )
    return outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.message))
  })

const result = (id: unknown, value: unknown) => ({ jsonrpc: "2.0", id, result: value })
const error = (id: unknown, code = -32000, message = "header not found") => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

describe("requests", () => {
  it.effect("are one POST of JSON with an id of ours", () =>
    Effect.gen(function* () {
      const requests: Array<[unknown, RequestInit | undefined]> = []
      const transport = yield* transportOver(
        async (url, init) => {
          requests.push([url, init])
          return Response.json(result(sent(init).id, "0x1"))
        },
        { headers: { "x-key": Redacted.make("k"), "Content-Type": "application/json; charset=utf-8" } }
      )
      yield* transport.call({ method: "a", params: [1, null] })
      yield* transport.call({ method: "b", params: [] })
      assert.deepStrictEqual(
        requests.map(([url, init]) => [url, init?.method, sent(init)]),
        [
          [URL_OF_NODE, "POST", { jsonrpc: "2.0", id: 1, method: "a", params: [1, null] }],
          [URL_OF_NODE, "POST", { jsonrpc: "2.0", id: 2, method: "b", params: [] }]
        ]
      )
      const headers = new Headers(requests[0]![1]?.headers)
      assert.strictEqual(headers.get("content-type"), "application/json; charset=utf-8")
      assert.strictEqual(headers.get("x-key"), "k")
    })
  )

  it.effect("send several calls as one batch, and one call alone", () =>
    Effect.gen(function* () {
      const bodies: Array<any> = []
      const transport = yield* transportOver(async (_, init) => {
        const body = sent(init)
        bodies.push(body)
        return Response.json(
          Array.isArray(body) ? body.map((call) => result(call.id, call.method)) : result(body.id, 1)
        )
      })
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
      const seen: Array<[unknown, string | null]> = []
      const fetch: Fetch = async (url, init) => {
        seen.push([url, new Headers(init?.headers).get("authorization")])
        return Response.json(result(1, null))
      }
      for (const url of ["https://:s%C3%A9cret@node.example/v3", Redacted.make("https://u:p@node.example/v3")]) {
        const transport = yield* transportOver(fetch, { url })
        yield* transport.call({ method: "m", params: [] })
      }
      assert.deepStrictEqual(seen, [
        ["https://node.example/v3", `Basic ${Buffer.from(":sécret").toString("base64")}`],
        ["https://node.example/v3", `Basic ${Buffer.from("u:p").toString("base64")}`]
      ])
    })
  )
})

describe("an answer", () => {
  it.effect("is an answer only to the call that it names", () =>
    Effect.gen(function* () {
      for (const id of [2, 999_999, "1", null, undefined, true, [1], { id: 1 }]) {
        const failure = yield* failureOf(() => Response.json(result(id, "0x1")))
        assert.strictEqual(failure.message, "m: ProtocolError: the answer has another id than the call")
      }
    })
  )

  it.effect("has version 2.0 and exactly one of result and error", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [unknown, string]> = [
        [{ id: 1, result: 1 }, 'the answer has no jsonrpc "2.0"'],
        [{ jsonrpc: "1.0", id: 1, result: 1 }, 'the answer has no jsonrpc "2.0"'],
        [{ id: 1, error: { code: 1, message: "m" } }, 'the answer has no jsonrpc "2.0"'],
        [{ jsonrpc: "2.0", id: 1 }, "the answer has no result and no error"],
        [{ ...result(1, null), error: null }, "the answer has both result and error"],
        [{ ...result(1, 1), ...error(1) }, "the answer has both result and error"],
        [{ jsonrpc: "2.0", id: 1, error: null }, "the error has no code or no message"],
        [{ jsonrpc: "2.0", id: 1, error: "no" }, "the error has no code or no message"],
        [{ jsonrpc: "2.0", id: 1, error: { code: "1", message: "m" } }, "the error has no code or no message"],
        [{ jsonrpc: "2.0", id: 1, error: { code: 1.5, message: "m" } }, "the error has no code or no message"],
        [{ jsonrpc: "2.0", id: 1, error: { code: 1 } }, "the error has no code or no message"],
        [[result(1, 1)], "an array in answer to a single call"],
        [null, "the answer is no object"],
        ["0x1", "the answer is no object"],
        [JSON.parse('{"__proto__":{"jsonrpc":"2.0","id":1,"result":1}}'), 'the answer has no jsonrpc "2.0"']
      ]
      for (const [body, detail] of cases) {
        const failure = yield* failureOf(() => Response.json(body))
        assert.strictEqual(failure.message, `m: ProtocolError: ${detail}`)
        assert.isFalse(failure.retryable)
      }
    })
  )

  it.effect("is JSON, whatever its content type says", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [BodyInit | null, string]> = [
        [null, "the answer is empty"],
        ["", "the answer is empty"],
        [" \n", "the answer is empty"],
        ["<html>hunter2</html>", "the answer is HTML, not JSON"],
        ["\n <!doctype html>", "the answer is HTML, not JSON"],
        ["pong hunter2", "the answer is not JSON"],
        ['{"jsonrpc":"2.0","id":1,"result":"0x', "the answer is not JSON"],
        [new Uint8Array([0x22, 0xff, 0x22]), "the answer is not UTF-8"]
      ]
      for (const [body, detail] of cases) {
        const failure = yield* failureOf(() => new Response(body, { headers: { "content-type": "application/json" } }))
        assert.strictEqual(failure.message, `m: ProtocolError: ${detail}`)
      }
      const transport = yield* transportOver(
        async () => new Response(`\ufeff${JSON.stringify(result(1, 7))}`, { headers: { "content-type": "text/plain" } })
      )
      assert.strictEqual(yield* transport.call({ method: "m", params: [] }), 7)
    })
  )

  it.effect("may be an error without an id that could be read", () =>
    Effect.gen(function* () {
      for (const id of [null, undefined]) {
        const failure = yield* failureOf(() => Response.json(error(id, -32700, "parse error")))
        assert.strictEqual(failure.message, "m: RemoteError -32700 parse error")
      }
      const other = yield* failureOf(() => Response.json(error(7)))
      assert.strictEqual(other.message, "m: ProtocolError: the answer has another id than the call")
    })
  )

  it.effect("keeps what an error has beside its message as data", () =>
    Effect.gen(function* () {
      const dataOf = (member: object) =>
        Effect.map(
          failureOf(() => Response.json({ jsonrpc: "2.0", id: 1, error: { code: 402, message: "m", ...member } })),
          ({ reason }) => (reason._tag === "RemoteError" ? reason.data : reason)
        )
      assert.deepStrictEqual(yield* dataOf({ data: [1] }), [1])
      assert.deepStrictEqual(yield* dataOf({ data: null }), null)
      assert.deepStrictEqual(yield* dataOf({}), undefined)
      assert.deepStrictEqual(yield* dataOf({ event: -33000, details: "no credits" }), {
        event: -33000,
        details: "no credits"
      })
      assert.deepStrictEqual(yield* dataOf({ data: 1, details: "no credits" }), 1)
    })
  )

  it.effect("is read no further than the limit", () =>
    Effect.gen(function* () {
      let pulled = 0
      let cancelled = false
      const endless = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          pulled++
          controller.enqueue(new Uint8Array(1000).fill(0x20))
        },
        cancel: () => {
          cancelled = true
        }
      })
      const streamed = yield* failureOf(() => new Response(endless), { maxBytes: 10_000 })
      assert.strictEqual(streamed.message, "m: TransportError: the answer is larger than 10000 bytes")
      assert.isFalse(streamed.retryable)
      assert.isBelow(pulled, 20)
      assert.isTrue(cancelled)

      const announced = yield* failureOf(() => new Response("{}", { headers: { "content-length": "10001" } }), {
        maxBytes: 10_000
      })
      assert.strictEqual(announced.message, "m: TransportError: the answer is larger than 10000 bytes")

      const body = JSON.stringify(result(1, "x"))
      const transport = yield* transportOver(async () => new Response(body), { maxBytes: body.length })
      assert.strictEqual(yield* transport.call({ method: "m", params: [] }), "x")
    })
  )

  it.effect("survives data that is nested too deeply to be looked through", () =>
    Effect.gen(function* () {
      const levels = 200_000
      const body = `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":${"[".repeat(levels)}${"]".repeat(levels)}}}`
      const failure = yield* failureOf(() => new Response(body))
      assert.strictEqual(failure.message, "m: RemoteError 1 m")
    })
  )
})

describe("a failing HTTP status", () => {
  it.effect("is a transport error that says whether to come again", () =>
    Effect.gen(function* () {
      for (const status of [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504]) {
        for (const body of ["", "nope", "<html>", "{}", JSON.stringify(result(1, 1)), '{"error":"limit"}']) {
          const failure = yield* failureOf(() => new Response(body, { status }))
          assert.strictEqual(failure.message, `m: TransportError: HTTP status ${status}`)
          assert(failure.reason._tag === "TransportError")
          assert.strictEqual(failure.reason.status, status)
          assert.strictEqual(failure.retryable, [429, 502, 503, 504].includes(status))
          assert.isUndefined(failure.retryAfter)
        }
      }
    })
  )

  it.effect("keeps the server's own words", () =>
    Effect.gen(function* () {
      const bodies = [
        error(1, -32005, "slow down"),
        error(null, -32005, "slow down"),
        error(undefined, -32005, "slow down"),
        { error: { code: -32005, message: "slow down" } }
      ]
      for (const body of bodies) {
        const failure = yield* failureOf(() => Response.json(body, { status: 429, headers: { "retry-after": "3" } }))
        assert.strictEqual(failure.message, "m: RemoteError -32005 slow down")
        assert(failure.reason._tag === "RemoteError")
        assert.strictEqual(failure.reason.status, 429)
        assert.isTrue(failure.retryable)
        assert.deepStrictEqual(failure.retryAfter, Duration.seconds(3))
      }
      const notFound = yield* failureOf(() => Response.json(error(1), { status: 500 }))
      assert.strictEqual(notFound.message, "m: RemoteError -32000 header not found")
      assert.isFalse(notFound.retryable)
    })
  )

  it.effect("reads Retry-After as seconds or as any HTTP date", () =>
    Effect.gen(function* () {
      const now = Date.UTC(1994, 10, 6, 8, 49, 30)
      yield* TestClock.setTime(now)
      assert.strictEqual(yield* Clock.currentTimeMillis, now)
      const cases: ReadonlyArray<readonly [string, number | undefined]> = [
        ["0", 0],
        ["1", 1000],
        [" 120 ", 120_000],
        ["Sun, 06 Nov 1994 08:49:37 GMT", 7000],
        ["Sunday, 06-Nov-94 08:49:37 GMT", 7000],
        ["Sun Nov  6 08:49:37 1994", 7000],
        ["Sun, 06 Nov 1994 08:49:00 GMT", 0],
        ["-1", undefined],
        ["1.5", undefined],
        ["1e3", undefined],
        ["soon", undefined],
        ["may 1", undefined],
        ["Sun, 99 Nov 1994 08:49:37 GMT", undefined],
        ["99999999999999999999", undefined]
      ]
      for (const [header, millis] of cases) {
        const failure = yield* failureOf(() => new Response("", { status: 503, headers: { "retry-after": header } }))
        assert.strictEqual(failure.retryAfter && Duration.toMillis(failure.retryAfter), millis, header)
      }
    })
  )

  it.effect("of a redirect is not followed", () =>
    Effect.gen(function* () {
      const elsewhere = yield* HttpServer.make(() => assert.fail("followed"))
      const url = yield* HttpServer.make((_, response) => response.writeHead(307, { location: elsewhere }).end())
      const transport = yield* HttpTransport.make({ url })
      const failure = yield* Effect.flip(transport.call({ method: "m", params: [] }))
      assert.strictEqual(failure.message, "m: TransportError: redirected: give the final URL")
      assert(failure.reason._tag === "TransportError")
      assert.strictEqual(failure.reason.status, 307)
    })
  )
})

describe("a batch", () => {
  const missing = (n: number) => `m${n}: ProtocolError: no answer to this call in the answer to the batch`

  it.effect("matches replies by id, in any order", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(
        yield* outcomesOf(3, (ids) => Response.json(ids.toReversed().map((id) => result(id, id - ids[0]!)))),
        [0, 1, 2]
      )
    })
  )

  it.effect("fails only the call whose reply is missing, double, unknown or broken", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomesOf(3, ([a, , c]) => Response.json([result(a, "a"), result(c, "c")])), [
        "a",
        missing(1),
        "c"
      ])
      assert.deepStrictEqual(
        yield* outcomesOf(2, ([a, b]) => Response.json([result(a, 1), result(a, 2), result(b, "b")])),
        ["m0: ProtocolError: more than one answer to this call in the answer to the batch", "b"]
      )
      assert.deepStrictEqual(
        yield* outcomesOf(2, ([a, b]) =>
          Response.json([result(999_999, 1), result(`${a}`, 1), null, 7, result(b, "b")])
        ),
        [missing(0), "b"]
      )
      assert.deepStrictEqual(
        yield* outcomesOf(3, ([a, b, c]) => Response.json([{ jsonrpc: "2.0", id: a }, error(b), result(c, null)])),
        ["m0: ProtocolError: the answer has no result and no error", "m1: RemoteError -32000 header not found", null]
      )
      assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json([])), [missing(0), missing(1)])
    })
  )

  it.effect("that is refused as a whole gives each call the reason", () =>
    Effect.gen(function* () {
      const refusal = [0, 1].map((n) => `m${n}: RemoteError -32600 batch too large`)
      const object = (id: unknown) => error(id, -32600, "batch too large")
      assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json(object(null))), refusal)
      assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json(object(a))), refusal)
      assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json([object(a)])), refusal)
      assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json([object(null)])), refusal)
      assert.deepStrictEqual(yield* outcomesOf(2, () => Response.json(object(null), { status: 413 })), refusal)
    })
  )

  it.effect("whose only reply is an error of one call leaves the others missing", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* outcomesOf(2, ([a]) => Response.json([error(a)])), [
        "m0: RemoteError -32000 header not found",
        missing(1)
      ])
    })
  )

  it.effect("fails as one with the packet that carries it", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [() => Response, string]> = [
        [() => new Response(""), "ProtocolError: the answer is empty"],
        [() => new Response("<html>"), "ProtocolError: the answer is HTML, not JSON"],
        [() => Response.json(result(1, 1)), "ProtocolError: no array in answer to a batch"],
        [() => new Response("", { status: 502 }), "TransportError: HTTP status 502"],
        [() => Response.json([], { status: 429 }), "TransportError: HTTP status 429"]
      ]
      for (const [respond, message] of cases) {
        assert.deepStrictEqual(yield* outcomesOf(2, respond), [`m0: ${message}`, `m1: ${message}`])
      }
    })
  )
})

describe("time", () => {
  it.effect("runs out at the timeout, which aborts the request", () =>
    Effect.gen(function* () {
      const aborted = yield* Deferred.make<void>()
      const transport = yield* transportOver(
        (_, init) =>
          new Promise((_resolve, reject) => {
            init?.signal?.addEventListener("abort", () => {
              Deferred.doneUnsafe(aborted, Effect.void)
              reject(new Error("aborted"))
            })
          }),
        { timeout: "5 seconds" }
      )
      const fiber = yield* Effect.forkChild(Effect.flip(transport.call({ method: "m", params: [] })))
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      const failure = yield* Fiber.join(fiber)
      assert.strictEqual(failure.message, "m: TimeoutError: no answer within 5s")
      assert(failure.reason._tag === "TimeoutError")
      assert.deepStrictEqual(failure.reason.after, Duration.seconds(5))
      assert.isTrue(failure.retryable)
      yield* Deferred.await(aborted)
    })
  )

  it.effect("runs out for a body that stops in the middle, too", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.make((_, response) => void response.writeHead(200).write('{"jsonrpc":'))
      const transport = yield* HttpTransport.make({ url })
      const fiber = yield* Effect.forkChild(Effect.flip(transport.call({ method: "m", params: [] })))
      yield* TestClock.adjust(HttpTransport.DEFAULT_TIMEOUT)
      assert.strictEqual((yield* Fiber.join(fiber)).reason._tag, "TimeoutError")
    })
  )

  it.effect("of a connection that is cut is a transport error", () =>
    Effect.gen(function* () {
      const url = yield* HttpServer.make((_, response) => {
        response.writeHead(200, { "content-length": "1000" })
        response.write('{"jsonrpc":', () => response.destroy())
      })
      const transport = yield* HttpTransport.make({ url })
      const failure = yield* Effect.flip(transport.call({ method: "m", params: [] }))
      assert.strictEqual(failure.reason._tag, "TransportError")
      assert.isTrue(failure.retryable)
    })
  )
})
