/** Suggests names for a misspelt name. */

/** Maximum number of UTF-16 code units to compare. Longer names are compared by their beginnings. */
const MAX_LENGTH = 64

/** Maximum number of names that are suggested. */
const MAX_NAMES = 3

/**
 * Returns the names that differ from `wanted` by the fewest slips, nearest first and without repetitions, at most
 * three.
 *
 * **Details**
 *
 * A slip is an extra letter, a missing letter, a wrong letter, or two neighbours exchanged (the optimal string
 * alignment distance). One slip is allowed for every three letters of the longer name, and also one slip if the longer
 * name has two letters. Upper and lower case count as the same. A name that begins with `wanted` (three letters or
 * more) comes after all others.
 *
 * ```ts import.meta.vitest
 * import { Nearest } from "@plumbline/codec"
 *
 * Nearest.find("prise", ["owner", "price", "price", "prices"]) // => ["price", "prices"]
 * Nearest.find("total", ["owner", "totalSupply"]) // => ["totalSupply"]
 * Nearest.find("balance", ["owner", "symbol"]) // => []
 * ```
 */
export const find = (wanted: string, names: Iterable<string>): ReadonlyArray<string> => {
  const target = fold(wanted)
  const found: Array<{ readonly name: string; readonly distance: number }> = []
  for (const name of new Set(names)) {
    const other = fold(name)
    const length = Math.max(target.length, other.length)
    // for a name of one letter, changing that letter makes an unrelated name
    const most = length < 2 ? 0 : Math.max(1, Math.floor(length / 3))
    const distance = Math.abs(target.length - other.length) > most ? Infinity : slips(target, other)
    if (distance <= most) found.push({ name, distance })
    else if (target.length >= 3 && other.startsWith(target)) found.push({ name, distance: MAX_LENGTH })
  }
  // the sort is stable: equally near names stay in the order of declaration
  return found
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NAMES)
    .map(({ name }) => name)
}

const fold = (name: string): string => name.slice(0, MAX_LENGTH).toLowerCase()

/** Computes the optimal string alignment distance, row by row. */
const slips = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1))
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) least = Math.min(least, before[j - 2]! + 1)
      row.push(least)
    }
    before = last
    last = row
  }
  return last[b.length]!
}
