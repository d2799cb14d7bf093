/**
 * Keeps a screen up to date. One long request waits for changes of the service. Usage changes with every call, so it is
 * read at intervals instead.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Atom from "effect/reactivity/Atom"
import { useEffect } from "react"

import { registry, useAtom } from "../look/useAtom.ts"
import * as AdminService from "./AdminService.ts"
import * as SignInState from "./SignInState.ts"

/**
 * Reads the atoms again when a part of the service changes. `parts` holds the names of the parts, separated by spaces;
 * undefined means none.
 * `atoms` must be the same list at each render.
 */
export const useChanges = (parts: string | undefined, atoms: ReadonlyArray<Atom.Atom<unknown>>): void => {
  const signed = useAtom(SignInState.signInState)
  useEffect(() => {
    if (parts === undefined || signed._tag !== "In" || signed.session.kind !== "operator") return undefined
    const watched = new Set(parts.split(" "))
    let since: string | undefined
    const next = Effect.gen(function* () {
      const query = since === undefined ? {} : { since, waitSeconds: 25 }
      const { changed, version } = yield* AdminService.once((client) => client.service.changes({ query }), signed)
      const isFirst = since === undefined
      since = version
      // the first answer names every part, and the screen has just read all of them
      if (isFirst || !changed.some((part) => watched.has(part))) return
      for (const atom of atoms) registry.refresh(atom)
      // without this pause, a service that changes constantly would be asked constantly
      yield* Effect.sleep("1 second")
    })
    const fiber = Effect.runFork(Effect.forever(Effect.catch(next, () => Effect.sleep("10 seconds"))))
    return () => {
      Effect.runFork(Fiber.interrupt(fiber))
    }
  }, [signed, parts, atoms])
}

/**
 * Reads atoms again at this interval, in milliseconds, while the page is visible, and once when it becomes visible
 * again. Without an interval it reads nothing again.
 */
export const useEvery = (millis: number | undefined, atoms: ReadonlyArray<Atom.Atom<unknown>>): void => {
  useEffect(() => {
    if (millis === undefined) return undefined
    let last = Date.now()
    const again = (): void => {
      if (document.visibilityState !== "visible" || Date.now() - last < millis - 50) return
      last = Date.now()
      for (const atom of atoms) registry.refresh(atom)
    }
    const timer = setInterval(again, millis)
    document.addEventListener("visibilitychange", again)
    return () => {
      clearInterval(timer)
      document.removeEventListener("visibilitychange", again)
    }
  }, [millis, atoms])
}
