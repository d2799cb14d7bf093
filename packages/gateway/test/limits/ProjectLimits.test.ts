import { assert, describe, it } from "@effect/vitest"
import { LimitExceeded, ProjectLimits } from "@plumbline/gateway"
import { Result, Schema } from "effect"

import * as AddressLimit from "../../src/pipeline/addressLimit.ts"

describe("limits from outside", () => {
  it("are read as they are written", () => {
    const given = { creditsPerSecond: 500, burst: 1000, creditsPerDay: 0, concurrency: 1 }
    assert.deepStrictEqual(Result.getOrThrow(ProjectLimits.parse(given)), given)
    assert.deepStrictEqual(Schema.decodeUnknownSync(ProjectLimits.ProjectLimits)(given), given)
    assert.deepStrictEqual(Result.getOrThrow(ProjectLimits.parse({})), ProjectLimits.none)
    assert.deepStrictEqual(Result.getOrThrow(ProjectLimits.parse(ProjectLimits.defaults)), ProjectLimits.defaults)
  })

  it("are refused where they make no sense, by their name", () => {
    const rows: ReadonlyArray<readonly [unknown, string]> = [
      [undefined, "limits"],
      [[1], "limits"],
      [{ perSecond: 1 }, "limits"],
      [{ creditsPerSecond: 0 }, "creditsPerSecond"],
      [{ burst: 0 }, "burst"],
      [{ concurrency: 0 }, "concurrency"],
      [{ creditsPerDay: -1 }, "creditsPerDay"],
      [{ creditsPerDay: 0.5 }, "creditsPerDay"],
      [{ creditsPerDay: "5" }, "creditsPerDay"],
      [{ creditsPerDay: 1e12 + 1 }, "creditsPerDay"],
      [{ burst: Number.NaN }, "burst"]
    ]
    for (const [input, setting] of rows) {
      const parsed = ProjectLimits.parse(input)
      assert.isTrue(Result.isFailure(parsed) && parsed.failure.setting === setting, JSON.stringify(input))
    }
  })
})

describe("what is said about a limit", () => {
  const exceeded = (change: Partial<LimitExceeded.LimitExceeded>): LimitExceeded.LimitExceeded => ({
    _tag: "LimitExceeded",
    limit: "rate",
    allowed: 10,
    current: 13.333,
    retryAfter: 30_000,
    at: 0,
    ...change
  })
  const see = "https://infura.io/docs/ethereum/jsonrpc/ratelimits"

  it("per second is Infura's object, to the letter", () => {
    // The object that Infura documents for its limit of requests per second.
    const object =
      '{"code":-32005,"message":"project ID request rate exceeded","data":{"see":"https://infura.io/docs/ethereum/jsonrpc/ratelimits","current_rps":13.333,"allowed_rps":10.0,"backoff_seconds":30.0}}'
    const { error, headers, status } = LimitExceeded.answer(exceeded({}), { see })
    assert.deepStrictEqual<unknown>(error, JSON.parse(object))
    assert.deepStrictEqual(headers, ["retry-after", "30"])
    assert.strictEqual(status, 429)
  })

  it("per day is Infura's, as 429 or as 402", () => {
    const day = exceeded({ limit: "day", retryAfter: 3_600_001 })
    const { error, headers, status } = LimitExceeded.answer(day, { see })
    assert.strictEqual(error.code, -32005)
    assert.strictEqual(error.message, "daily request count exceeded, request rate limited")
    assert.deepStrictEqual(error.data, { see, backoff_seconds: 3600.001 })
    assert.deepStrictEqual(headers, ["retry-after", "3601"])
    assert.strictEqual(status, 429)
    assert.strictEqual(LimitExceeded.answer(day, { dayStatus: 402 }).status, 402)
    assert.strictEqual(LimitExceeded.answer(exceeded({}), { dayStatus: 402 }).status, 429)
  })

  it("of calls at once asks for a second", () => {
    const many = exceeded({ limit: "concurrency", current: 100, allowed: 100, retryAfter: undefined })
    const { error, headers } = LimitExceeded.answer(many, { see })
    assert.deepStrictEqual(error.data, { see, in_flight: 100, allowed: 100, backoff_seconds: 1 })
    assert.deepStrictEqual(headers, ["retry-after", "1"])
  })

  it("sends nobody away to come back in vain", () => {
    for (const limit of ["burst", "day"] as const) {
      const { error, headers } = LimitExceeded.answer(exceeded({ limit, retryAfter: undefined }))
      assert.deepStrictEqual(headers, [])
      assert.notProperty(error.data, "backoff_seconds")
    }
  })

  it("rounds up to whole seconds, and never says zero", () => {
    const header = (retryAfter: number) => LimitExceeded.answer(exceeded({ retryAfter })).headers[1]
    assert.strictEqual(header(1), "1")
    assert.strictEqual(header(1000), "1")
    assert.strictEqual(header(1001), "2")
  })

  it("before it is known who calls is one line of text", () => {
    const { headers, status, text } = AddressLimit.refusalOf(exceeded({ retryAfter: 1500 }))
    assert.deepStrictEqual([status, text, headers], [429, "too many requests", ["retry-after", "2"]])
  })
})
