/** Makes a `Refuted` of any values, their texts bounded. */
import { Refuted } from "../Refuted.ts"

/** The longest text of a `Refuted`: an answer may hold megabytes where a hash belongs. */
const MAX_TEXT = 200

/** What a check compares: texts and numbers; null and nothing where one of them is missing. */
type Comparable = string | bigint | null | undefined

/** A field, what it should be, what it is: the path that leads to it is made only when it is needed. */
export type Wrong = readonly [field: string, expected: Comparable, got: Comparable]

const show = (value: Comparable): string => {
  const text =
    typeof value === "bigint" ? `0x${value.toString(16)}` : value === undefined ? "nothing" : (value ?? "null")
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text
}

export const refute = (check: string, expected: Comparable, got: Comparable): Refuted =>
  new Refuted({ check, expected: show(expected), got: show(got) })
