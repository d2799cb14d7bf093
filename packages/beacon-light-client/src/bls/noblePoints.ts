/** The arithmetic of @noble/curves on BLS12-381. */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"

import { DOMAIN } from "./domain.ts"
import type { Points } from "./engine.ts"

type Key = typeof bls12_381.G1.Point.BASE
type Signature = typeof bls12_381.G2.Point.BASE

const Fp = /* @__PURE__ */ (() => bls12_381.fields.Fp)()

/** Bits of a compressed point's first byte: it is compressed, it is infinity, its `y` is the larger one. */
const [COMPRESSED, INFINITY, LARGER] = [0x80, 0x40, 0x20]

/** The constant of the curve `y^2 = x^3 + 4`. */
const B = 4n

/**
 * Reads a key without the check of its subgroup, which takes four fifths of the time of `Point.fromBytes`: the
 * pairing checks the sum instead. It refuses infinity and an `x` that is not reduced.
 */
const readKey = (bytes: Uint8Array): Key | undefined => {
  const flags = bytes[0]!
  if ((flags & (COMPRESSED | INFINITY)) !== COMPRESSED) return undefined
  const x = BigInt(Hex.fromBytes(bytes.with(0, flags & ~(COMPRESSED | LARGER))))
  if (x >= Fp.ORDER) return undefined
  try {
    const y = Fp.sqrt(Fp.add(Fp.mul(Fp.sqr(x), x), B))
    const isLarger = 2n * y > Fp.ORDER
    return bls12_381.G1.Point.fromAffine({ x, y: isLarger === ((flags & LARGER) !== 0) ? y : Fp.neg(y) })
  } catch {
    // noble throws a plain error where there is no root
    return undefined
  }
}

/** Reads a signature. Infinity is refused, and an encoding that the point itself would not have: noble reduces. */
const readSignature = (bytes: Uint8Array): Signature | undefined => {
  try {
    const point = bls12_381.G2.Point.fromBytes(bytes)
    return point.is0() || !Bytes.equals(point.toBytes(), bytes) ? undefined : point
  } catch {
    // noble throws plain errors for what is no point of the subgroup
    return undefined
  }
}

export const points: Points<Key, Signature> = {
  name: "@noble/curves",
  key: readKey,
  signature: readSignature,
  negate: (key) => key.negate(),
  sum: (keys) => {
    const sum = keys.reduce((a, b) => a.add(b))
    return sum.is0() ? undefined : sum
  },
  verify: (key, message, signature) => {
    const { longSignatures } = bls12_381
    return longSignatures.verify(signature, longSignatures.hash(message, DOMAIN), key)
  }
}
