/** Seeded random numbers and bytes: a failing run can be run again. */

/** How many random cases a property tries. */
export const runs = Number(process.env["PLUMBLINE_RUNS"] ?? 60)

/** Numbers from 0 to 2^31 - 1, the same for the same seed (xorshift32). */
export const random = (seed: number): (() => number) => {
  let state = (seed * 2654435761 + 1) >>> 0
  return () => {
    state ^= state << 13
    state >>>= 0
    state ^= state >>> 17
    state ^= state << 5
    state >>>= 0
    return state >>> 1
  }
}

export const bytesOf = (next: () => number, length: number): Uint8Array =>
  Uint8Array.from({ length }, () => next() & 0xff)
