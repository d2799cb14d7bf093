/** The order of turns: drawn anew each round, so that no contender always follows the same neighbour. */

/** Returns a source of numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export const random = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns the numbers below `count` in a random order (Fisher and Yates). */
export const shuffled = (count: number, next: () => number): ReadonlyArray<number> => {
  const order = Array.from({ length: count }, (_, i) => i)
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1))
    const kept = order[last]!
    order[last] = order[other]!
    order[other] = kept
  }
  return order
}
