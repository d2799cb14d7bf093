/** Which entries of a mapping are there, by the words that they have in place. */
import * as StorageType from "../layout/StorageType.ts"
import type { Location } from "../location/Location.ts"
import * as Slot from "../slot/Slot.ts"
import type { Words } from "../value/Plan.ts"
import type { Decoded } from "../value/Value.ts"
import type { Entries, Entry } from "./Entries.ts"

/** How many words an entry has in place, as far as somebody may ask for them. */
export const inPlace = ({ type }: Location): number => {
  const slots = StorageType.slots(type)
  return slots < MAX_IN_PLACE ? Number(slots) : Number(MAX_IN_PLACE)
}

/** No struct that a person writes is larger. */
const MAX_IN_PLACE = 64n

/** Tells the entries that are there from those that are not. What is too large to be read is there. */
export const sort = (locations: ReadonlyArray<Location>, values: ReadonlyArray<Decoded>, words: Words): Entries => {
  const present: Array<Entry> = []
  const absent: Array<string> = []
  for (const [i, location] of locations.entries()) {
    const decoded = values[i]!
    if (decoded.flaws.length === 0 && isZero(location, words)) absent.push(location.path)
    else present.push({ path: location.path, ...decoded })
  }
  return { present, absent }
}

/** Every word in place is zero; those of parts that have no value, such as mappings, are not there, and always zero. */
const isZero = ({ slot, type }: Location, words: Words): boolean => {
  const slots = StorageType.slots(type)
  for (let i = 0n; i < slots; i++) if ((words.get(Slot.add(slot, i)) ?? 0n) !== 0n) return false
  return true
}
