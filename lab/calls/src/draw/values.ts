/** Draws the values that calls are made of: words near their bounds, bytes, addresses that mean something. */
import * as Random from "@plumbline/seeded/Random"
import { bytesToHex, type Hex, numberToHex, pad } from "viem"

import {
  delegated,
  handmadeAddresses,
  oddAddresses,
  poor,
  proxies,
  rich,
  slots,
  spent,
  subjects,
  workbench
} from "../callWorld.ts"
import { blockHashes } from "../systemContracts.ts"

const WORD = 1n << 256n

/** Draws a word: small, near a bound, or anything. */
export const word = (random: Random.Random): bigint => {
  const kind = Random.int(random, 6)
  if (kind < 2) return BigInt(Random.int(random, 300))
  if (kind === 2) return (1n << BigInt(Random.int(random, 256))) - BigInt(Random.int(random, 2))
  if (kind === 3) return WORD - 1n - BigInt(Random.int(random, 300))
  return BigInt(hex(random, 32))
}

/** Draws bytes of a length. */
export const hex = (random: Random.Random, length: number): Hex => bytesToHex(Random.bytes(random, length))

/** Draws fewer than `most` bytes, often none. */
export const someBytes = (random: Random.Random, most = 200): Hex =>
  Random.chance(random, 0.2) ? "0x" : hex(random, Random.int(random, most))

/** Draws a slot of `Slots`. */
export const slot = (random: Random.Random): bigint => Random.pick(random, slots)

/** The address of a precompile, or of a place where none is. */
export const precompile = (number: number): Hex => pad(numberToHex(number), { size: 20 })

const known: ReadonlyArray<Hex> = [
  ...Object.values(subjects),
  ...proxies.map(({ address }) => address),
  ...delegated.map(({ address }) => address),
  ...oddAddresses,
  ...handmadeAddresses,
  ...poor,
  ...rich,
  ...[0, 1, 2, 4, 9, 0x11, 0x12, 0x100].map(precompile),
  workbench,
  spent,
  blockHashes.address
]

/** Draws the address of an account: any of the world, or an absent one. */
export const address = (random: Random.Random): Hex =>
  Random.chance(random, 0.1) ? hex(random, 20) : Random.pick(random, known)

/** Draws an amount of wei that is mostly none. */
export const value = (random: Random.Random): bigint =>
  Random.chance(random, 0.75) ? 0n : Random.pick(random, [1n, 2n, 7n, 1000n, 10n ** 18n, 10n ** 19n, 10n ** 30n])
