/** The windows of the overview: the length of their buckets, and their names. */
import type { UsageWindow } from "../route/ConsoleRoute.ts"

/** The name of each window in a sentence, and the seconds of its buckets. A window has about a hundred buckets. */
export const WINDOWS: {
  readonly [W in UsageWindow]: { readonly everySeconds: number; readonly name: string; readonly short: string }
} = {
  "15m": { everySeconds: 60, name: "Last 15 minutes", short: "15 min" },
  "1h": { everySeconds: 60, name: "Last hour", short: "1 h" },
  "24h": { everySeconds: 900, name: "Last 24 hours", short: "24 h" },
  "7d": { everySeconds: 7200, name: "Last 7 days", short: "7 d" },
  "30d": { everySeconds: 21_600, name: "Last 30 days", short: "30 d" }
}

/** The default window. */
export const USUAL: UsageWindow = "1h"
