/** Tests of failing HTTP statuses. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"

import * as HttpServer from "../httpServer.ts"
import { error, failure, result, asking, type Subject } from "./subject.ts"

type Fault = Parameters<typeof HttpServer.raw>[0]

export const statuses = ({ name, make, traits }: Subject): void => {
  const { follows } = traits
  const { failureOf, failuresOf, outcomesOf } = asking(make)

  describe(`${name}: a failing HTTP status`, () => {
    it.effect("is a transport error that says whether to come again", () =>
      Effect.gen(function* () {
        const bodies = ["", " \n", "<html>", "{}", "[]", "{", JSON.stringify(result(1, 1)), "\xff"]
        for (const status of [400, 401, 403, 404, 408, 413, 429, 500, 502, 503, 504]) {
          const failures = yield* failuresOf(
            bodies.map((body) => () => new Response(Buffer.from(body, "latin1"), { status }))
          )
          for (const failure of failures) {
            assert.strictEqual(failure.message, `m: HTTP status ${status}`)
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
          assert.strictEqual(failure.message, "m: slow down (code -32005)")
          assert(failure.reason._tag === "RemoteError")
          assert.strictEqual(failure.reason.status, 429)
          assert.isTrue(failure.retryable)
          assert.deepStrictEqual(failure.retryAfter, Duration.seconds(3))
        }
        const notFound = yield* failureOf(() => Response.json(error(1), { status: 500 }))
        assert.strictEqual(notFound.message, "m: header not found (code -32000)")
        assert.isFalse(notFound.retryable)
      })
    )

    it.effect("repeats the sentence that the server or a proxy put under it, in one short line", () =>
      Effect.gen(function* () {
        const cases: ReadonlyArray<readonly [status: number, body: string, said: string | undefined]> = [
          // servers with such texts: Infura, go-ethereum's http.Error, Envoy
          [401, "invalid project id\n", "invalid project id"],
          [503, "no healthy upstream", "no healthy upstream"],
          [403, "  first\r\n\tsecond  ", "first second"],
          [429, '{"error":"limit"}', "limit"],
          [401, '{"message":"No API key found in request"}', "No API key found in request"],
          [500, '{"error":{"message":"no code beside it"}}', "no code beside it"],
          [403, '"a text alone"', "a text alone"],
          [502, '{"error":{"data":{"message":{"message":"too deep"}}}}', undefined],
          [502, "dial http://10.0.0.1:8545/v3/others-key: refused", "dial <url> refused"],
          [502, "\u001b[31mred\u001b[0m \u202eover", "[31mred[0m over"],
          [502, "<!doctype html><p>nginx", undefined],
          [502, "x".repeat(201), `${"x".repeat(200)}...`],
          [502, `${"x".repeat(199)}\u{1f600}`, `${"x".repeat(199)}...`],
          [502, "x".repeat(4097), undefined]
        ]
        const failures = yield* failuresOf(
          cases.map(
            ([status, body]) =>
              () =>
                new Response(body, { status })
          )
        )
        failures.forEach(({ message, reason }, index) => {
          const [status, , said] = cases[index]!
          assert(reason._tag === "TransportError")
          assert.strictEqual(reason.said, said)
          assert.strictEqual(message, `m: HTTP status ${status}${said === undefined ? "" : `: ${said}`}`)
        })
      })
    )

    it.effect("repeats it for every call of a batch", () =>
      Effect.gen(function* () {
        const said = yield* outcomesOf(2, () => new Response("invalid project id\n", { status: 401 }))
        assert.deepStrictEqual(
          said,
          [0, 1].map((n) => `m${n}: HTTP status 401: invalid project id`)
        )
      })
    )

    it.effect("stands, whatever becomes of the body", () =>
      Effect.gen(function* () {
        const statuses = [
          [401, false],
          [429, true],
          [500, false],
          [503, true]
        ] as const
        const bodies: ReadonlyArray<readonly [string, (socket: Parameters<Fault>[0], head: string) => void]> = [
          ["too large", (socket, head) => socket.write(`${head}content-length: 5000\r\n\r\n${" ".repeat(5000)}`)],
          [
            "too large, of no known length",
            (socket, head) => socket.end(`${head}connection: close\r\n\r\n${" ".repeat(5000)}`)
          ],
          ["cut off", (socket, head) => socket.end(`${head}content-length: 500\r\n\r\n{"jsonrpc":`)],
          [
            "cut off behind what would be an answer",
            (socket, head) => socket.end(`${head}content-length: 500\r\n\r\n${JSON.stringify(error(1))}`)
          ],
          ["no chunks", (socket, head) => socket.write(`${head}transfer-encoding: chunked\r\n\r\nzz\r\n`)]
        ]
        for (const [status, retryable] of statuses) {
          for (const [title, send] of bodies) {
            const url = yield* HttpServer.raw((socket) => send(socket, `HTTP/1.1 ${status} No\r\nretry-after: 7\r\n`))
            const failed = yield* failure(yield* make({ url, maxBytes: 1000 }))
            assert.strictEqual(failed.message, `m: HTTP status ${status}`, title)
            assert.strictEqual(failed.retryable, retryable, title)
            assert.deepStrictEqual(failed.retryAfter, Duration.seconds(7), title)
          }
        }
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
          assert.strictEqual(redirected.message, "m: redirected: give the final URL")
          assert.isFalse(redirected.retryable)
        }
        assert.strictEqual(followed, follows ? statuses.length : 0)
      })
    )
  })
}
