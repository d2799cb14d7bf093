/** The order of turns. It is random in each round, so that no contender always follows the same neighbour. */

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
