import { assert, describe, it } from "@effect/vitest"
import type { JsonRpcError } from "@plumbline/jsonrpc-core"
import * as Random from "@plumbline/seeded/Random"
import { Duration, Result } from "effect"

import * as Envelope from "../../src/transport/envelope.ts"
import * as RetryAfter from "../../src/transport/RetryAfter.ts"
import * as RandomJson from "../support/randomJson.ts"

/** Returns the error of an answer, as a transport reports it. */
const errorOf = (error: unknown, circumstances: Envelope.AnswerMetadata = {}): JsonRpcError.RemoteError => {
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, error })
  const outcome = Envelope.readSingle({ text, ...circumstances }, 1, (text) => text)
  assert(Result.isFailure(outcome) && outcome.failure._tag === "RemoteError")
  return outcome.failure
}

const millisOf = (error: unknown): number | undefined => {
  const { retryAfter } = errorOf(error)
  return retryAfter === undefined ? undefined : Duration.toMillis(retryAfter)
}

const limited = (data: unknown) => ({ code: -32005, message: "project ID request rate exceeded", data })

describe("the wait that an error asks for", () => {
  it("is Infura's backoff_seconds, as its pages have it and as it sends it", () => {
    const rate = { current_rps: 13.333, allowed_rps: 10.0, backoff_seconds: 30.0 }
    assert.strictEqual(
      millisOf(limited({ see: "https://infura.io/docs/ethereum/jsonrpc/ratelimits", ...rate })),
      30_000
    )
    assert.strictEqual(millisOf(limited({ rate, see: "https://infura.io/dashboard" })), 30_000)
    assert.strictEqual(millisOf(limited({ rate: { ...rate, backoff_seconds: 0 } })), 0)
    assert.strictEqual(millisOf(limited({ backoff_seconds: 0.25 })), 250)
  })

  it("is Chainstack's try_again_in, as Go writes durations", () => {
    const asked = (text: unknown) =>
      millisOf({
        code: -32005,
        message: "You've exceeded the RPS limit available on the current plan.",
        data: { see: "https://chainstack.com/pricing", try_again_in: text }
      })
    // The texts have the form of Go's time.Duration.String().
    assert.strictEqual(asked("583.131938ms"), 583.131938)
    assert.strictEqual(asked("43.5µs"), 0.0435)
    assert.strictEqual(asked("43.5μs"), 0.0435)
    assert.strictEqual(asked("100ns"), 0.0001)
    assert.strictEqual(asked("1.5s"), 1500)
    assert.strictEqual(asked("1m2.5s"), 62_500)
    assert.strictEqual(asked("2h45m0s"), 9_900_000)
    for (const text of ["", "soon", "5", "-1s", "1e3s", "1s later", "s", "1..5s", 5, null]) {
      assert.isUndefined(asked(text), String(text))
    }
  })

  it('is that of "try again in", in the text of a rate limit', () => {
    assert.strictEqual(millisOf({ code: -32005, message: "rate limited, try again in 4ms", data: null }), 4)
    assert.strictEqual(millisOf({ code: -32005, message: "rate limited, try again in 2s" }), 2000)
    assert.isUndefined(millisOf({ code: -32005, message: "rate limited, try again in a moment" }))
    assert.isUndefined(millisOf({ code: -32005, message: "rate limited, try again in 4us" }))
  })

  it("is none where a contract speaks", () => {
    assert.isUndefined(millisOf({ code: 3, message: "execution reverted: rate limited, try again in 60s", data: "0x" }))
    assert.isUndefined(millisOf({ code: -32000, message: "execution reverted: try again in 60s" }))
  })

  it("is none where nothing says so", () => {
    for (const data of [
      undefined,
      null,
      "0x",
      "backoff_seconds",
      [30],
      {},
      { rate: null },
      { backoff_seconds: "30" }
    ]) {
      assert.isUndefined(millisOf(limited(data)), JSON.stringify(data))
    }
    assert.isUndefined(millisOf(limited(JSON.parse('{"__proto__":{"backoff_seconds":1}}'))))
  })

  it("gives way to the header", () => {
    const error = errorOf(limited({ backoff_seconds: 30 }), { failedStatus: 429, retryAfter: Duration.seconds(2) })
    assert.deepStrictEqual(error.retryAfter, Duration.seconds(2))
    assert.strictEqual(error.status, 429)
  })

  it("is never negative, endless or longer than a day", () => {
    const day = 24 * 60 * 60 * 1000
    assert.strictEqual(millisOf(limited({ backoff_seconds: 1e300 })), day)
    assert.strictEqual(millisOf(limited({ try_again_in: "999999999h" })), day)
    assert.isUndefined(millisOf(limited({ backoff_seconds: -1 })))
    const random = Random.make(7)
    for (let run = 0; run < Random.runs(1000); run++) {
      const value: unknown = JSON.parse(RandomJson.jsonText(random))
      const error = Random.pick(random, [
        limited(value),
        limited({ backoff_seconds: value }),
        limited({ rate: { backoff_seconds: value } }),
        limited({ try_again_in: value }),
        { code: -32005, message: `try again in ${Random.pick(random, RandomJson.NUMBERS)}s` }
      ])
      const millis = millisOf(error)
      assert.isTrue(millis === undefined || (millis >= 0 && millis <= day), JSON.stringify(error))
    }
    for (const seconds of [NaN, Infinity, -Infinity, -0]) {
      const wait = RetryAfter.ofError({ ...limited({ backoff_seconds: seconds }) })
      assert.isTrue(wait === undefined || Duration.isFinite(wait))
    }
  })
})

describe("the header Retry-After", () => {
  const now = Date.parse("Sun, 06 Nov 1994 08:49:30 GMT")

  it("is a number of seconds, or one of the three dates of HTTP", () => {
    // The dates are those of RFC 9110 section 5.6.7.
    for (const [header, millis] of [
      ["120", 120_000],
      [" 0 ", 0],
      ["Sun, 06 Nov 1994 08:49:37 GMT", 7000],
      ["Sunday, 06-Nov-94 08:49:37 GMT", 7000],
      ["Sun Nov  6 08:49:37 1994", 7000],
      ["Sun, 06 Nov 1994 08:49:00 GMT", 0]
    ] as const) {
      assert.deepStrictEqual(RetryAfter.parse(header, now), Duration.millis(millis), header)
    }
  })

  it("is nothing else", () => {
    for (const header of [
      "",
      "soon",
      "-1",
      "1.5",
      "1e3",
      "12345678901",
      "1994-11-06T08:49:37Z",
      "Sun, 06 Foo 1994 08:49:37 GMT"
    ]) {
      assert.isUndefined(RetryAfter.parse(header, now), header)
    }
  })
})
