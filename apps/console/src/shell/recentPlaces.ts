/** The places that the reader found by the search, newest first. Only the memory of this page has them. */
import * as Atom from "effect/reactivity/Atom"

import { registry } from "../look/useAtom.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"
import type { PaletteEntry } from "./paletteEntries.ts"

/** Maximum number of kept places. */
const MOST = 6

/** The places, as entries of the palette. */
export const recentPlaces: Atom.Writable<ReadonlyArray<PaletteEntry>> = Atom.keepAlive(
  Atom.make<ReadonlyArray<PaletteEntry>>([])
)

/** Puts an entry first. One with the same address moves to the front. */
export const remember = (entry: PaletteEntry): void => {
  const { place } = entry
  if (place === undefined) return
  const { href } = ConsoleRoute.link(place)
  const others = registry
    .get(recentPlaces)
    .filter((one) => one.place !== undefined && ConsoleRoute.link(one.place).href !== href)
  registry.set(recentPlaces, [{ ...entry, id: `recent ${href}` }, ...others].slice(0, MOST))
}
