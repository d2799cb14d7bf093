import { assert, describe, it } from "@effect/vitest"
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { Bls, BlstEngine } from "@plumbline/beacon-light-client"
import { Bytes } from "@plumbline/codec"
import { Effect } from "effect"

import { engines, isNative } from "../support/engines.ts"

const { G1, longSignatures: signatures } = bls12_381
const DST = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"
const SIZE = 8

const message = new Uint8Array(32).fill(7)
const secrets = Array.from({ length: SIZE }, (_, at) => G1.Point.Fn.create(0x1234567n * BigInt(at + 3) ** 9n))
const publicKey = (secret: bigint): Uint8Array => G1.Point.BASE.multiply(secret).toBytes()
const sumOf = (some: ReadonlyArray<bigint>): bigint => some.reduce((a, b) => G1.Point.Fn.add(a, b), 0n)

const committeeOf = (keys: ReadonlyArray<Uint8Array>, aggregatePubkey: Uint8Array) => ({
  pubkeys: Bytes.join(keys),
  aggregatePubkey
})

const keys = secrets.map(publicKey)
const aggregate = publicKey(sumOf(secrets))
const committee = committeeOf(keys, aggregate)

const sign = (some: ReadonlyArray<bigint>, text: Uint8Array = message): Uint8Array =>
  signatures.sign(signatures.hash(text, DST), G1.Point.Fn.toBytes(sumOf(some))).toBytes()

const first = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, at) => at)

/** Returns the compressed encoding of infinity. */
const infinity = (size: number): Uint8Array => new Uint8Array(size).with(0, 0xc0)

/** The modulus of the field. */
const P = bls12_381.fields.Fp.ORDER

/** Returns compressed bytes with this `x` and the flags of the given bytes. */
const withX = (bytes: Uint8Array, x: bigint): Uint8Array => {
  const hex = x.toString(16).padStart(96, "0")
  const out = Uint8Array.from(Buffer.from(hex, "hex"))
  out[0]! |= bytes[0]! & 0xe0
  return out
}

/** Returns the `x` of a compressed key. */
const xOf = (key: Uint8Array): bigint => BigInt(`0x${Buffer.from(key.with(0, key[0]! & 0x1f)).toString("hex")}`)

/** A compressed point on the curve that is not in the subgroup. */
const outside = ((): Uint8Array => {
  for (let x = 1n; ; x++) {
    const bytes = withX(new Uint8Array(48).with(0, 0x80), x)
    try {
      G1.Point.fromBytes(bytes)
    } catch (error) {
      if (/subgroup/u.test(String(error))) return bytes
    }
  }
})()

/** A point of small order, which pairings do not detect: a point multiplied by the order of the subgroup. */
const small = ((): typeof G1.Point.BASE => {
  const { Fp } = bls12_381.fields
  const x = xOf(outside)
  const point = G1.Point.fromAffine({ x, y: Fp.sqrt(x ** 3n + 4n) })
  return point.multiplyUnsafe(G1.Point.Fn.ORDER - 1n).add(point)
})()

/** Returns the encoding of a point in any subgroup. */
const compressed = (point: typeof small): Uint8Array => {
  const { x, y } = point.toAffine()
  return withX(new Uint8Array(48).with(0, 2n * y > P ? 0xa0 : 0x80), x)
}

it("the native engine starts where its package has a binary", () => {
  assert.deepStrictEqual(
    engines.map(({ name }) => name),
    isNative ? ["@noble/curves", "@chainsafe/blst"] : ["@noble/curves"]
  )
})

it("the reference gives the default engine, and the layer the native one", () => {
  assert.strictEqual(Effect.runSync(Effect.map(Bls.Bls, ({ name }) => name)), "@noble/curves")
  if (!isNative) return
  return Effect.runPromise(
    Effect.map(Bls.Bls, ({ name }) => assert.strictEqual(name, "@chainsafe/blst")).pipe(
      Effect.provide(BlstEngine.layer(() => import("@chainsafe/blst")))
    )
  )
})

it("an engine that cannot be loaded, or that accepts what nobody signed, does not start", async () => {
  const missing = await Effect.runPromise(Effect.flip(BlstEngine.make(() => Promise.reject(new Error("none")))))
  assert.strictEqual(missing._tag, "EngineUnavailableError")
  assert.strictEqual(missing.reason, "it cannot be loaded")
  assert.include(missing.message, "Install its package")
  const point = { toBytes: () => new Uint8Array(48) }
  const credulous = {
    PublicKey: { fromBytes: () => point },
    Signature: { fromBytes: () => point },
    aggregatePublicKeys: () => point,
    verify: () => true
  }
  const broken = await Effect.runPromise(Effect.flip(BlstEngine.make(() => Promise.resolve(credulous))))
  assert.strictEqual(broken.reason, "it fails its first test")
})

for (const engine of engines) {
  const check = (signed: Partial<Bls.CommitteeSignature>): boolean =>
    engine.verify({ committee, signers: first(SIZE), message, signature: sign(secrets), ...signed })

  describe(`the engine ${engine.name}`, () => {
    it("accepts the signature of any number of members, and no other signature for them", () => {
      for (let count = 1; count <= SIZE; count++) {
        const signers = first(count)
        const signature = sign(secrets.slice(0, count))
        assert.isTrue(check({ signers, signature }), `${count}`)
        assert.isFalse(check({ signers, signature: sign(secrets.slice(1, count + 1)) }) && count < SIZE, `${count}`)
        assert.isFalse(check({ signers: first(count === SIZE ? count - 1 : count + 1), signature }), `${count}`)
      }
      assert.isTrue(check({ signers: [1, 6], signature: sign([secrets[1]!, secrets[6]!]) }))
      assert.isTrue(
        check({ signers: [0, 1, 3, 4, 5, 7], signature: sign(secrets.filter((_, at) => ![2, 6].includes(at))) })
      )
    })

    it("refuses another message, no signers, and infinity", () => {
      assert.isTrue(check({}))
      assert.isFalse(check({ message: message.with(31, 8) }))
      assert.isFalse(check({ signers: [] }))
      assert.isFalse(check({ signature: infinity(96) }))
      assert.isFalse(check({ signers: [], signature: infinity(96) }))
      assert.isFalse(check({ committee: committeeOf(keys, infinity(48)) }))
      assert.isFalse(check({ committee: committeeOf([infinity(48), ...keys.slice(1)], aggregate), signers: [0] }))
    })

    it("refuses signers whose keys cancel each other, even with the signature of their sum", () => {
      const opposite = G1.Point.fromBytes(keys[0]!).negate().toBytes()
      const pair = committeeOf([keys[0]!, opposite, ...keys.slice(2)], aggregate)
      assert.isFalse(check({ committee: pair, signers: [0, 1], signature: infinity(96) }))
    })

    it("refuses keys and signatures outside of the subgroup, off the curve, or of another length", () => {
      assert.isFalse(check({ committee: committeeOf(keys, outside) }))
      assert.isFalse(check({ committee: committeeOf([outside, ...keys.slice(1)], aggregate), signers: [0] }))
      assert.isFalse(check({ committee: committeeOf([new Uint8Array(48), ...keys.slice(1)], aggregate), signers: [0] }))
      assert.isFalse(check({ signature: new Uint8Array(96) }))
      assert.isFalse(check({ signature: new Uint8Array(96).fill(0xff) }))
      const uncompressed = bls12_381.G2.Point.fromBytes(sign(secrets)).toBytes(false)
      assert.isFalse(check({ signature: uncompressed }))
      assert.isFalse(check({ signature: sign(secrets).subarray(0, 95) }))
    })

    it("refuses a key with a part outside of the subgroup, which its pairing does not show", () => {
      assert.isFalse(small.is0())
      const lie = G1.Point.fromBytes(keys[0]!).add(small)
      const signature = sign([secrets[0]!])
      assert.isTrue(check({ signers: [0], signature }))
      assert.isFalse(
        check({ committee: committeeOf(keys.with(0, compressed(lie)), aggregate), signers: [0], signature })
      )
      const sum = G1.Point.fromBytes(aggregate).add(small)
      assert.isFalse(check({ committee: committeeOf(keys, compressed(sum)) }))
    })

    it("refuses coordinates that are not reduced", () => {
      // a key whose `x` is so small that `x` plus the modulus also fits into 381 bits
      const secret = [2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n, 11n].find((some) => xOf(publicKey(some)) + P < 2n ** 381n)!
      const key = publicKey(secret)
      const signature = sign([secret])
      const reduced = keys.with(0, key)
      assert.isTrue(check({ committee: committeeOf(reduced, aggregate), signers: [0], signature }))
      const lie = reduced.with(0, withX(key, xOf(key) + P))
      assert.isFalse(check({ committee: committeeOf(lie, aggregate), signers: [0], signature }))
    })

    it("takes the aggregate key at its word, and keeps the keys of each committee apart", () => {
      const others = committeeOf(keys.toReversed(), aggregate)
      assert.isTrue(check({ signers: [0], signature: sign([secrets[0]!]) }))
      assert.isTrue(check({ committee: others, signers: [0], signature: sign([secrets.at(-1)!]) }))
      assert.isFalse(check({ committee: others, signers: [0], signature: sign([secrets[0]!]) }))
      assert.isFalse(check({ committee: committeeOf(keys, keys[0]!) }))
    })
  })
}
