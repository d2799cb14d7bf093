/** The light and dark theme: that of the system, until the reader chooses one. The browser keeps the choice. */
import * as Atom from "effect/reactivity/Atom"

import { registry } from "./useAtom.ts"

/** A theme. */
export type Theme = "light" | "dark"

const KEY = "plumbline-theme"

const dark = globalThis.matchMedia?.("(prefers-color-scheme: dark)")

const stored = (): Theme | undefined => {
  try {
    const text = localStorage.getItem(KEY)
    return text === "light" || text === "dark" ? text : undefined
  } catch {
    return undefined
  }
}

/** The theme of the page. */
export const theme: Atom.Writable<Theme> = Atom.keepAlive(
  Atom.make<Theme>(stored() ?? (dark?.matches ? "dark" : "light"))
)

/** The fonts that are loaded in advance, so that the page still has them if the network fails later. */
const FONTS = ["400 14px 'IBM Plex Sans Variable'", "400 12px 'IBM Plex Mono'", "600 12px 'IBM Plex Mono'"]

/** Shows the theme. It follows the system's theme until the reader chooses one. */
export const start = (): void => {
  registry.subscribe(theme, (value) => document.documentElement.setAttribute("data-theme", value), { immediate: true })
  for (const font of FONTS) void document.fonts.load(font)
  dark?.addEventListener("change", ({ matches }) => {
    if (stored() === undefined) registry.set(theme, matches ? "dark" : "light")
  })
}

/** Changes to the other theme, and remembers it. */
export const turn = (): void => {
  const next = registry.get(theme) === "dark" ? "light" : "dark"
  registry.set(theme, next)
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // without storage, the next visit uses the system's theme again
  }
}
