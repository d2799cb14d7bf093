/**
 * A mistake in a configuration: a path, a sentence, and its place. A mistake never contains the value, which may be a
 * secret.
 */
import type { SettingPath } from "@plumbline/gateway/schema/SettingShape"

import * as TerminalText from "../terminal/TerminalText.ts"

export type { SettingMistake, SettingPath } from "@plumbline/gateway/schema/SettingShape"

/**
 * Writes a path as people do: `networks.mainnet.upstreams[0].url`. Names are made safe to show, because a name can be
 * any text.
 */
export const formatPath = (path: SettingPath): string =>
  path
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${named(part)}`))
    .join("")

/**
 * Returns a name from the file in a form that is safe to show: a file may contain a URL, with its key, in place of a
 * name.
 */
export const named = (name: string): string => {
  const shown = TerminalText.printable(TerminalText.withoutUrls(name))
  return shown.length > MAX_NAME ? `${shown.slice(0, MAX_NAME)}...` : shown
}

const MAX_NAME = 64

/** Returns the known name that is nearest to a wrong name, unless they differ by more than a few typing mistakes. */
export const nearest = (wrong: string, known: ReadonlyArray<string>): string | undefined => {
  const folded = fold(wrong)
  if (folded.length > MAX_NAME) return undefined
  let best: { readonly name: string; readonly slips: number } | undefined
  for (const name of known) {
    const slips = distance(folded, fold(name))
    if (slips <= Math.max(1, Math.floor(name.length / 3)) && (best === undefined || slips < best.slips)) {
      best = { name, slips }
    }
  }
  return best?.name
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/gu, "")

/** Returns the number of letters to insert, drop, change or swap with a neighbour (optimal string alignment). */
const distance = (from: string, to: string): number => {
  let beforeLast: ReadonlyArray<number> = []
  let last: ReadonlyArray<number> = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      let slips = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        slips = Math.min(slips, beforeLast[column - 2]! + 1)
      }
      current.push(slips)
    }
    beforeLast = last
    last = current
  }
  return last[to.length]!
}
