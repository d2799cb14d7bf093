/**
 * Settings: a file and the options of a layer pass the same Schema, and neither an error nor an encoded setting shows a
 * secret.
 */
import { assert, describe, it } from "@effect/vitest"
import { GatewayOptions, Limiter, Metering, Setting, UpstreamPool } from "@plumbline/gateway"
import * as Random from "@plumbline/seeded/Random"
import { Duration, Inspectable, Redacted, Result } from "effect"

import * as Described from "../support/described.ts"

const { bytes, defaulted, duration, group, optional, secret, secretUrl, struct, text, url } = Setting

const settings = struct(
  {
    wait: defaulted(duration({ description: "A time.", default: "30s" })),
    size: defaulted(bytes({ description: "A size.", default: "1KiB", least: 1 })),
    key: optional(secret(text({ description: "A secret." }))),
    node: optional(secretUrl(url(["https"], { description: "A URL." }))),
    inner: group({ wait: optional(duration({ description: "A time.", most: 60_000 })) }, "A group.")
  },
  "Settings."
)

const read = (value: unknown) => Setting.check(settings, value)

describe("a setting", () => {
  it("has its default, and the units of a file", () => {
    assert.deepStrictEqual(Setting.defaultsOf(settings), { wait: 30_000, size: 1024, inner: {} })
    const seconds = ["0.5s", "1.5s", "2 m", "1h", "8d"].map((wait) => Result.getOrThrow(read({ wait })).wait / 1000)
    assert.deepStrictEqual(seconds, [0.5, 1.5, 120, 3600, 691_200])
    const sizes = [7, "7B", "1.5KiB", "2 MiB", "1GiB", "1TiB"].map((size) => Result.getOrThrow(read({ size })).size)
    assert.deepStrictEqual(sizes, [7, 7, 1536, 2_097_152, 1_073_741_824, 1_099_511_627_776])
  })

  it("of bytes is a number that JavaScript holds exactly", () => {
    const { MAX_SAFE_INTEGER } = Number
    assert.strictEqual(Result.getOrThrow(read({ size: "8191TiB" })).size, 8191 * 2 ** 40)
    assert.strictEqual(Result.getOrThrow(read({ size: MAX_SAFE_INTEGER })).size, MAX_SAFE_INTEGER)
    for (const size of ["8192TiB", "999999999999TiB", MAX_SAFE_INTEGER + 1, 0]) {
      assert.isTrue(Result.isFailure(read({ size })), String(size))
    }
  })

  it("of time is encoded as a text that means the same", () => {
    const random = Random.make(9)
    for (let run = 0; run < Random.runs(500); run += 1) {
      const wait = 1 + Random.int(random, 2 ** Random.int(random, 31))
      const encoded = Setting.encode(settings, { wait, size: 1, inner: {} })
      assert.strictEqual(Result.getOrThrow(read(encoded)).wait, wait)
    }
  })

  it("is the same in a file and in the options of a layer, and has the same bounds there", () => {
    const pairs: ReadonlyArray<readonly [inFile: string, option: Duration.Input]> = [
      ["10s", "10 seconds"],
      ["10s", 10_000],
      ["2m", Duration.minutes(2)],
      ["1ms", 0.6],
      ["0s", 0],
      ["25d", "25 days"],
      ["no time", "Infinity"]
    ]
    for (const [inFile, option] of pairs) {
      const ofFile = Result.map(read({ wait: inFile }), ({ wait }) => wait)
      const ofLayer = Result.map(Setting.resolve(settings, { wait: option }), ({ wait }) => wait)
      assert.strictEqual(Result.isSuccess(ofFile), Result.isSuccess(ofLayer), inFile)
      if (Result.isSuccess(ofFile)) assert.strictEqual(Result.getOrThrow(ofLayer), Result.getOrThrow(ofFile))
    }
    const long = struct({ days: duration({ description: "A time.", most: Infinity }) }, "A long time.")
    const days = 20_000 * 86_400_000
    assert.deepStrictEqual(Result.getOrThrow(Setting.check(long, { days: "20000d" })), { days })
    assert.deepStrictEqual(Result.getOrThrow(Setting.resolve(long, { days: Duration.millis(days) })), { days })
    assert.deepStrictEqual(
      Result.getOrThrow(Setting.resolve(settings, { wait: undefined, inner: undefined })),
      Result.getOrThrow(read({}))
    )
  })

  it("that is invalid is named by its path and described, and its value is not shown", () => {
    const wrong: ReadonlyArray<readonly [options: Setting.OptionsOf<typeof settings.Type>, message: string]> = [
      [{ wait: 0 }, "wait: must be a time from 1ms to 24d"],
      [{ size: 0 }, "size: must be above zero"],
      [{ key: "" }, "key: must be a text that is not empty"],
      [{ node: Redacted.make("http://s3cret") }, "node: must be a URL with https://"],
      [{ node: "https://s3cret:s3cret:1" }, "node: is a URL whose port is no number from 0 to 65535"],
      [{ inner: { wait: "2 minutes" } }, "inner.wait: must be a time from 1ms to 1m"]
    ]
    for (const [options, message] of wrong) {
      const resolved = Setting.resolve(settings, options)
      assert(Result.isFailure(resolved))
      assert.strictEqual(resolved.failure.message, message)
      const shown = [String(resolved.failure), JSON.stringify(resolved.failure), Inspectable.toStringUnknown(resolved)]
      assert.notInclude(shown.join(), "s3cret")
    }
  })

  it("that is a secret is encoded without it", () => {
    const secrets = { key: "s3cret", node: "https://user:s3cret@node.example/s3cret?s3cret" }
    const encoded = Setting.encode(settings, Result.getOrThrow(read(secrets)))
    assert.deepStrictEqual(encoded, {
      wait: "30s",
      size: 1024,
      key: Setting.SECRET,
      node: "https://node.example",
      inner: {}
    })
  })
})

describe("every setting of the gateway", () => {
  const all = {
    GatewayOptions: GatewayOptions.fields,
    Limiter: Limiter.fields,
    Metering: Metering.fields,
    UpstreamPool: UpstreamPool.fields,
    nodes: UpstreamPool.nodeFields
  }
  it.each(Object.entries(all))("of %s is described, and has a default that its Schema accepts", (_, fields) => {
    assert.deepStrictEqual(Described.faults(fields), [])
  })
})
