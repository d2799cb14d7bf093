/** Seeded randomness: the same seed, the same numbers. */

/** The size of a heavy test: `full` in CI, and by hand the share of it that `vitest.config.ts` sets, but at least 1. */
export const sized = (full: number): number =>
  Math.max(1, Math.round(full * Number(process.env["PLUMBLINE_SHARE"] ?? 1)))

/** Numbers from 0 up to, not including, 1: mulberry32. */
export type Random = () => number

export const make = (seed: number): Random => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const int = (random: Random, below: number): number => Math.floor(random() * below)

export const pick = <A>(random: Random, items: ReadonlyArray<A>): A => items[int(random, items.length)]!

/** A whole number below 2^256. */
export const word = (random: Random): bigint => {
  let value = 0n
  for (let i = 0; i < 8; i++) value = (value << 32n) | BigInt(int(random, 2 ** 32))
  return value
}
