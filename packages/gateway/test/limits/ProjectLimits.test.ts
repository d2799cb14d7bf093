import { assert, describe, it } from "@effect/vitest"
import { KeyLimits, LimitExceeded, ProjectLimits, type SettingError } from "@plumbline/gateway"
import { Result, Schema } from "effect"

import * as AddressLimit from "../../src/pipeline/addressLimit.ts"

const MOST = 1_000_000_000_000
const BYTES = Number.MAX_SAFE_INTEGER

interface Ranges {
  readonly parse: (input: unknown) => Result.Result<unknown, SettingError.SettingError>
  readonly schema: Schema.Codec<unknown, unknown>
  readonly limits: Readonly<Record<string, readonly [least: number, most: number]>>
}

/** The least and the greatest value of each limit. */
const ranges: Readonly<Record<string, Ranges>> = {
  project: {
    parse: ProjectLimits.parse,
    schema: ProjectLimits.ProjectLimits,
    limits: {
      creditsPerSecond: [1, MOST],
      burst: [1, MOST],
      creditsPerDay: [0, MOST],
      concurrency: [1, MOST],
      ipfsReadsPerSecond: [1, MOST],
      ipfsWritesPerSecond: [1, MOST],
      ipfsStored: [0, BYTES],
      ipfsUploadedPerDay: [0, BYTES],
      ipfsDownloadedPerDay: [0, BYTES]
    }
  },
  key: {
    parse: KeyLimits.parse,
    schema: KeyLimits.KeyLimits,
    limits: { requestsPerSecond: [1, MOST], burst: [1, MOST], creditsPerDay: [0, MOST] }
  }
}

describe.each(Object.entries(ranges))("limits of a %s", (_, { limits, parse, schema }) => {
  const decode = Schema.decodeUnknownResult(schema)
  const names = Object.keys(limits)

  it.each(Object.entries(limits))(
    "take %s within its range, from a file and from a request alike",
    (name, [least, most]) => {
      for (const value of [least, least + 1, most]) {
        const given = { [name]: value }
        assert.deepStrictEqual<unknown>(Result.getOrThrow(parse(given)), given)
        assert.deepStrictEqual(Result.getOrThrow(decode(given)), given)
      }
      for (const value of [least - 1, most + 1, least + 0.5, Number.NaN, "5"]) {
        const parsed = parse({ [name]: value })
        if (Result.isSuccess(parsed)) return assert.fail(`${name} ${value}`)
        assert.strictEqual(parsed.failure.message, `${name}: must be a whole number from ${least} to ${most}`)
        assert.isTrue(Result.isFailure(decode({ [name]: value })), `${name} ${value}`)
      }
      assert.deepStrictEqual<unknown>(Result.getOrThrow(parse({ [name]: null })), {})
    }
  )

  it("are an object of the known names", () => {
    for (const [input, problem] of [
      [undefined, "must be an object of"],
      [null, "must be an object of"],
      [[1], "must be an object of"],
      [{ perSecond: 1 }, "must have no other names than"]
    ] as const) {
      const parsed = parse(input)
      if (Result.isSuccess(parsed)) return assert.fail(JSON.stringify(input))
      assert.strictEqual(parsed.failure.message, `limits: ${problem} ${names.join(", ")}`)
    }
    assert.deepStrictEqual<unknown>(Result.getOrThrow(parse({})), {})
  })
})

describe("limits", () => {
  it("that are the defaults are taken", () => {
    assert.deepStrictEqual(Result.getOrThrow(ProjectLimits.parse(ProjectLimits.defaults)), ProjectLimits.defaults)
  })

  it("of a key are none without a rate and without credits", () => {
    assert.deepStrictEqual([{}, { burst: 1 }, { requestsPerSecond: 1 }, { creditsPerDay: 0 }].map(KeyLimits.isNone), [
      true,
      true,
      false,
      false
    ])
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
    assert.deepStrictEqual<unknown>(LimitExceeded.answer(exceeded({}), { see }).error, JSON.parse(object))
  })

  const rates = { current_rps: 13.333, allowed_rps: 10 }
  const rows: ReadonlyArray<
    readonly [
      change: Partial<LimitExceeded.LimitExceeded>,
      status: number,
      message: string,
      data: object,
      wait?: number
    ]
  > = [
    [{}, 429, "project ID request rate exceeded", rates, 30],
    [{ limit: "day", retryAfter: 3_600_001 }, 402, "daily request count exceeded, request rate limited", {}, 3600.001],
    // a call that never passes has no wait
    [{ limit: "day", retryAfter: undefined }, 402, "daily request count exceeded, request rate limited", {}],
    [
      { limit: "concurrency", current: 100, retryAfter: undefined },
      429,
      "too many requests in flight",
      { in_flight: 100, allowed: 10 },
      1
    ],
    [
      { limit: "burst", current: 11, retryAfter: undefined },
      429,
      "request costs more than the rate limit allows at once",
      { credits: 11, allowed: 10 }
    ],
    [{ of: "key" }, 429, "request rate of the API key exceeded", rates, 30],
    [{ of: "user" }, 429, "request rate of the user exceeded", rates, 30],
    [
      { of: "user", limit: "burst", current: 11, retryAfter: undefined },
      429,
      "more requests at once than the user may send",
      { requests: 11, allowed: 10 }
    ],
    // a payment does not raise the limit of a key
    [{ of: "key", limit: "day" }, 429, "daily credits of the API key exceeded, request rate limited", {}, 30],
    [{ of: "account" }, 429, "request rate of the account exceeded", rates, 30],
    [{ of: "account", limit: "day" }, 402, "daily credits of the account exceeded, request rate limited", {}, 30]
  ]
  for (const [change, status, message, data, wait] of rows) {
    it(`is its message, its figures and its wait: ${JSON.stringify(change)}`, () => {
      const answer = LimitExceeded.answer(exceeded(change), { see, dayStatus: 402 })
      assert.strictEqual(answer.status, status)
      assert.deepStrictEqual(answer.headers, wait === undefined ? [] : ["retry-after", String(Math.ceil(wait))])
      assert.strictEqual(answer.error.code, -32_005)
      assert.strictEqual(answer.error.message, message)
      const backoff = wait === undefined ? {} : { backoff_seconds: wait }
      assert.deepStrictEqual<unknown>(answer.error.data, { see, ...data, ...backoff })
    })
  }

  it("is 429 and EIP-1474 unless other words are given", () => {
    const { error, status } = LimitExceeded.answer(exceeded({ limit: "day" }))
    assert.strictEqual(status, 429)
    assert.propertyVal(error.data, "see", "https://eips.ethereum.org/EIPS/eip-1474#error-codes")
  })

  it("rounds up to whole seconds, and never says zero", () => {
    const header = (retryAfter: number) => LimitExceeded.answer(exceeded({ retryAfter })).headers[1]
    assert.deepStrictEqual([0, 1, 1000, 1001].map(header), ["1", "1", "1", "2"])
  })

  it("before it is known who calls is one line of text", () => {
    const { headers, status, text } = AddressLimit.refusalOf(exceeded({ retryAfter: 1500 }))
    assert.deepStrictEqual([status, text, headers], [429, "too many requests", ["retry-after", "2"]])
    assert.deepStrictEqual(AddressLimit.refusalOf(exceeded({ retryAfter: undefined })).headers, ["retry-after", "1"])
  })
})
