/** Reduces our values and viem's values to the types that the ABI distinguishes. */

/** The enum members of the tests. No other value of a test equals one of these names. */
const MEMBERS = [
  ["Red", "Green", "Blue"],
  ["Glad", "Calm", "Grim", "Gone"]
]

/** Returns enums as numbers, numbers as bigint, and hex in lower case. */
export const value = (of: any): any => {
  if (typeof of === "number") return BigInt(of)
  if (typeof of === "string") {
    const member = MEMBERS.find((members) => members.includes(of))?.indexOf(of)
    return member !== undefined ? BigInt(member) : of.startsWith("0x") ? of.toLowerCase() : of
  }
  if (Array.isArray(of)) return of.map(value)
  if (typeof of !== "object" || of === null) return of
  return Object.fromEntries(Object.entries(of).map(([name, member]) => [name, value(member)]))
}
