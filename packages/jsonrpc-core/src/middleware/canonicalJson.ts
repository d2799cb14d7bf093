/** Converts a JSON value to canonical text, so that equal values have equal texts. */

/**
 * Returns the text of a JSON value, without white space, with members sorted by their texts and hex strings in lower
 * case.
 *
 * Two values have the same text exactly if they differ only in the order of members and the case of hex strings (`0x`
 * and hex digits), including names of members. Numbers compare as parsed: `1.0` and `1` are the same. Throws if the
 * value nests too deeply for the stack.
 */
export const text = (value: unknown): string => {
  if (typeof value === "string") {
    return JSON.stringify(fold(value))
  }
  if (typeof value !== "object" || value === null) {
    // A number that overflows is Infinity, which JSON.stringify would write as null.
    return String(value)
  }
  if (Array.isArray(value)) {
    return `[${value.map(text).join(",")}]`
  }
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(fold(name))}:${text(member)}`)
  return `{${members.sort().join(",")}}`
}

const fold = (string: string): string => (/^0x[0-9a-fA-F]*$/.test(string) ? string.toLowerCase() : string)
