/** Finds variables that share bytes, so that only these variables lose their meaning, not the whole layout. */
import * as Slot from "../slot/Slot.ts"
import type { Variable } from "./layoutModel.ts"
import * as Opaque from "./opaque.ts"
import * as StorageType from "./StorageType.ts"
import { inconsistent } from "./typeCheck.ts"

/** Number of bytes in the whole storage. */
const SIZE = 32n * Slot.COUNT

interface Place {
  readonly index: number
  readonly at: bigint
  readonly end: bigint
}

/**
 * Returns the variables. The type of each variable that shares bytes with another one becomes opaque, with the reason:
 * at most one of the two is where the layout says, and nothing shows which one. Some versions of Vyper wrote such
 * layouts.
 *
 * Throws `LayoutError` `Inconsistent` if a variable is larger than the storage.
 *
 * Compilers list variables in the order of their places, so usually no sorting is needed. Storage is a ring: `layout at`
 * may put the first variables at the end of storage and the others at the start.
 */
export const setApart = (
  variables: ReadonlyArray<Variable>,
  types: Map<StorageType.TypeId, StorageType.StorageType>
): ReadonlyArray<Variable> => {
  const others = sharing(variables.map((variable, index) => placeOf(variable, index, types)))
  if (others.size === 0) return variables
  return variables.map((variable, index) => {
    const other = others.get(index)
    if (other === undefined || types.get(variable.type)!._tag === "Opaque") return variable
    const { name } = variables[other]!
    const reason = `the layout puts ${variable.name} and ${name} in the same bytes`
    const id = `${variable.type}~${variable.name}~${name}`
    return { ...variable, type: Opaque.inPlaceOf(types, types.get(variable.type)!, id, reason) }
  })
}

const placeOf = (
  { name, offset, slot, type }: Variable,
  index: number,
  types: ReadonlyMap<StorageType.TypeId, StorageType.StorageType>
): Place => {
  const found = types.get(type)!
  const size = StorageType.isValueType(found) ? BigInt(found.size) : 32n * StorageType.slots(found)
  if (size > SIZE) throw inconsistent(`${name} has more slots than there are`)
  const at = 32n * slot + BigInt(offset)
  return { index, at, end: at + size }
}

/** Returns, for each variable that shares bytes, one of the variables with which it shares them. */
const sharing = (places: Array<Place>): ReadonlyMap<number, number> => {
  const others = new Map<number, number>()
  const meet = (a: Place, b: Place) => {
    if (a.index === b.index) return
    if (!others.has(a.index)) others.set(a.index, b.index)
    if (!others.has(b.index)) others.set(b.index, a.index)
  }
  if (places.some(({ at }, i) => i > 0 && at < places[i - 1]!.at)) {
    places.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  }
  // the place that reaches furthest so far: a later place that starts before its end shares bytes with it
  let furthest: Place | undefined
  for (const place of places) {
    if (furthest !== undefined && place.at < furthest.end) meet(furthest, place)
    if (furthest === undefined || place.end > furthest.end) furthest = place
  }
  if (furthest === undefined || furthest.end <= SIZE) return others
  for (const place of places) {
    if (place.at >= furthest.end - SIZE) break
    meet(furthest, place)
  }
  return others
}
