/** Seeded randomness. */

/** Returns the number of cases that a property tries: `PLUMBLINE_RUNS`, or the number given. */
export const runs = (usual: number): number => Number(process.env["PLUMBLINE_RUNS"] ?? usual)

/** The size of a heavy test: `full` in CI, and by hand the share of it that `vitest.config.ts` sets, but at least 1. */
export const sized = (full: number): number =>
  Math.max(1, Math.round(full * Number(process.env["PLUMBLINE_SHARE"] ?? 1)))

/** Numbers from 0 up to, not including, 1: mulberry32. The same seed gives the same numbers. */
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

export const bytes = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => int(random, 256))
