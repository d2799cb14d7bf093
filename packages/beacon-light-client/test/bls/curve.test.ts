/**
 * Compares the curve with the library's own module for this curve. The parameters of that module were written
 * independently.
 */
import { assert, it } from "@effect/vitest"
import { bls12_381 } from "@noble/curves/bls12-381.js"

import * as BlsCurve from "../../src/bls/blsCurve.ts"
import * as Noble from "../../src/bls/noblePoints.ts"
import { Random, sized } from "../support/random.ts"

const DST = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_"
const { G1, G2, fields, longSignatures } = bls12_381
const curve = BlsCurve.get()

it("has the same parameters", () => {
  assert.strictEqual(curve.order, fields.Fp.ORDER)
  const ours = [curve.G1.CURVE(), curve.G2.CURVE()]
  assert.deepStrictEqual<unknown>(ours, [G1.Point.CURVE(), G2.Point.CURVE()])
})

it("hashes messages of any length to the same points", () => {
  const random = new Random("hash")
  for (let run = 0; run < sized(80); run++) {
    const message = random.bytes(random.pick([0, 1, 31, 32, 33, 64, 200]))
    const point = curve.hash(message)
    assert.deepStrictEqual(point.toAffine(), longSignatures.hash(message, DST).toAffine())
  }
})

it("reads the same keys and signatures, and refuses what the library refuses", () => {
  const random = new Random("points")
  let read = 0
  for (let run = 0; run < sized(100); run++) {
    const secret = 1n + BigInt(random.below(2 ** 40)) * 2n ** 200n
    const key = G1.Point.BASE.multiply(secret).toBytes()
    const signature = G2.Point.BASE.multiply(secret).toBytes()
    if (random.below(2) === 0) {
      const changed = random.pick([key, signature])
      changed[random.below(changed.length)]! ^= 1 << random.below(8)
    }
    const theirs = valueOf(() => G2.Point.fromBytes(signature))
    assert.deepStrictEqual(Noble.points.signature(signature)?.toAffine(), theirs?.toAffine())
    // reading a key does not check its subgroup
    const mine = Noble.points.key(key)
    const valid = valueOf(() => G1.Point.fromBytes(key))
    assert.deepStrictEqual(mine?.isTorsionFree() === true ? mine.toAffine() : undefined, valid?.toAffine())
    if (theirs !== undefined && valid !== undefined) read++
  }
  assert.isAbove(read, 0)
})

it("checks the same signatures", () => {
  const random = new Random("signatures")
  for (let run = 0; run < sized(16); run++) {
    const secret = 1n + BigInt(random.below(2 ** 40))
    const message = random.bytes(32)
    const key = curve.G1.BASE.multiply(secret)
    const own = G2.Point.fromBytes(longSignatures.hash(message, DST).multiply(secret).toBytes())
    const signature = curve.G2.fromAffine(own.toAffine())
    assert.isTrue(Noble.points.verify(key, message, signature))
    assert.isFalse(Noble.points.verify(key.add(curve.G1.BASE), message, signature))
    assert.isFalse(Noble.points.verify(key, message, signature.add(curve.G2.BASE)))
    assert.isFalse(Noble.points.verify(key, message.with(3, message[3]! ^ 4), signature))
  }
})

it("checks the subgroups as a multiplication by their order does", () => {
  const random = new Random("subgroups")
  for (let run = 0; run < sized(16); run++) {
    for (const [Point, yOf] of [
      [curve.G1, (x: bigint) => curve.yOfG1(x)],
      [curve.G2, (x: bigint) => curve.yOfG2({ c0: x, c1: x + 1n })]
    ] as const) {
      const x = BigInt(random.below(2 ** 48))
      const y = valueOf(() => yOf(x))
      if (y === undefined) continue
      const point = Point.fromAffine({ x: typeof y === "bigint" ? x : { c0: x, c1: x + 1n }, y } as never)
      const isInside = point.multiplyUnsafe(Point.Fn.ORDER - 1n).equals(point.negate() as never)
      assert.strictEqual(point.isTorsionFree(), isInside)
      assert.isTrue(curve.hash(random.bytes(3)).isTorsionFree())
    }
  }
})

const valueOf = <A>(from: () => A): A | undefined => {
  try {
    return from()
  } catch {
    return undefined
  }
}
