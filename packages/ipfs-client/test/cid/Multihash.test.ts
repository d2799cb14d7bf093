import { createHash } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import { Cid, Multihash } from "@plumbline/ipfs-client"
import * as Random from "@plumbline/seeded/Random"
import { Effect, Result } from "effect"

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** Codes from the multicodec table, each with OpenSSL's name of its hash function. */
const OPENSSL = [
  [Multihash.SHA2_256, "sha256"],
  [Multihash.SHA2_512, "sha512"],
  [0x14, "sha3-512"],
  [0x15, "sha3-384"],
  [0x16, "sha3-256"],
  [0x17, "sha3-224"],
  [0xb240, "blake2b512"],
  [0xb260, "blake2s256"]
] as const

/** Hash functions that OpenSSL lacks, each with its authors' test vector for the empty input. */
const EMPTY = [
  [Multihash.KECCAK_256, "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470"],
  [0x1a, "f71837502ba8e10837bdd8d365adb85591895602fc552b48b7390abd"],
  [
    0x1d,
    "0eab42de4c3ceb9235fc91acffe746b29c29a8c366b7c60e4e67c466f36a4304c00fa9caf9d87976ba469bcbe06713b435f091ef2769fb160cdab33d3670680e"
  ],
  [Multihash.BLAKE3, "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"],
  [Multihash.BLAKE2B_256, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"]
] as const

describe("Multihash", () => {
  it("gives what OpenSSL gives", () => {
    const random = Random.make(3)
    for (const [code, name] of OPENSSL) {
      for (const size of [0, 1, 63, 64, 65, 1000]) {
        const bytes = Random.bytes(random, size)
        const expected = createHash(name).update(bytes).digest("hex")
        assert.strictEqual(hex(Result.getOrThrow(Multihash.digest(code, bytes))), expected, name)
        const shorter = hex(Result.getOrThrow(Multihash.digest(code, bytes, 20)))
        assert.strictEqual(shorter, expected.slice(0, 40), "the beginning of the digest")
      }
    }
  })

  it.effect("gives the same by the platform, of inputs of every size and memory", () =>
    Effect.gen(function* () {
      const shared = new Uint8Array(new SharedArrayBuffer(20_000))
      for (const bytes of [new Uint8Array(0), new Uint8Array(20_000).fill(7), shared]) {
        for (const [code, name] of OPENSSL) {
          const expected = createHash(name).update(Uint8Array.from(bytes)).digest("hex")
          assert.strictEqual(hex(yield* Multihash.digestEffect(code, bytes)), expected)
          assert.strictEqual(hex(yield* Multihash.digestEffect(code, bytes, 20)), expected.slice(0, 40))
          assert.strictEqual((yield* Effect.flip(Multihash.digestEffect(code, bytes, 19)))._tag, "DigestTooShort")
        }
      }
    })
  )

  it("gives the published digests where OpenSSL has none", () => {
    for (const [code, expected] of EMPTY) {
      assert.strictEqual(hex(Result.getOrThrow(Multihash.digest(code, new Uint8Array(0)))), expected)
    }
  })

  it("proves nothing by an unknown function, a weak one, or a digest that is too short or too long", () => {
    const refused: ReadonlyArray<readonly [code: number, size: number | undefined]> = [
      [0x11, 20],
      [0xd5, 16],
      [0x7777, 32],
      [Multihash.SHA2_256, 19],
      [Multihash.SHA2_256, 0],
      [Multihash.SHA2_256, 33],
      [Multihash.BLAKE3, 129],
      [0xb201, undefined],
      [0xb213, undefined],
      [0xb241, undefined]
    ]
    for (const [code, size] of refused) {
      assert.isTrue(
        Result.isFailure(Multihash.digest(code, new Uint8Array(3), size)),
        `0x${code.toString(16)}, ${size}`
      )
    }
  })

  it("holds at most 128 bytes by identity", () => {
    assert.isTrue(Result.isSuccess(Multihash.digest(Multihash.IDENTITY, new Uint8Array(128))))
    assert.isTrue(Result.isFailure(Multihash.digest(Multihash.IDENTITY, new Uint8Array(129))))
    assert.isUndefined(Multihash.inlined(Cid.make(0x55, Multihash.SHA2_256, new Uint8Array(32))))
  })
})
