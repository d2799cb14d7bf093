/** The arithmetic of @noble/curves on BLS12-381. */
import * as PlainHex from "@plumbline/codec/hex/PlainHex"

import * as BlsCurve from "./blsCurve.ts"
import type { BlsArithmetic } from "./signatureEngine.ts"

/**
 * Bits of a compressed point's first byte. They mean: the point is compressed; it is infinity; its `y` is the larger
 * one.
 */
const [COMPRESSED, INFINITY, LARGER] = [0x80, 0x40, 0x20]

/** Bytes of an element of the base field. */
const SIZE = 48

/**
 * Returns the coordinates of a compressed `x`, or undefined for infinity, another form, or a part that is not reduced.
 */
const parts = (bytes: Uint8Array): { readonly isLarger: boolean; readonly x: ReadonlyArray<bigint> } | undefined => {
  const flags = bytes[0]!
  if ((flags & (COMPRESSED | INFINITY)) !== COMPRESSED) return undefined
  const plain = bytes.with(0, flags & ~(COMPRESSED | LARGER))
  const x: Array<bigint> = []
  for (let at = 0; at < plain.length; at += SIZE) x.push(BigInt(PlainHex.fromBytes(plain.subarray(at, at + SIZE))))
  return x.some((part) => part >= BlsCurve.get().order) ? undefined : { isLarger: (flags & LARGER) !== 0, x }
}

/**
 * Returns the result of a reader, or undefined if it throws: the library throws plain errors for bytes that are not a
 * point.
 */
const read = <A>(from: () => A): A | undefined => {
  try {
    return from()
  } catch {
    return undefined
  }
}

/**
 * Reads a key without checking its subgroup, because the check would take four fifths of the time. `verify` checks the
 * sum of the keys instead.
 */
const readKey = (bytes: Uint8Array): BlsCurve.G1 | undefined => {
  const found = parts(bytes)
  if (found === undefined) return undefined
  const { G1, order, yOfG1 } = BlsCurve.get()
  const x = found.x[0]!
  return read(() => {
    const y = yOfG1(x)
    return G1.fromAffine({ x, y: 2n * y > order === found.isLarger ? y : order - y })
  })
}

/**
 * Reads a signature of the subgroup. The imaginary part of its `x` comes first, and decides which `y` is the larger
 * one.
 */
const readSignature = (bytes: Uint8Array): BlsCurve.G2 | undefined => {
  const found = parts(bytes)
  if (found === undefined) return undefined
  const { G2, order, yOfG2 } = BlsCurve.get()
  const [c1, c0] = found.x
  return read(() => {
    const x = { c0: c0!, c1: c1! }
    const y = yOfG2(x)
    const isLarger = 2n * (y.c1 === 0n ? y.c0 : y.c1) > order
    const point = G2.fromAffine({ x, y: isLarger === found.isLarger ? y : G2.Fp.neg(y) })
    point.assertValidity()
    return point
  })
}

export const points: BlsArithmetic<BlsCurve.G1, BlsCurve.G2> = {
  name: "@noble/curves",
  key: readKey,
  signature: readSignature,
  negate: (key) => key.negate(),
  sum: (keys) => {
    const sum = keys.reduce((a, b) => a.add(b))
    return sum.is0() ? undefined : sum
  },
  verify: (key, message, signature) => {
    const { G1, hash, isOne } = BlsCurve.get()
    const isSigned = read(() => {
      // only the key needs this check: the signature was checked when it was read, and the hash function returns only
      // points of the subgroup
      key.assertValidity()
      const hashed = hash(message)
      return (
        !hashed.is0() &&
        isOne([
          { g1: key.negate(), g2: hashed },
          { g1: G1.BASE, g2: signature }
        ])
      )
    })
    return isSigned ?? false
  }
}
