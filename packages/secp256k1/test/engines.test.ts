import { createECDH, createHash, generateKeyPairSync, sign } from "node:crypto"

import { assert, describe, it } from "@effect/vitest"
import { Common, Hardfork, Mainnet } from "@ethereumjs/common"
import { createTx } from "@ethereumjs/tx"
import { Hex } from "@plumbline/codec"
import { BlockRlp, type SenderRecovery, Transaction, Verify } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

import { engines, isNative } from "./support/engines.ts"

const P = 2n ** 256n - 2n ** 32n - 977n
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
/** The `x` of the generator. The `y` of the generator is even. */
const GX = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n

const word = (value: bigint): string => value.toString(16).padStart(64, "0")
const bytes = (...values: ReadonlyArray<bigint>): Uint8Array => Hex.toBytesUnsafe(`0x${values.map(word).join("")}`)
const text = (key: Uint8Array | undefined): string | undefined => (key === undefined ? undefined : Hex.fromBytes(key))

/** Returns a signature that OpenSSL made, with its key. */
const signed = (at: number) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "secp256k1" })
  const message = Buffer.from(`message ${at}`)
  const signature = sign("sha256", message, { key: privateKey, dsaEncoding: "ieee-p1363" })
  const { x, y } = publicKey.export({ format: "jwk" })
  const key = Buffer.concat([Buffer.from(x!, "base64url"), Buffer.from(y!, "base64url")])
  return {
    digest: new Uint8Array(createHash("sha256").update(message).digest()),
    signature: new Uint8Array(signature),
    key: Hex.fromBytes(new Uint8Array(key))
  }
}

/** Returns the signature with `n - s` and the other parity. */
const flipped = (signature: Uint8Array): Uint8Array => {
  const s = BigInt(Hex.fromBytes(signature.subarray(32)))
  return Hex.toBytesUnsafe(`${Hex.fromBytes(signature.subarray(0, 32))}${word(N - s)}`)
}

/** Returns the public key of a private key, computed by OpenSSL. */
const publicKey = (secret: bigint): string => {
  const ecdh = createECDH("secp256k1")
  ecdh.setPrivateKey(bytes(secret))
  return `0x${ecdh.getPublicKey("hex").slice(2)}`
}

it("there is a native engine where its package has a binary, and it is the fastest", () => {
  const names = engines.map(([, engine]) => engine.name)
  assert.strictEqual(new Set(names).size, isNative ? 3 : 2)
  assert.strictEqual(names.at(-1), isNative ? "libsecp256k1, native" : "WebAssembly")
})

for (const [name, engine] of engines) {
  describe(`the ${name} engine`, () => {
    it("recovers the key of signatures that OpenSSL made, by one parity and not by the other", () => {
      for (let at = 0; at < Random.sized(300); at++) {
        const { digest, key, signature } = signed(at)
        const found = ([0, 1] as const).map((parity) => text(engine.recover(digest, signature, parity)))
        assert.strictEqual(found.filter((other) => other === key).length, 1)
        const twin = flipped(signature)
        assert.strictEqual(text(engine.recover(digest, twin, found[0] === key ? 1 : 0)), key, "high or low s")
      }
    })

    it("recovers keys whose nonce and secret are known, at the edges of r, s and the digest", () => {
      // if the nonce's point is the generator, then s = z + r * secret
      for (const secret of [1n, 2n, 3n, N - 1n, N - 2n, GX % N]) {
        for (const z of [0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n]) {
          const s = (z + GX * secret) % N
          if (s === 0n) continue
          assert.strictEqual(
            text(engine.recover(bytes(z), bytes(GX, s), 0)),
            publicKey(secret),
            `secret ${secret}, digest ${z}`
          )
        }
      }
    })

    it("finds no key where the sum is the point at infinity", () => {
      // the nonce's point is the generator and s is the digest: the key would be zero times the generator
      for (const z of [1n, 2n, N - 1n]) {
        assert.isUndefined(engine.recover(bytes(z), bytes(GX, z), 0))
        assert.isUndefined(engine.recover(bytes(z), bytes(GX, N - z), 1))
      }
      assert.isDefined(engine.recover(bytes(1n), bytes(GX, 1n), 1))
    })

    it("finds no key where no point has this x", () => {
      for (const parity of [0, 1] as const) {
        assert.isUndefined(engine.recover(bytes(1n), bytes(5n, 1n), parity))
        assert.isUndefined(engine.recover(bytes(1n), bytes(N - 1n, 1n), parity))
      }
    })

    it("reads r as the x itself, never as x minus the order, where both are points", () => {
      // Below p - n, `r` could mean two values of x. Other systems distinguish them by the parities 2 and 3; Ethereum
      // does not.
      for (let r = 1n, tried = 0; tried < 4; r++) {
        const both = [r, r + N].every((x) => power((x * x * x + 7n) % P, (P - 1n) / 2n, P) === 1n)
        if (!both) continue
        assert.isBelow(Number(r), Number(P - N))
        tried++
        const digest = bytes(7n)
        const key = text(engine.recover(digest, bytes(r, 1n), 0))!
        // s * R - z * G = r * Q: computes R from the key, with the independent arithmetic of this file
        const sum = add(times(r, pointOf(key)), times(7n, { x: GX, y: GY }))
        assert.strictEqual(sum.x, r)
        assert.strictEqual(sum.y & 1n, 0n)
      }
    })

    it("keeps none of its arguments, and gives each key its own bytes", () => {
      const first = signed(1)
      const second = signed(2)
      const digest = first.digest.slice()
      const signature = first.signature.slice()
      const before = engine.recover(digest, signature, 0)
      const shown = text(before)
      digest.set(second.digest)
      signature.set(second.signature)
      engine.recover(digest, signature, 0)
      assert.strictEqual(text(before), shown)
      assert.strictEqual(text(engine.recover(first.digest, first.signature, 0)), shown)
    })

    it("recovers the senders that ethereumjs signed for, of every type, and refutes other ones", () => {
      for (let at = 1; at <= Random.sized(40); at++) {
        const secret = Hex.toBytesUnsafe(`0x${word(BigInt(at) ** 40n % N)}`)
        for (const data of kinds) {
          const tx = createTx({ ...data, nonce: at } as never, { common }).sign(secret)
          const encoded = tx.serialize()
          const read = Result.getOrThrow(BlockRlp.decodeTransaction(encoded, { recovery: engine }))
          if (!Transaction.isKnown(read)) assert.fail("unknown type")
          assert.strictEqual<string>(read.from, tx.getSenderAddress().toString())
          const verdict = Result.getOrThrow(Verify.transaction(read, read.hash, { recovery: engine }))
          assert.strictEqual(verdict._tag, "VERIFIED")
          const lie = Verify.transaction({ ...read, from: read.to! }, read.hash, { recovery: engine })
          assert.strictEqual(Result.isFailure(lie) && lie.failure.check, "transaction.from")
        }
      }
    })
  })
}

it("engines agree on random signatures and on such at the edges of their ranges", () => {
  const random = Random.make(0x5ec2)
  const edges = [1n, 2n, 3n, GX, N - 1n, N - 2n, N / 2n, N / 2n + 1n, P - N, P - N - 1n, P - N + 1n]
  const scalar = (): bigint =>
    Random.int(random, 4) === 0 ? Random.pick(random, edges) : 1n + (randomWord(random) % (N - 1n))
  const digestOf = (): bigint =>
    Random.int(random, 8) === 0 ? Random.pick(random, [0n, 1n, N - 1n, N, N + 1n, 2n ** 256n - 1n]) : randomWord(random)
  let found = 0
  const total = Random.sized(4000)
  for (let at = 0; at < total; at++) {
    const digest = digestOf()
    const r = scalar()
    // s is sometimes the digest itself, so that a sum can be the point at infinity
    const s = Random.int(random, 16) === 0 && digest % N !== 0n ? digest % N : scalar()
    const parity = Random.int(random, 2) as 0 | 1
    const keys = engines.map(([, engine]: readonly [string, SenderRecovery.RecoveryEngine]) =>
      text(engine.recover(bytes(digest), bytes(r, s), parity))
    )
    assert.strictEqual(new Set(keys).size, 1, `digest ${digest}, r ${r}, s ${s}, parity ${parity}: ${keys.join()}`)
    if (keys[0] !== undefined) found++
  }
  // about half of all x belong to points
  assert.isAbove(found, total / 4)
  assert.isBelow(found, total)
})

const common = new Common({ chain: Mainnet, hardfork: Hardfork.Prague })
const call = { gasLimit: 100_000, to: `0x${"11".repeat(20)}`, value: 1, data: "0x010203" }
const kinds = [
  { ...call, type: 0, gasPrice: 10n ** 10n },
  { ...call, type: 1, gasPrice: 10n ** 10n, accessList: [{ address: call.to, storageKeys: [`0x${"ab".repeat(32)}`] }] },
  { ...call, type: 2, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1 }
]

const power = (base: bigint, exponent: bigint, modulus: bigint): bigint => {
  let out = 1n
  for (let square = base % modulus, left = exponent; left > 0n; left >>= 1n, square = (square * square) % modulus) {
    if ((left & 1n) === 1n) out = (out * square) % modulus
  }
  return out
}

interface Point {
  readonly x: bigint
  readonly y: bigint
}

const GY = BigInt(`0x${publicKey(1n).slice(66)}`)

const pointOf = (key: string): Point => ({ x: BigInt(key.slice(0, 66)), y: BigInt(`0x${key.slice(66)}`) })

const modulo = (value: bigint): bigint => ((value % P) + P) % P

/** Returns the sum of two points by the textbook formulas. The sum must not be the point at infinity. */
const add = (a: Point, b: Point): Point => {
  const slope =
    a.x === b.x ? 3n * a.x * a.x * power(2n * a.y, P - 2n, P) : (b.y - a.y) * power(modulo(b.x - a.x), P - 2n, P)
  const x = modulo(slope * slope - a.x - b.x)
  return { x, y: modulo(slope * (a.x - x) - a.y) }
}

const times = (scalar: bigint, point: Point): Point => {
  let out: Point | undefined
  for (let double = point, left = scalar; left > 0n; left >>= 1n, double = add(double, double)) {
    if ((left & 1n) === 1n) out = out === undefined ? double : add(out, double)
  }
  return out!
}

/** Returns a whole number below 2^256. */
const randomWord = (random: Random.Random): bigint => {
  let value = 0n
  for (let i = 0; i < 8; i++) value = (value << 32n) | BigInt(Random.int(random, 2 ** 32))
  return value
}
