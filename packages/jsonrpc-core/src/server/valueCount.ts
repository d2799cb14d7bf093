/** Counts the values inside a JSON value. */

/** True if the value contains more than `most` members and elements, at any depth. Counting stops at that number. */
export const areMoreThan = (value: object, most: number): boolean => most !== Infinity && count(value, most) > most

/** Returns the number of members and elements, or a number above `most` if there are more than `most`. */
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
