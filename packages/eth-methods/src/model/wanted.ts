/** A part of a filter: one text, several, or any. */

/** The texts that are wanted, in lower case; undefined where any is. */
export const wantedOf = (part: string | ReadonlyArray<string> | null | undefined): ReadonlySet<string> | undefined => {
  if (part == null) return undefined
  const texts = typeof part === "string" ? [part] : part
  return texts.length === 0 ? undefined : new Set(texts.map((text) => text.toLowerCase()))
}
