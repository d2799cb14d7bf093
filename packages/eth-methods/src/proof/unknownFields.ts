/** Finds unknown fields inside lists. Such fields are kept, but nothing proves them. */

/** Adds the unknown field names of items to `found`, each after the name of its list: `withdrawals[].x`. */
export const unknownFields = (
  items: ReadonlyArray<object>,
  known: ReadonlySet<string>,
  list: string,
  found: Set<string>
): void => {
  for (const item of items) {
    for (const name in item) if (!known.has(name)) found.add(`${list}[].${name}`)
  }
}
