/** Finds unknown fields inside lists. They are kept, but nothing proves them. */

/** Adds to `found` the unknown field names of items, with the name of their list: `withdrawals[].x`. */
export const strays = (
  items: ReadonlyArray<object>,
  known: ReadonlySet<string>,
  list: string,
  found: Set<string>
): void => {
  for (const item of items) {
    for (const name in item) if (!known.has(name)) found.add(`${list}[].${name}`)
  }
}
