/** Values of ours and of viem's, as far as the ABI can tell things apart. */

/** Of the enums of tests. Their names are no other values there. */
const MEMBERS = [
  ["Red", "Green", "Blue"],
  ["Glad", "Calm", "Grim", "Gone"]
]

/** Enums as numbers, numbers as bigint, hex in lower case. */
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
