/** Parses thresholds from text, and writes them as text. */
import type { AlertRules } from "@plumbline/gateway-admin/alerts/AlertRules"

import { grouped } from "../look/TextFormats.ts"

/** A threshold, with its name in events: `75%` or `1000`. */
export interface Threshold {
  readonly name: string
  /** The threshold in words: `75 % of the limit`. */
  readonly words: string
  /** The threshold in a column of thresholds: `75 %`. */
  readonly short: string
}

/** Returns the thresholds of rules: parts of the limit first, then numbers, each kind in rising order. */
export const thresholdsOf = ({ creditsOfDay, percentOfDay }: AlertRules): ReadonlyArray<Threshold> => [
  ...unique(percentOfDay).map((percent) => ({
    name: `${percent}%`,
    words: wordsOf(`${percent}%`),
    short: `${percent} %`
  })),
  ...unique(creditsOfDay).map((credits) => ({
    name: String(credits),
    words: wordsOf(String(credits)),
    short: grouped(credits)
  }))
]

/** Returns the words of a threshold's name. */
export const wordsOf = (name: string): string =>
  name.endsWith("%") ? `${name.slice(0, -1)} % of the limit` : `${grouped(BigInt(name))} credits`

const unique = (values: ReadonlyArray<number>): ReadonlyArray<number> => [...new Set(values)].sort((a, b) => a - b)

/** Reads numbers with commas or spaces between them. A percent sign is allowed; text that is not a number is reported. */
export const numbersIn = (text: string): ReadonlyArray<number> | { readonly wrong: string } => {
  const words = text.split(/[\s,;]+/u).filter((word) => word !== "")
  const wrong = words.find((word) => !/^\d{1,13}%?$/u.test(word))
  return wrong === undefined ? words.map((word) => Number(word.replace("%", ""))) : { wrong }
}
