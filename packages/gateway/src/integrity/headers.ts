/**
 * The headers of an HTTP answer that say which verdicts it has.
 *
 * `plumbline-verdict` of a batch is the worst of its answers, so a caller that needs proofs can look at this one
 * header. `plumbline-verdicts` has a letter for each answer in their order: `V`, `C`, `R`, and `-` for an answer
 * without a verdict.
 */
import type { Told } from "./told.ts"

/** Returns the headers of the answer to a single call: none if it has no verdict. */
export const ofOne = (told: Told | undefined): ReadonlyArray<string> => {
  if (told === undefined) return NONE
  const { fields, word } = told
  if (fields.length === 0) return word === "VERIFIED" ? SURE : ["plumbline-verdict", word, ...EXPOSED]
  return ["plumbline-verdict", word, "plumbline-claimed", listed(fields), ...EXPOSED]
}

/** Returns the headers of a batch: none if none of its answers has a verdict. */
export const ofBatch = (answered: ReadonlyArray<Told | undefined>): ReadonlyArray<string> => {
  const words = new Set(answered.map((told) => told?.word))
  const worst = WORST_FIRST.find((word) => words.has(word))
  if (worst === undefined) return NONE
  const letters =
    answered.length > MAX_LETTERS ? [] : ["plumbline-verdicts", answered.map((told) => told?.word[0] ?? "-").join("")]
  return ["plumbline-verdict", worst, ...letters, ...EXPOSED_BATCH]
}

const WORST_FIRST = ["REFUTED", "CLAIMED", "VERIFIED"] as const

/** Maximum number of answers with a letter each: many clients take 8 KiB of headers. */
const MAX_LETTERS = 2000

/** Lets a page of another origin read them. */
const EXPOSED = ["access-control-expose-headers", "plumbline-verdict, plumbline-claimed"]
const EXPOSED_BATCH = ["access-control-expose-headers", "plumbline-verdict, plumbline-verdicts"]

const NONE: ReadonlyArray<string> = []
const SURE: ReadonlyArray<string> = ["plumbline-verdict", "VERIFIED", ...EXPOSED]

/** Maximum number of fields that are listed by name. */
const MAX_LISTED = 32

const listed = (fields: ReadonlyArray<string>): string =>
  [...new Set(fields.slice(0, MAX_LISTED)), ...(fields.length > MAX_LISTED ? ["..."] : [])].join(", ")
