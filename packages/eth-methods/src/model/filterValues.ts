/** Reads a part of a log filter: one text, several texts, or none (which matches any). */

/** Returns the accepted texts in lower case; undefined if any text is accepted. */
export const filterValues = (
  part: string | ReadonlyArray<string> | null | undefined
): ReadonlySet<string> | undefined => {
  if (part == null) return undefined
  const texts = typeof part === "string" ? [part] : part
  return texts.length === 0 ? undefined : new Set(texts.map((text) => text.toLowerCase()))
}
