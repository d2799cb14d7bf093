/** What every transport over HTTP must do. Call `suite` with what makes one for a URL. */
import { gzipSync } from "node:zlib"

import { assert, describe, it } from "@effect/vitest"
import { HttpTransport, type JsonRpcError, type Transport } from "@plumbline/jsonrpc-core"
import { Clock, Deferred, Duration, Effect, Fiber, Redacted, Result, type Scope } from "effect"
import { TestClock } from "effect/testing"

import * as HttpServer from "./support/httpServer.ts"

export type Make = (
  options: HttpTransport.Endpoint
) => Effect.Effect<Transport.Transport["Service"], never, Scope.Scope>

type Fault = Parameters<typeof HttpServer.raw>[0]

const CALL = { method: "m", params: [] }

const result = (id: unknown, value: unknown) => ({ jsonrpc: "2.0", id, result: value })
const error = (id: unknown, code = -32000, message = "header not found") => ({
  jsonrpc: "2.0",
  id,
  error: { code, message }
})

/** What whatever is below the transport does of its own accord. */
export interface Traits {
  /** Asks for compressed answers, and unpacks them. */
  readonly unpacks: boolean
  /** Follows redirects before the transport is asked. */
  readonly follows: boolean
}

export const suite = (name: string, make: Make, { unpacks, follows }: Traits): void => {
  /** The failure of a call that is answered so. */
  const failureOf = (respond: () => Response, options?: Partial<HttpTransport.Endpoint>) =>
    Effect.scoped(
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(respond)
        const transport = yield* make({ url, ...options })
        return yield* failure(transport)
      })
    )

  /** The failures of one call after the other, each answered in its own way. */
  const failuresOf = (responses: ReadonlyArray<() => Response>) =>
    Effect.gen(function* () {
      let nth = 0
      const url = yield* HttpServer.responding(() => responses[nth++]!())
      return yield* Effect.forEach(responses, () => Effect.flatMap(make({ url }), failure))
    })

  const outcomesOf = (count: number, respond: (ids: ReadonlyArray<number>) => Response) =>
    Effect.gen(function* () {
      const url = yield* HttpServer.responding(({ json }) => respond(json.map((call: any) => call.id)))
      const transport = yield* make({ url })
      const outcomes = yield* transport.callAll(
        Array.from({ length: count }, (_, n) => ({ method: `m${n}`, params: [] }))
      )
      return outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.message))
    })

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
        const messageOf = (options: HttpTransport.Endpoint) =>
          Effect.map(Effect.flatMap(make(options), failure), ({ message, notDone, retryable }) => [
            message,
            retryable,
            notDone
          ])
        const invalid = ["m: TransportError: invalid URL", false, true]
        assert.deepStrictEqual(yield* messageOf({ url: "not a url" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "/v3/key" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "http://[::1/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "ftp://node.example/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "wss://node.example/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "http://a:100%@node.example/" }), invalid)
        assert.deepStrictEqual(yield* messageOf({ url: "http://node.example/", headers: { "x-key": "a\nb: c" } }), [
          "m: TransportError: invalid headers",
          false,
          true
        ])
      })
    )
  })

  describe(`${name}: an answer`, () => {
    it.effect("is an answer only to the call that it names", () =>
      Effect.gen(function* () {
        const ids = [2, 999_999, "1", null, undefined, true, [1], { id: 1 }]
        for (const failure of yield* failuresOf(ids.map((id) => () => Response.json(result(id, "0x1"))))) {
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
        const failures = yield* failuresOf(
          cases.map(
            ([body]) =>
              () =>
                Response.json(body)
          )
        )
        assert.deepStrictEqual(
          failures.map(({ message, retryable }) => [message, retryable]),
          cases.map(([, detail]) => [`m: ProtocolError: ${detail}`, false])
        )
      })
    )

    it.effect("that is no JSON says what it is", () =>
      Effect.gen(function* () {
        const json = "application/json"
        const cases: ReadonlyArray<readonly [BodyInit | null, string, string]> = [
          [null, json, "the answer is empty"],
          ["", json, "the answer is empty"],
          [" \n", json, "the answer is empty"],
          ["<html>hunter2</html>", json, "the answer is HTML, not JSON"],
          ["\n <!doctype html>", "text/html", "the answer is HTML, not JSON"],
          ["pong hunter2", json, "the answer is not JSON"],
          ["pong hunter2", "Text/Plain; charset=utf-8", "the answer is not JSON (content type text/plain)"],
          ["pong hunter2", "what the hunter2", "the answer is not JSON"],
          ['{"a":1} hunter2', "text/plain", "the answer is not JSON (content type text/plain)"],
          ['{"jsonrpc":"2.0","id":1,"result":"0x', json, "the answer is JSON that breaks off"],
          ['{"jsonrpc":"2.0","id":1,"result":"\\"}', json, "the answer is JSON that breaks off"],
          ['[{"jsonrpc":"2.0","id":1,"result":"}]"}', json, "the answer is JSON that breaks off"],
          [new Uint8Array([0x22, 0xff, 0x22]), json, "the answer is not UTF-8"],
          [new Uint8Array([0x22, 0xe2, 0x82]), json, "the answer is not UTF-8"]
        ]
        const failures = yield* failuresOf(
          cases.map(
            ([body, type]) =>
              () =>
                new Response(body, { headers: { "content-type": type } })
          )
        )
        assert.deepStrictEqual(
          failures.map(({ message }) => message),
          cases.map(([, , detail]) => `m: ProtocolError: ${detail}`)
        )
      })
    )

    it.effect("that is JSON is one, whatever its content type says", () =>
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(({ json }) => {
          const body = `\ufeff${JSON.stringify(result(json.id, 7))}`
          return json.params[0] === undefined
            ? new Response(new TextEncoder().encode(body))
            : new Response(body, { headers: { "content-type": json.params[0] } })
        })
        const transport = yield* make({ url })
        for (const params of [[], ["text/plain"], ["text/html; charset=latin1"], ["what"]]) {
          assert.strictEqual(yield* transport.call({ method: "m", params }), 7)
        }
      })
    )

    it.effect("may be an error without an id that could be read", () =>
      Effect.gen(function* () {
        const [unread, absent, other] = yield* failuresOf([
          () => Response.json(error(null, -32700, "parse error")),
          () => Response.json(error(undefined, -32700, "parse error")),
          () => Response.json(error(7))
        ])
        assert.strictEqual(unread!.message, "m: RemoteError -32700 parse error")
        assert.strictEqual(absent!.message, "m: RemoteError -32700 parse error")
        assert.strictEqual(other!.message, "m: ProtocolError: the answer has another id than the call")
      })
    )

    it.effect("keeps what an error has beside its message as data", () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [object, unknown]> = [
          [{ data: [1] }, [1]],
          [{ data: null }, null],
          [{}, undefined],
          [
            { event: -33000, details: "no credits" },
            { event: -33000, details: "no credits" }
          ],
          [{ data: 1, details: "no credits" }, 1]
        ]
        const failures = yield* failuresOf(
          cases.map(
            ([member]) =>
              () =>
                Response.json({ jsonrpc: "2.0", id: 1, error: { code: 402, message: "m", ...member } })
          )
        )
        assert.deepStrictEqual(
          failures.map(({ reason }) => (reason._tag === "RemoteError" ? reason.data : reason)),
          cases.map(([, data]) => data)
        )
      })
    )

    it.effect("is read no further than the limit", () =>
      Effect.gen(function* () {
        const gone = yield* Deferred.make<void>()
        const endless = yield* HttpServer.make((_, response) => {
          response.writeHead(200)
          const more = (): void => {
            while (!response.destroyed && response.write(Buffer.alloc(1000, " "))) {
              // As fast as the client reads.
            }
          }
          response.on("drain", more)
          response.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
          more()
        })
        const streamed = yield* failure(yield* make({ url: endless, maxBytes: 10_000 }))
        assert.strictEqual(streamed.message, "m: TransportError: the answer is larger than 10000 bytes")
        assert.isFalse(streamed.retryable)
        yield* Deferred.await(gone)

        const announced = yield* failureOf(
          () => new Response(" ".repeat(10_001), { headers: { "content-length": "10001" } }),
          { maxBytes: 10_000 }
        )
        assert.strictEqual(announced.message, "m: TransportError: the answer is larger than 10000 bytes")

        const body = JSON.stringify(result(1, "x"))
        const whole = yield* make({
          url: yield* HttpServer.responding(() => new Response(body)),
          maxBytes: body.length
        })
        assert.strictEqual(yield* whole.call(CALL), "x")
      })
    )

    it.effect("may come in pieces that cut its characters", () =>
      Effect.gen(function* () {
        const value = "漢字 😀 é".repeat(20)
        const bytes = new TextEncoder().encode(JSON.stringify(result(1, value)))
        const url = yield* HttpServer.raw((socket) => {
          socket.setNoDelay(true)
          const pieces = Array.from(bytes, (byte) => Buffer.from([byte]))
          const send = (at: number): void => {
            if (at < pieces.length) {
              socket.write(`1\r\n`)
              socket.write(pieces[at]!)
              socket.write("\r\n", () => send(at + 1))
            } else {
              socket.write("0\r\n\r\n")
            }
          }
          socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", () => send(0))
        })
        assert.strictEqual(yield* (yield* make({ url })).call(CALL), value)
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

    it.effect(unpacks ? "may be compressed" : "that is compressed says so, for it was not asked for", () =>
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(
          ({ json }) =>
            new Response(gzipSync(JSON.stringify(result(json.id, "0x1"))), { headers: { "content-encoding": "gzip" } })
        )
        const outcome = yield* Effect.result((yield* make({ url })).call(CALL))
        assert.strictEqual(
          Result.isSuccess(outcome) ? outcome.success : outcome.failure.message,
          unpacks ? "0x1" : "m: ProtocolError: the answer is not UTF-8 (content encoding gzip)"
        )
      })
    )
  })

  describe(`${name}: a failing HTTP status`, () => {
    it.effect("is a transport error that says whether to come again", () =>
      Effect.gen(function* () {
        const bodies = ["", "nope", "<html>", "{}", JSON.stringify(result(1, 1)), '{"error":"limit"}', "\xff"]
        for (const status of [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504]) {
          const failures = yield* failuresOf(
            bodies.map((body) => () => new Response(Buffer.from(body, "latin1"), { status }))
          )
          for (const failure of failures) {
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
        const failures = yield* failuresOf(
          bodies.map((body) => () => Response.json(body, { status: 429, headers: { "retry-after": "3" } }))
        )
        for (const failure of failures) {
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
        const failures = yield* failuresOf(
          cases.map(
            ([header]) =>
              () =>
                new Response("", { status: 503, headers: { "retry-after": header } })
          )
        )
        assert.deepStrictEqual(
          failures.map(({ retryAfter }) => retryAfter && Duration.toMillis(retryAfter)),
          cases.map(([, millis]) => millis)
        )
      })
    )

    it.effect("of a redirect is no way to an answer", () =>
      Effect.gen(function* () {
        let followed = 0
        const elsewhere = yield* HttpServer.responding(() => {
          followed++
          return Response.json(result(1, "from elsewhere"))
        })
        const statuses = [301, 302, 303, 307, 308]
        for (const status of statuses) {
          const url = yield* HttpServer.make((_, response) => response.writeHead(status, { location: elsewhere }).end())
          const redirected = yield* failure(yield* make({ url }))
          assert.strictEqual(redirected.message, "m: TransportError: redirected: give the final URL")
          assert.isFalse(redirected.retryable)
        }
        assert.strictEqual(followed, follows ? statuses.length : 0)
      })
    )
  })

  describe(`${name}: a batch`, () => {
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

  describe(`${name}: time`, () => {
    /** A server that sends nothing, all too slowly or without an end, and tells when its client has gone. */
    const slow = (begin: (write: (text: string) => void) => void) =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const gone = yield* Deferred.make<void>()
        const url = yield* HttpServer.raw((socket) => {
          begin((text) => socket.writable && socket.write(text))
          Deferred.doneUnsafe(asked, Effect.void)
          socket.on("end", () => Deferred.doneUnsafe(gone, Effect.void))
          socket.on("close", () => Deferred.doneUnsafe(gone, Effect.void))
        })
        return { url, asked, gone }
      })

    const head = "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n"
    const cases: ReadonlyArray<readonly [string, (write: (text: string) => void) => void]> = [
      ["for a server that is silent", () => {}],
      ["for a head that has no end", (write) => write("HTTP/1.1 200 OK\r\nx-a")],
      ["for a body that stops in the middle", (write) => write(`${head}{"jsonrpc":`)],
      [
        "for a body that drips",
        (write) => {
          write(head)
          const drip = setInterval(() => write(" "), 1)
          setTimeout(() => clearInterval(drip), 900)
        }
      ]
    ]
    for (const [title, begin] of cases) {
      it.effect(`runs out ${title}, and the request is aborted`, () =>
        Effect.gen(function* () {
          const { url, asked, gone } = yield* slow(begin)
          const transport = yield* make({ url, timeout: "5 seconds" })
          const fiber = yield* Effect.forkChild(failure(transport))
          yield* Deferred.await(asked)
          yield* TestClock.adjust("4999 millis")
          assert.isUndefined(fiber.pollUnsafe())
          yield* TestClock.adjust("1 millis")
          const { message, reason, retryable } = yield* Fiber.join(fiber)
          assert.strictEqual(message, "m: TimeoutError: no answer within 5s")
          assert(reason._tag === "TimeoutError")
          assert.deepStrictEqual(reason.after, Duration.seconds(5))
          assert.isTrue(retryable)
          yield* Deferred.await(gone)
        })
      )
    }

    it.effect("is half a minute where nothing else is said", () =>
      Effect.gen(function* () {
        const { url, asked } = yield* slow(() => {})
        const fiber = yield* Effect.forkChild(Effect.flatMap(make({ url }), failure))
        yield* Deferred.await(asked)
        yield* TestClock.adjust(HttpTransport.DEFAULT_TIMEOUT)
        assert.strictEqual((yield* Fiber.join(fiber)).message, "m: TimeoutError: no answer within 30s")
      })
    )

    it.live("runs out by the platform's clock too", () =>
      Effect.gen(function* () {
        const { url, gone } = yield* slow(() => {})
        const failed = yield* failure(yield* make({ url, timeout: "20 millis" }))
        assert.strictEqual(failed.message, "m: TimeoutError: no answer within 20ms")
        yield* Deferred.await(gone)
      })
    )

    it.live("may be without end", () =>
      Effect.gen(function* () {
        const url = yield* HttpServer.responding(({ json }) => Response.json(result(json.id, 1)))
        for (const timeout of ["infinity", "100 days"] as const) {
          const transport = yield* make({ url, timeout: timeout === "infinity" ? Duration.infinity : timeout })
          assert.strictEqual(yield* transport.call(CALL), 1)
        }
      })
    )

    it.effect("that the caller does not want to wait ends the request in the middle of an answer", () =>
      Effect.gen(function* () {
        const { url, asked, gone } = yield* slow((write) => write(`${head}{"jsonrpc":`))
        const fiber = yield* Effect.forkChild(failure(yield* make({ url })))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(gone)
      })
    )
  })

  describe(`${name}: a connection`, () => {
    const answer = JSON.stringify(result(1, "0x1"))
    const ok = "HTTP/1.1 200 OK\r\n"
    const CODE = String.raw`\([A-Z][A-Z0-9_]+\)`

    /** What happens once a request was read, and what the caller is told. */
    const faults: ReadonlyArray<
      readonly [title: string, fault: Fault, message: string, retryable: boolean | undefined]
    > = [
      ["that is closed before an answer", (socket) => socket.end(), `TransportError: connection failed ${CODE}`, true],
      [
        "that is reset before an answer",
        (socket) => socket.resetAndDestroy(),
        `TransportError: connection failed ${CODE}`,
        true
      ],
      [
        "that is closed within the head",
        (socket) => socket.end(`${ok}content-le`),
        `TransportError: connection failed ${CODE}`,
        true
      ],
      [
        "that sends hints and is closed",
        (socket) => socket.end("HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n"),
        `TransportError: connection failed ${CODE}`,
        true
      ],
      [
        "that is closed before the length is reached",
        (socket) => socket.end(`${ok}content-length: 1000\r\n\r\n${answer}`),
        `TransportError: the answer was cut off ${CODE}`,
        true
      ],
      [
        "that is half closed before the length is reached, and then silent",
        (socket) => socket.write(`${ok}content-length: 1000\r\n\r\n{"json`, () => socket.end()),
        `TransportError: the answer was cut off ${CODE}`,
        true
      ],
      [
        "that is reset in the middle of an answer",
        (socket) =>
          socket.write(`${ok}content-length: 1000\r\n\r\n{"json`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
        `TransportError: the answer was cut off ${CODE}`,
        true
      ],
      [
        "that is closed before the last chunk",
        (socket) => socket.end(`${ok}transfer-encoding: chunked\r\n\r\n${answer.length.toString(16)}\r\n${answer}\r\n`),
        `TransportError: the answer was cut off ${CODE}`,
        true
      ],
      [
        "that announces less than it brings",
        (socket) => socket.write(`${ok}content-length: 20\r\n\r\n${answer}`),
        "ProtocolError: the answer is JSON that breaks off",
        false
      ],
      [
        "with rubbish before the status line",
        (socket) => socket.write(`rubbish\r\n${ok}content-length: ${answer.length}\r\n\r\n${answer}`),
        "TransportError: the answer is not HTTP",
        false
      ],
      [
        "that speaks another protocol",
        (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"),
        "TransportError: the answer is not HTTP",
        false
      ],
      [
        "with a head that has no bounds",
        (socket) => socket.write(`${ok}x-a: ${"a".repeat(200_000)}\r\ncontent-length: 0\r\n\r\n`),
        `TransportError: connection failed ${CODE}`,
        false
      ],
      [
        "with a chunk of no size",
        (socket) => socket.write(`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`),
        // node:http tells of this as of any end in the middle.
        `TransportError: (?:the answer is not HTTP|the answer was cut off ${CODE})`,
        undefined
      ]
    ]
    for (const [title, fault, message, retryable] of faults) {
      it.effect(`${title} is a typed error`, () =>
        Effect.gen(function* () {
          const url = yield* HttpServer.raw(fault)
          const failed = yield* failure(yield* make({ url }))
          assert.match(failed.message, new RegExp(`^m: ${message}$`))
          assert.strictEqual(failed.retryable, retryable ?? failed.message.includes("cut off"))
        })
      )
    }

    const answers: ReadonlyArray<readonly [title: string, fault: Fault]> = [
      [
        "that sends hints first",
        (socket) =>
          socket.write(
            `HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n${ok}content-length: ${answer.length}\r\n\r\n${answer}`
          )
      ],
      ["whose answer ends with it", (socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${answer}`)]
    ]
    for (const [title, fault] of answers) {
      it.effect(`${title} brings an answer`, () =>
        Effect.gen(function* () {
          const transport = yield* make({ url: yield* HttpServer.raw(fault) })
          assert.strictEqual(yield* transport.call(CALL), "0x1")
        })
      )
    }

    it.effect("that was kept and is closed at the next request is told of, and nothing is sent twice", () =>
      Effect.gen(function* () {
        const requests: Array<number> = []
        const url = yield* HttpServer.raw((socket, { nth, id }) => {
          requests.push(id)
          if (nth === 1) {
            socket.destroy()
          } else {
            const body = JSON.stringify(result(id, nth))
            socket.write(`${ok}content-length: ${body.length}\r\n\r\n${body}`)
          }
        })
        const transport = yield* make({ url })
        assert.strictEqual(yield* transport.call(CALL), 0)
        const closed = yield* failure(transport)
        assert.match(closed.message, /^m: TransportError: connection failed \((?:UND_ERR_SOCKET|ECONNRESET)\)$/)
        assert.isTrue(closed.retryable)
        assert.strictEqual(yield* transport.call(CALL), 2)
        assert.deepStrictEqual(requests, [1, 2, 3])
      })
    )

    it.effect("cannot bring the answer to a call before it is asked", () =>
      Effect.gen(function* () {
        const message = (id: number, value: string): string => {
          const body = JSON.stringify(result(id, value))
          return `${ok}content-length: ${body.length}\r\n\r\n${body}`
        }
        const url = yield* HttpServer.raw((socket, { id }) => {
          socket.write(message(id, "asked") + message(id + 1, "not asked"))
        })
        const transport = yield* make({ url })
        const outcomes = yield* Effect.forEach([1, 2, 3], () => Effect.result(transport.call(CALL)))
        for (const outcome of outcomes) {
          assert.isTrue(Result.isFailure(outcome) ? outcome.failure.retryable : outcome.success === "asked")
        }
      })
    )

    it.effect("that is refused keeps its code", () =>
      Effect.gen(function* () {
        const closed = yield* Effect.scoped(HttpServer.make(() => {}))
        const failed = yield* failure(yield* make({ url: closed }))
        assert.strictEqual(failed.message, "m: TransportError: connection failed (ECONNREFUSED)")
        assert.isTrue(failed.retryable)
      })
    )
  })
}

const failure = (transport: Transport.Transport["Service"]): Effect.Effect<JsonRpcError.JsonRpcError> =>
  Effect.flip(transport.call(CALL)) as Effect.Effect<JsonRpcError.JsonRpcError>
