/** Seeded, reproducible inputs, biased to the edges of the formats. */
import type { Rlp } from "@plumbline/codec"
import * as Seeded from "@plumbline/seeded/Random"

export { runs } from "@plumbline/seeded/Random"

/** Sizes around those at which RLP changes its form, and around the block size of Keccak-256. */
export const edgeSizes = [
  0, 1, 2, 20, 31, 32, 33, 54, 55, 56, 57, 63, 64, 65, 134, 135, 136, 137, 254, 255, 256, 257, 271, 272, 273, 65535,
  65536
] as const

export class Random {
  private readonly random: Seeded.Random

  constructor(seed: number) {
    this.random = Seeded.make(seed)
  }

  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Seeded.int(this.random, limit)
  }

  pick<A>(choices: ReadonlyArray<A>): A {
    return Seeded.pick(this.random, choices)
  }

  bytes(size: number): Uint8Array<ArrayBuffer> {
    return Uint8Array.from({ length: size }, () => this.below(256))
  }

  /** Returns a size: usually a small edge size, rarely a large one. */
  size(): number {
    return this.below(200) === 0 ? this.pick([65535, 65536]) : this.pick(edgeSizes.slice(0, -2))
  }

  /** A byte string; single bytes on both sides of 0x80 are common. */
  string(): Uint8Array<ArrayBuffer> {
    if (this.below(4) === 0) return Uint8Array.of(this.pick([0, 1, 0x7f, 0x80, 0x81, 0xff]))
    return this.bytes(this.size())
  }

  item(depth: number): Rlp.Rlp {
    if (depth === 0 || this.below(3) === 0) return this.string()
    return Array.from({ length: this.pick([0, 1, 2, 3, 5]) }, () => this.item(depth - 1))
  }

  /** A whole number of any length in bits. Half of the numbers are near a power of two. */
  quantity(): bigint {
    const power = 1n << BigInt(this.below(300))
    return this.below(2) === 0 ? power - BigInt(this.below(2)) : power + BigInt(this.below(0x1_0000_0000))
  }
}

/** Returns a view of the same bytes at a position other than 0 of a larger buffer, like views of network input. */
export const asView = (bytes: Uint8Array): Uint8Array => {
  const buffer = new Uint8Array(bytes.length + 14).fill(0xee)
  buffer.set(bytes, 7)
  return buffer.subarray(7, 7 + bytes.length)
}

/** Returns hex text, without our code. */
export const toHex = (bytes: Uint8Array): `0x${string}` =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** True if the bytes are the same. It is fast for many bytes. */
export const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0
