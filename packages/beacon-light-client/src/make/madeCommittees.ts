/** Sync committees whose secret keys are known. */
import { normalizeZ } from "@noble/curves/abstract/curve.js"
import { sha256 } from "@noble/hashes/sha2.js"
import * as Bytes from "@plumbline/codec/hex/Bytes"

import * as BlsCurve from "../bls/blsCurve.ts"
import type * as SyncCommittee from "../container/SyncCommittee.ts"

/** Flags in a compressed point's first byte: the point is compressed, and its `y` is the larger of two. */
const [COMPRESSED, LARGER] = [0x80, 0x20]

/** A committee that can sign. */
export interface MadeCommittee {
  readonly public: SyncCommittee.SyncCommittee
  /** Returns the signature of the members at these positions, compressed. */
  readonly sign: (message: Uint8Array, signers: ReadonlyArray<number>) => Uint8Array
}

/**
 * Makes the committee of a seed. Its secrets are consecutive numbers. So a key takes one addition, and a signature of
 * any signers together takes one multiplication.
 */
export const make = (seed: string, size: number): MadeCommittee => {
  const { G1, hash } = BlsCurve.get()
  const { Fn } = G1
  const first = Fn.create(Fn.fromBytes(sha256(new TextEncoder().encode(seed)), true))
  const points = [G1.BASE.multiply(first)]
  while (points.length < size) points.push(points.at(-1)!.add(G1.BASE))
  const keys = normalizeZ(G1, points)
  const sum = keys.reduce((a, b) => a.add(b))
  return {
    public: { pubkeys: Bytes.join(keys.map(compressedKey)), aggregatePubkey: compressedKey(sum) },
    sign: (message, signers) => {
      const secret = signers.reduce((total, at) => Fn.add(total, first + BigInt(at)), 0n)
      return compressedSignature(hash(message).multiply(secret))
    }
  }
}

/** Returns the encoding of a key that is not infinity. */
const compressedKey = (point: BlsCurve.G1): Uint8Array => {
  const { x, y } = point.toAffine()
  return flagged(BlsCurve.get().G1.Fp.toBytes(x), y)
}

/** Returns the encoding of a signature that is not infinity. The imaginary part of its `x` comes first. */
const compressedSignature = (point: BlsCurve.G2): Uint8Array => {
  const { x, y } = point.toAffine()
  const { Fp } = BlsCurve.get().G1
  return flagged(Bytes.concat(Fp.toBytes(x.c1), Fp.toBytes(x.c0)), y.c1 === 0n ? y.c0 : y.c1)
}

/** Sets the flags of a compressed `x`. `y` is the part of the y coordinate that determines the sign of the point. */
const flagged = (bytes: Uint8Array, y: bigint): Uint8Array => {
  bytes[0]! |= COMPRESSED | (2n * y > BlsCurve.get().order ? LARGER : 0)
  return bytes
}
