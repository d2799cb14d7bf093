/** Counting what is inside a JSON value. */

/** True if more than `most` members and elements are in a value, at any depth. Looks at no more than that many. */
export const areMoreThan = (value: object, most: number): boolean => most !== Infinity && count(value, most) > most

/** The number of members and elements; some number above `most` where there are more. */
const count = (value: object, most: number): number => {
  if (Array.isArray(value)) {
    let total = value.length
    for (let index = 0; index < value.length && total <= most; index++) {
      const item: unknown = value[index]
      if (typeof item === "object" && item !== null) total += count(item, most - total)
    }
    return total
  }
  let total = 0
  for (const name in value) {
    if (++total > most) return total
    const member = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof member === "object" && member !== null) total += count(member, most - total)
  }
  return total
}
