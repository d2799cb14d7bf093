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
