/** The reads of screens, one for each address of a screen. */
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import type * as Effect from "effect/Effect"
import type * as AsyncResult from "effect/reactivity/AsyncResult"
import * as Atom from "effect/reactivity/Atom"

import type { NetworkClients } from "../chain/NetworkClients.ts"
import { type ClientsUnready, read, type ReadTarget } from "../chain/ReadAtoms.ts"
import * as ConsoleRoute from "../route/ConsoleRoute.ts"

/** Returns a function from a place to the atom of its read. Places with the same address share an atom. */
export const placeReads = <Place extends ConsoleRoute.ConsoleRoute & ReadTarget, A, E>(
  effectOf: (place: Place) => Effect.Effect<A, E, NetworkClients | Transport>
): ((place: Place) => Atom.Atom<AsyncResult.AsyncResult<A, E | ClientsUnready>>) => {
  const atoms = Atom.family((href: string) => {
    const place = ConsoleRoute.parseHref(href) as Place
    return read(place, effectOf(place))
  })
  return (place) => atoms(ConsoleRoute.link(place).href)
}
