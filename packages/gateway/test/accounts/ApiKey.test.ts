import { inspect } from "node:util"

import { assert, describe, it } from "@effect/vitest"
import { ApiKey } from "@plumbline/gateway"
import { Redacted } from "effect"

describe("generated keys", () => {
  it("have 128 bits in 32 lower-case digits, never twice, and do not print", () => {
    const issued = Array.from({ length: 100 }, () => ApiKey.generate())
    const texts = issued.flatMap(({ key, secret }) => [Redacted.value(key), Redacted.value(secret)])
    for (const text of texts) assert.match(text, /^[0-9a-f]{32}$/u)
    assert.strictEqual(new Set(texts).size, 200)
    assert.strictEqual(JSON.stringify(issued[0]), '{"key":"<redacted>","secret":"<redacted>"}')
    assert.notInclude(inspect(issued[0]), texts[0]!)
  })

  it("leave digests that cannot be turned back into them", () => {
    const pair = ApiKey.generate()
    const digests = ApiKey.digests(pair)
    const text = JSON.stringify(digests)
    assert.notInclude(text, Redacted.value(pair.key))
    assert.notInclude(text, Redacted.value(pair.secret))
    assert.strictEqual(digests.keyStart, Redacted.value(pair.key).slice(0, 4))
  })

  it("are kept as SHA-256", () => {
    // The SHA-256 of "abc" (FIPS 180-2, appendix B.1).
    const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert.strictEqual(ApiKey.digest("abc"), abc)
    const { keyHash, secretHash } = ApiKey.digests({ key: Redacted.make("abc"), secret: Redacted.make("") })
    assert.strictEqual(keyHash, abc)
    // Digest of the empty message, from NIST's test vectors.
    assert.strictEqual(secretHash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  })
})
