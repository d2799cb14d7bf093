/** The arithmetic of @noble/curves on BLS12-381. */
import { bls12_381 } from "@noble/curves/bls12-381.js"
import * as Bytes from "@plumbline/codec/hex/Bytes"

import { DOMAIN } from "./domain.ts"
import type { Points } from "./engine.ts"

type Key = typeof bls12_381.G1.Point.BASE
type Signature = typeof bls12_381.G2.Point.BASE

/** Reads a point, and refuses infinity and encodings that the point itself would not have: noble reduces coordinates. */
const read = <P extends Key | Signature>(from: { readonly fromBytes: (bytes: Uint8Array) => P }, bytes: Uint8Array) => {
  try {
    const point = from.fromBytes(bytes)
    return point.is0() || !Bytes.equals(point.toBytes(), bytes) ? undefined : point
  } catch {
    // noble throws plain errors for what is no point of the subgroup
    return undefined
  }
}

export const points: Points<Key, Signature> = {
  name: "@noble/curves",
  key: (bytes) => read<Key>(bls12_381.G1.Point, bytes),
  signature: (bytes) => read<Signature>(bls12_381.G2.Point, bytes),
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
