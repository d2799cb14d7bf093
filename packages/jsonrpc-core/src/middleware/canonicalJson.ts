/** One text for all spellings of a JSON value. */

/**
 * The text of a JSON value, without white space, members in the order of their texts, and hex strings in lower case.
 *
 * Two values have the same text exactly when they differ in nothing but the order of members and the case of hex strings
 * (`0x` and hex digits), names of members included. Numbers are what the parser made of them: `1.0` and `1` are the same.
 * Throws where the value nests too deeply for the stack.
 */
export const text = (value: unknown): string => {
  if (typeof value === "string") {
    return JSON.stringify(fold(value))
  }
  if (typeof value !== "object" || value === null) {
    // A number that overflows is Infinity, which JSON would write as null.
    return String(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map(text).join(",")}]`
  }
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(fold(name))}:${text(member)}`)
  return `{${members.sort().join(",")}}`
}

const fold = (string: string): string => (/^0x[0-9a-fA-F]*$/.test(string) ? string.toLowerCase() : string)
