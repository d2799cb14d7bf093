/**
 * Sorts entries of a mapping into present and absent entries. An entry is absent if the words at its own slots are
 * zero.
 */
import * as StorageType from "../layout/StorageType.ts"
import type { Location } from "../location/Location.ts"
import * as Slot from "../slot/Slot.ts"
import type { KnownWords } from "../value/Plan.ts"
import type { DecodedValue } from "../value/Value.ts"
import type { MappingEntries, MappingEntry } from "./Entries.ts"

/** Returns the number of words at the slots of an entry itself, at most 64. */
export const inPlace = ({ type }: Location): number => {
  const slots = StorageType.slots(type)
  return slots < MAX_IN_PLACE ? Number(slots) : Number(MAX_IN_PLACE)
}

/** Maximum number of words that one entry adds to the limit of a reading. Real structs are smaller. */
const MAX_IN_PLACE = 64n

/** Separates present entries from absent ones. An entry that is too large to be read counts as present. */
export const sort = (
  locations: ReadonlyArray<Location>,
  values: ReadonlyArray<DecodedValue>,
  words: KnownWords
): MappingEntries => {
  const present: Array<MappingEntry> = []
  const absent: Array<string> = []
  for (const [i, location] of locations.entries()) {
    const decoded = values[i]!
    if (decoded.flaws.length === 0 && isZero(location, words)) absent.push(location.path)
    else present.push({ path: location.path, ...decoded })
  }
  return { present, absent }
}

/**
 * True if every word at the entry's own slots is zero. Parts without a value, such as mappings, are not in `words`, and
 * their words are always zero.
 */
const isZero = ({ slot, type }: Location, words: KnownWords): boolean => {
  const slots = StorageType.slots(type)
  for (let i = 0n; i < slots; i++) if ((words.get(Slot.add(slot, i)) ?? 0n) !== 0n) return false
  return true
}
