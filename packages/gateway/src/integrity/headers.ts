/**
 * The HTTP headers that carry the verdicts of the answers.
 *
 * For a batch, `plumbline-verdict` is the worst verdict of its answers, so a caller that needs proofs can check this
 * one header. `plumbline-verdicts` has one letter for each answer, in order: `V`, `C`, `R`, and `-` for an answer
 * without a verdict.
 */
import type { Told } from "./told.ts"

/** Returns the headers for a single answer. An answer without a verdict has none. */
export const ofOne = (told: Told | undefined): ReadonlyArray<string> => {
  if (told === undefined) return NONE
  const { fields, word } = told
  if (fields.length === 0) return word === "VERIFIED" ? SURE : ["plumbline-verdict", word, ...EXPOSED]
  return ["plumbline-verdict", word, "plumbline-claimed", listed(fields), ...EXPOSED]
}

/** Returns the headers for a batch. A batch without any verdict has none. */
export const ofBatch = (answered: ReadonlyArray<Told | undefined>): ReadonlyArray<string> => {
  const words = new Set(answered.map((told) => told?.word))
  const worst = WORST_FIRST.find((word) => words.has(word))
  if (worst === undefined) return NONE
  const letters =
    answered.length > MAX_LETTERS ? [] : ["plumbline-verdicts", answered.map((told) => told?.word[0] ?? "-").join("")]
  return ["plumbline-verdict", worst, ...letters, ...EXPOSED_BATCH]
}

const WORST_FIRST = ["REFUTED", "CLAIMED", "VERIFIED"] as const

/** Maximum number of letters. Many clients accept at most 8 KiB of headers. */
const MAX_LETTERS = 2000

/** The header that lets pages of other origins read the verdicts. */
const EXPOSED = ["access-control-expose-headers", "plumbline-verdict, plumbline-claimed"]
const EXPOSED_BATCH = ["access-control-expose-headers", "plumbline-verdict, plumbline-verdicts"]

const NONE: ReadonlyArray<string> = []
const SURE: ReadonlyArray<string> = ["plumbline-verdict", "VERIFIED", ...EXPOSED]

/** Maximum number of fields that are listed by name. */
const MAX_LISTED = 32

const listed = (fields: ReadonlyArray<string>): string =>
  [...new Set(fields.slice(0, MAX_LISTED)), ...(fields.length > MAX_LISTED ? ["..."] : [])].join(", ")
