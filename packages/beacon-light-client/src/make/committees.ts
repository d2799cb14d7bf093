/** Sync committees whose secret keys are known. */
import { normalizeZ } from "@noble/curves/abstract/curve.js"
import { bls12_381 } from "@noble/curves/bls12-381.js"
import { sha256 } from "@noble/hashes/sha2.js"
import * as Bytes from "@plumbline/codec/hex/Bytes"

import { DOMAIN } from "../bls/domain.ts"
import type * as SyncCommittee from "../container/SyncCommittee.ts"

const { Point } = bls12_381.G1
const { Fn } = Point

/** A committee that can sign. */
export interface Committee {
  readonly public: SyncCommittee.SyncCommittee
  /** Returns the signature of the members at these positions, compressed. */
  readonly sign: (message: Uint8Array, signers: ReadonlyArray<number>) => Uint8Array
}

/**
 * Makes the committee of a seed. Its secrets are consecutive numbers, so that a key takes one addition, and the sum of
 * any signers' secrets one multiplication.
 */
export const make = (seed: string, size: number): Committee => {
  const first = Fn.create(Fn.fromBytes(sha256(new TextEncoder().encode(seed)), true))
  const points = [Point.BASE.multiply(first)]
  while (points.length < size) points.push(points.at(-1)!.add(Point.BASE))
  const keys = normalizeZ(Point, points)
  const sum = keys.reduce((a, b) => a.add(b))
  return {
    public: { pubkeys: Bytes.join(keys.map((key) => key.toBytes())), aggregatePubkey: sum.toBytes() },
    sign: (message, signers) => {
      const secret = signers.reduce((total, at) => Fn.add(total, first + BigInt(at)), 0n)
      const { longSignatures } = bls12_381
      return longSignatures.sign(longSignatures.hash(message, DOMAIN), Fn.toBytes(secret)).toBytes()
    }
  }
}
