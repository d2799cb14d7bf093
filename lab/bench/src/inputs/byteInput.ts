/** Inputs that are the same in every run. */

/** Bytes without a pattern (xorshift32). */
export const bytes = (size: number, seed = 1): Uint8Array<ArrayBuffer> => {
  let state = seed
  return Uint8Array.from({ length: size }, () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state & 0xff
  })
}

/** Returns hex text. No contender's code makes it. */
export const hexOf = (value: Uint8Array): `0x${string}` => `0x${Buffer.from(value).toString("hex")}`

/** Returns a result as text. The result can be bytes, text, or nested arrays of them. */
export const show = (result: unknown): string => {
  if (typeof result === "string") return result
  if (result instanceof Uint8Array) return hexOf(result)
  if (Array.isArray(result)) return `[${result.map(show).join(",")}]`
  throw new Error("neither bytes nor text")
}
