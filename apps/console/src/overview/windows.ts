/** The windows of usage: the length of their buckets, and their names. */
import type { UsageWindow } from "../route/ConsoleRoute.ts"

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

/** The default window. */
export const USUAL: UsageWindow = "1h"
