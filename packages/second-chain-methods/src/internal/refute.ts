/** Makes a `Refuted` of any values, their texts bounded. */
import { Refuted } from "../Refuted.ts"

/** The longest text of a `Refuted`: an answer may hold megabytes where a hash belongs. */
const MAX_TEXT = 200

export const refute = (check: string, expected: string, got: unknown): Refuted =>
  new Refuted({ check, expected: bounded(expected), got: bounded(show(got)) })

const show = (value: unknown): string => {
  if (typeof value === "string") return value
  return value === null ? "null" : "something of another kind"
}

const bounded = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text)
