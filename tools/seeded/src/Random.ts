/** Seeded randomness for tests and tools, and the size of tests that use it. */

/** The size of heavy tests, as a fraction of their full size. */
const share = Number(process.env["PLUMBLINE_SHARE"] ?? 1)

/**
 * Returns the number of cases that a property tries: `PLUMBLINE_RUNS`, or the given number. If heavy tests have less than
 * the tenth that `pnpm test` gives them, as in `pnpm try`, this number shrinks with them.
 */
export const runs = (usual: number): number =>
  Number(process.env["PLUMBLINE_RUNS"] ?? Math.ceil(usual * Math.min(1, share * 10)))

/**
 * Returns the size of a heavy test: `full` in CI, otherwise the share of `full` that `vitest.shared.ts` sets, but at
 * least 1.
 */
export const sized = (full: number): number => Math.max(1, Math.round(full * share))

/** True if heavy tests have their full size. */
export const isWhole: boolean = share >= 1

/** A source of numbers from 0 to 1, 1 excluded. */
export type Random = () => number

/** Returns the source of a seed. The same seed gives the same numbers. Source: mulberry32, by Tommy Ettinger. */
export const make = (seed: number): Random => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns a whole number from 0 to `below`, `below` excluded. */
export const int = (random: Random, below: number): number => Math.floor(random() * below)

/** Returns one of the items. The list must not be empty. */
export const pick = <A>(random: Random, items: ReadonlyArray<A>): A => items[int(random, items.length)]!

/** Returns true with a probability from 0 to 1. */
export const chance = (random: Random, probability: number): boolean => random() < probability

/** Returns `length` random bytes. */
export const bytes = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => int(random, 256))
