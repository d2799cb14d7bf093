/** Seeded random numbers and bytes, so that a failing run can be repeated. */

/** The number of random cases that a property tries. */
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

/** Keys with values. No key occurs twice. */
export type Entries = ReadonlyArray<readonly [key: Uint8Array, value: Uint8Array]>

/**
 * Makes entries that lead to every shape of trie. Keys with few different bytes share prefixes, and one key is often
 * the start of another. Short values make nodes of fewer than 32 bytes, which are inside their parents.
 */
export const entriesOf = (seed: number): Entries => {
  const next = random(seed)
  const entries = new Map<string, readonly [Uint8Array, Uint8Array]>()
  const hashed = seed % 3 === 0
  for (let i = 0; i < 1 + (next() % 40); i++) {
    const key = hashed ? bytesOf(next, 32) : keyOfFew(next)
    entries.set(key.toString(), [key, bytesOf(next, 1 + (next() % (seed % 2 === 0 ? 4 : 80)))])
  }
  return [...entries.values()]
}

/** Returns keys to look up; about half of them are keys of the entries. */
export const keysBeside = (seed: number, entries: Entries): ReadonlyArray<Uint8Array> => {
  const next = random(seed + 77)
  return Array.from({ length: 12 }, () => {
    const [key] = entries[next() % entries.length]!
    switch (next() % 4) {
      case 0:
        return keyOfFew(next)
      case 1:
        return key.with(key.length - 1, key.at(-1)! ^ 1)
      case 2:
        return key.subarray(0, next() % (key.length + 1))
      default:
        return key
    }
  })
}

const keyOfFew = (next: () => number): Uint8Array =>
  Uint8Array.from({ length: 1 + (next() % 5) }, () => [0x00, 0x01, 0x10, 0xff][next() % 4]!)
