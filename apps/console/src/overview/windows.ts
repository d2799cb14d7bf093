/** The windows of usage: the length of their buckets, and their names. */
import * as Atom from "effect/reactivity/Atom"
import { useEffect } from "react"

import { setAtom, useAtom } from "../look/useAtom.ts"
import { type UsageWindow, windows } from "../route/ConsoleRoute.ts"

/**
 * The name of each window in a sentence, and the seconds of its buckets, also in words. A window has about a hundred
 * buckets.
 */
export const WINDOWS: {
  readonly [W in UsageWindow]: {
    readonly everySeconds: number
    readonly bucket: string
    readonly name: string
    readonly short: string
  }
} = {
  "15m": { everySeconds: 60, bucket: "minute", name: "Last 15 minutes", short: "15 min" },
  "1h": { everySeconds: 60, bucket: "minute", name: "Last hour", short: "1 h" },
  "24h": { everySeconds: 900, bucket: "15 minutes", name: "Last 24 hours", short: "24 h" },
  "7d": { everySeconds: 7200, bucket: "2 hours", name: "Last 7 days", short: "7 d" },
  "30d": { everySeconds: 21_600, bucket: "6 hours", name: "Last 30 days", short: "30 d" }
}

/** The default window of the overview. */
export const USUAL: UsageWindow = "1h"

const KEY = "plumbline-window"

const readWindow = (): UsageWindow | undefined => {
  try {
    return windows.find((one) => one === sessionStorage.getItem(KEY))
  } catch {
    // without storage, the page remembers it until it is left
    return undefined
  }
}

/** The window that the reader chose last, on any screen of usage, until this tab is closed. */
const chosen = Atom.keepAlive(Atom.make<UsageWindow | undefined>(readWindow()))

const choose = (window: UsageWindow): void => {
  setAtom(chosen, window)
  try {
    sessionStorage.setItem(KEY, window)
  } catch {
    // see `readWindow`
  }
}

/** Returns the window of a link. Without one, it is the window that the reader chose last, or else the usual one. */
export const useWindow = (linked: UsageWindow | undefined, usual: UsageWindow): UsageWindow => {
  const last = useAtom(chosen)
  useEffect(() => {
    if (linked !== undefined) choose(linked)
  }, [linked])
  return linked ?? last ?? usual
}
