/** The page's own address as an atom, and links that change it without loading the page again. */
import * as Atom from "effect/reactivity/Atom"

import { registry } from "../look/useAtom.ts"
import * as ConsoleRoute from "./ConsoleRoute.ts"

const here = (): ConsoleRoute.ConsoleRoute => ConsoleRoute.parse(location.pathname, location.search)

/** The place that the address names. */
export const currentRoute: Atom.Writable<ConsoleRoute.ConsoleRoute> = Atom.keepAlive(Atom.make(here()))

/** Returns the place that the address names now. */
export const current = (): ConsoleRoute.ConsoleRoute => registry.get(currentRoute)

/** The last project that a screen read: its id and its name. */
export const project: Atom.Writable<{ readonly id: string; readonly name: string } | undefined> = Atom.keepAlive(
  Atom.make<{ readonly id: string; readonly name: string } | undefined>(undefined)
)

/** A navigation of the reader to another screen, with the heading of the screen before. */
export interface Arrival {
  readonly heading: Element | null
  readonly text: string | undefined
}

/** The last navigation; undefined while the page shows its first screen. */
export const arrival: Atom.Writable<Arrival | undefined> = Atom.keepAlive(Atom.make<Arrival | undefined>(undefined))

/** The questions that the reader answers before the page is left, such as of a secret that was not copied. */
const holds = new Set<string>()

/** Lets the browser ask before the tab is closed or loaded again. */
const ask = (event: BeforeUnloadEvent): void => event.preventDefault()

/** Asks the reader before the page is left. Returns the function that ends this. */
export const hold = (question: string): (() => void) => {
  holds.add(question)
  addEventListener("beforeunload", ask)
  return () => {
    holds.delete(question)
    if (holds.size === 0) removeEventListener("beforeunload", ask)
  }
}

/** True if nothing holds the page, or the reader wants to leave it. */
export const mayLeave = (): boolean => [...holds].every((question) => confirm(question))

/** The address of the page that is shown. */
let shown = location.href

/** Shows the place that the address names. */
const show = (isArrival: boolean): void => {
  if (isArrival) {
    const heading = document.querySelector("#content h1")
    registry.set(arrival, { heading, text: heading?.textContent })
  }
  shown = location.href
  registry.set(currentRoute, here())
}

/**
 * Goes to a place. With `replace`, the new place replaces the current one in the history. `hash` names a part of the place,
 * such as `#content`.
 */
export const go = (
  next: ConsoleRoute.ConsoleRoute,
  options?: { readonly replace?: boolean | undefined; readonly hash?: string | undefined }
): void => {
  const href = `${ConsoleRoute.link(next).href}${options?.hash ?? ""}`
  const before = location.pathname
  if (new URL(href, location.href).pathname !== before && !mayLeave()) return
  if (options?.replace === true) history.replaceState(null, "", href)
  else history.pushState(null, "", href)
  show(options?.replace !== true && location.pathname !== before)
}

/** Links that choose what a page shows. They leave the reader where the page is scrolled to. */
const CHOICES = ".seg, .by"

/** Listens to the history and to clicks on links. Call it once for the page. */
export const listen = (): void => {
  addEventListener("popstate", () => {
    if (new URL(shown).pathname === location.pathname || mayLeave()) show(true)
    else history.pushState(null, "", shown)
  })
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    const anchor = event.target instanceof Element ? event.target.closest("a[href]") : null
    if (!(anchor instanceof HTMLAnchorElement) || anchor.target !== "" || anchor.origin !== location.origin) return
    const next = ConsoleRoute.parse(anchor.pathname, anchor.search)
    if (next._tag === "Unknown") return
    event.preventDefault()
    go(next, { hash: anchor.hash })
    const part = document.getElementById(anchor.hash.slice(1))
    part?.scrollIntoView()
    part?.focus()
    if (part === null && anchor.closest(CHOICES) === null) scrollTo(0, 0)
  })
}
