/** The hook that ties a component to an atom of `effect/reactivity`. */
import type * as Atom from "effect/reactivity/Atom"
import * as AtomRegistry from "effect/reactivity/AtomRegistry"
import { useCallback, useSyncExternalStore } from "react"

/** The one registry of the page. Values that no component shows are kept for a minute. */
export const registry: AtomRegistry.AtomRegistry = AtomRegistry.make({ defaultIdleTTL: 60_000 })

/** Returns the value of an atom, and renders the component again when it changes. */
export const useAtom = <A>(atom: Atom.Atom<A>): A => {
  const subscribe = useCallback((changed: () => void) => registry.subscribe(atom, changed), [atom])
  return useSyncExternalStore(subscribe, () => registry.get(atom))
}

/** Sets an atom. Event handlers use it. */
export const setAtom = <R, W>(atom: Atom.Writable<R, W>, value: W): void => registry.set(atom, value)
