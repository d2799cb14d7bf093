/** The value types of Solidity, with literals of their values. */
import * as Random from "@plumbline/seeded/Random"
import { toHex } from "viem"

/** A value type, with functions that return the literal and the value for a number of its size. */
export interface Kind {
  readonly type: string
  readonly size: number
  readonly literal: (bits: bigint) => string
  readonly value: (bits: bigint) => unknown
}

/** Every value type, including enums and user-defined types. */
export const kinds: ReadonlyArray<Kind> = [
  ...Array.from({ length: 32 }, (_, i) => i + 1).flatMap((size): ReadonlyArray<Kind> => {
    const signed = (bits: bigint) => BigInt.asIntN(size * 8, bits)
    return [
      { type: `uint${size * 8}`, size, literal: String, value: (bits) => bits },
      { type: `int${size * 8}`, size, literal: (bits) => `int${size * 8}(uint${size * 8}(${bits}))`, value: signed },
      {
        type: `bytes${size}`,
        size,
        literal: (bits) => `bytes${size}(uint${size * 8}(${bits}))`,
        value: (bits) => toHex(bits, { size })
      }
    ]
  }),
  { type: "bool", size: 1, literal: (bits) => String(bits % 2n === 1n), value: (bits) => bits % 2n === 1n },
  {
    type: "address",
    size: 20,
    literal: (bits) => `address(uint160(${bits}))`,
    value: (bits) => toHex(bits, { size: 20 })
  },
  {
    type: "Color",
    size: 1,
    literal: (bits) => `Color(${bits % 3n})`,
    value: (bits) => ["Red", "Green", "Blue"][Number(bits % 3n)]
  },
  { type: "Price", size: 12, literal: (bits) => `Price.wrap(${bits})`, value: (bits) => bits },
  {
    type: "Tag",
    size: 3,
    literal: (bits) => `Tag.wrap(bytes3(uint24(${bits})))`,
    value: (bits) => toHex(bits, { size: 3 })
  }
]

/** Definitions that some of the kinds need. */
export const DEFINITIONS = "type Price is uint96; type Tag is bytes3; enum Color { Red, Green, Blue }"

/** Returns a random number of `size` bytes, sometimes an extreme one. */
export const bits = (random: Random.Random, size: number): bigint => {
  if (Random.int(random, 8) === 0) return (1n << BigInt(size * 8 - 1)) * BigInt(Random.int(random, 2))
  let n = 0n
  for (let i = 0; i < size; i++) n = (n << 8n) | BigInt(Random.int(random, 256))
  return n
}
