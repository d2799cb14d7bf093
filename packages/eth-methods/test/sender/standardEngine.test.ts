import { assert, describe, it } from "@effect/vitest"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { Hex } from "@plumbline/codec"
import * as Random from "@plumbline/seeded/Random"

import { SenderRecovery } from "../../src/index.ts"
import * as CurveArithmetic from "../../src/sender/curveArithmetic.ts"
import { type CurveModule, start } from "../../src/sender/curveModule.ts"
import { digits, N, POSITIONS, split } from "../../src/sender/scalarDigits.ts"
import { best } from "../../src/sender/standardEngine.ts"

const { noble, standard } = SenderRecovery
const { Point } = secp256k1

/** The scalar of the endomorphism: a third root of one modulo the order. */
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n

const scalarOf = (random: Random.Random): bigint => {
  let value = 0n
  for (let i = 0; i < 8; i++)
    value = (value << 32n) | BigInt(Random.pick(random, [0, 2 ** 32 - 1, Random.int(random, 2 ** 32)]))
  return value % N
}

const mod = (value: bigint): bigint => ((value % N) + N) % N
const wordOf = (value: bigint): string => value.toString(16).padStart(64, "0")
const bytes = (...values: ReadonlyArray<bigint>): Uint8Array => Hex.toBytesUnsafe(`0x${values.map(wordOf).join("")}`)

/** True if the curve has a point with this `x`. */
const isAbscissa = (x: bigint): boolean => {
  try {
    Point.fromHex(`02${wordOf(x)}`)
    return true
  } catch {
    return false
  }
}

describe("the digits of scalars", () => {
  it("have the scalar as their sum, and zeros between them", () => {
    const random = Random.make(0xd161)
    const out = new Int16Array(POSITIONS)
    for (const scalar of [
      0n,
      1n,
      2n,
      N - 1n,
      N - 2n,
      N / 2n,
      LAMBDA,
      N - LAMBDA,
      2n ** 128n,
      ...Array.from({ length: Random.sized(2000) }, () => scalarOf(random))
    ]) {
      const parts = split(scalar)
      assert.strictEqual(mod(parts[0] + parts[1] * LAMBDA), scalar)
      for (const part of parts) {
        assert.isBelow((part < 0n ? -part : part).toString(2).length, 130)
        for (const width of [5, 6]) {
          const end = digits(out, part, width)
          const list = [...out]
          assert.strictEqual(
            list.reduceRight((sum, digit) => 2n * sum + BigInt(digit), 0n),
            part
          )
          assert.strictEqual(list.findLastIndex((digit) => digit !== 0) + 1, end)
          list.forEach((digit, at) => {
            if (digit === 0) return
            assert.isTrue(digit % 2 !== 0 && Math.abs(digit) < 2 ** (width - 1))
            assert.isTrue(list.slice(at + 1, at + width).every((next) => next === 0))
          })
        }
      }
    }
  })
})

describe("the default engine", () => {
  it("is WebAssembly where the platform runs it", () => {
    assert.strictEqual(standard.name, "WebAssembly")
  })

  it("agrees with the engine in JavaScript on scalars of every shape", () => {
    const random = Random.make(0x57d)
    for (let at = 0; at < Random.sized(1000); at++) {
      const [digest, r, s] = [scalarOf(random), scalarOf(random) || 1n, scalarOf(random) || 1n]
      const parity = Random.int(random, 2) as 0 | 1
      const asked = [bytes(digest), bytes(r, s), parity] as const
      assert.deepStrictEqual(standard.recover(...asked), noble.recover(...asked), `${digest} ${r} ${s} ${parity}`)
    }
  })

  it("finds the key where points on the way are the same, or each other's negative", () => {
    // the nonce's point is a small multiple of the base point, as any signer can choose it, so that both meet in one sum
    const recover = CurveArithmetic.make(start()!)
    const made = best(start())
    let unknown = 0
    for (const k of [1n, 2n, 3n, 5n, 7n, 31n, N - 1n, N - 3n, LAMBDA, N - LAMBDA, mod(2n * LAMBDA)]) {
      const nonce = Point.BASE.multiply(k).toAffine()
      const r = nonce.x % N
      const parity = Number(nonce.y & 1n) as 0 | 1
      for (const u of [0n, 1n, 2n, 3n, 5n, N - 1n, N - 2n, LAMBDA, N - LAMBDA]) {
        for (const v of [1n, 2n, 3n, N - 1n, N - 3n, LAMBDA]) {
          // u = -z / r and v = s / r are the scalars of the base point and of the nonce's point
          const [z, s] = [mod(-u * r), mod(v * r)]
          if (recover(z, r, s, parity) === "unknown") unknown++
          const multiple = mod(u + v * k)
          const expected = multiple === 0n ? undefined : Point.BASE.multiply(multiple).toBytes(false).slice(1)
          assert.deepStrictEqual(made.recover(bytes(z), bytes(r, s), parity), expected, `${k} ${u} ${v}`)
        }
      }
    }
    assert.isAbove(unknown, 20, "the cases that the formulas do not add")
  })

  it("finds no key for r or s that no signature has", () => {
    // the nonce's point has an x between the order and the prime
    const between = Array.from({ length: 40 }, (_, i) => N + BigInt(i)).filter(isAbscissa)
    assert.isAbove(between.length, 5)
    for (const parity of [0, 1] as const) {
      for (const digest of [0n, 1n]) {
        for (const r of [0n, N, 2n ** 256n - 1n, ...between]) {
          assert.isUndefined(standard.recover(bytes(digest), bytes(r, 1n), parity))
        }
        for (const s of [0n, N, N + 1n, 2n ** 256n - 1n]) {
          assert.isUndefined(standard.recover(bytes(digest), bytes(1n, s), parity))
        }
        assert.isDefined(standard.recover(bytes(digest), bytes(1n, 1n), parity))
      }
    }
  })

  it("is the one in JavaScript without WebAssembly, or with a module that errs or throws", () => {
    assert.strictEqual(best(undefined), noble)
    const lies: ReadonlyArray<Partial<CurveModule>> = [
      { multiply: () => {} },
      { square: () => {} },
      { combine: () => {} },
      { double: () => {} },
      { add: () => {} },
      { addAffine: () => {} },
      {
        double: () => {
          throw new Error("broken")
        }
      }
    ]
    for (const lie of lies) assert.strictEqual(best({ ...start()!, ...lie }), noble)
    assert.notStrictEqual(best(start()), noble)
  })
})
