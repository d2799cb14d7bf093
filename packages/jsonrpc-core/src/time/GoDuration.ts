/** Durations as Go writes them, such as `1m2.5s`. Nodes and servers that are written in Go use them in their texts. */

/**
 * Returns the milliseconds of a duration, as Go's `time.ParseDuration` reads it, or `undefined` for a text that Go
 * refuses. The result may have a fraction, and a sign.
 *
 * Source: Go, package `time`.
 *
 * ```ts import.meta.vitest
 * import { GoDuration } from "@plumbline/jsonrpc-core"
 *
 * GoDuration.toMillis("1m2.5s") // => 62500
 * GoDuration.toMillis("-1.5ms") // => -1.5
 * GoDuration.toMillis("10") // => undefined
 * ```
 */
export const toMillis = (text: string): number | undefined => {
  const match = /^([+-]?)(0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h))+)$/u.exec(text)
  if (match === null) return undefined
  let millis = 0
  for (const [, number, unit] of match[2]!.matchAll(/([0-9.]+)([a-z\u00b5\u03bc]+)/gu)) {
    millis += Number(number) * UNITS[unit!]!
  }
  return match[1] === "-" ? -millis : millis
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "\u00b5s": 1e-3,
  "\u03bcs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000
}
