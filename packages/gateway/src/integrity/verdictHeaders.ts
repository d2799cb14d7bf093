/**
 * The HTTP headers that carry the verdicts of the answers.
 *
 * For a batch, `plumbline-verdict` is the worst verdict of its answers, so a caller that needs proofs can check this
 * one header. `plumbline-verdicts` has one letter for each answer, in order: `V`, `C`, `R`, and `-` for an answer
 * without a verdict. `plumbline-anchor` names the anchor of the answer, or the different anchors of a batch.
 */
import * as Anchor from "@plumbline/verdict/Anchor"

import type { VerdictSummary } from "./verdictSummary.ts"

/** Returns the headers for a single answer. An answer without a verdict has none. */
export const ofOne = (told: VerdictSummary | undefined): ReadonlyArray<string> => {
  if (told === undefined) return NONE
  const { anchor, fields, word } = told
  return [
    "plumbline-verdict",
    word,
    ...(anchor === undefined ? [] : ["plumbline-anchor", anchor]),
    ...(fields.length === 0 ? [] : ["plumbline-claimed", listed(fields)]),
    ...EXPOSED
  ]
}

/** Returns the headers for a batch. A batch without any verdict has none. */
export const ofBatch = (answered: ReadonlyArray<VerdictSummary | undefined>): ReadonlyArray<string> => {
  const words = new Set(answered.map((told) => told?.word))
  const worst = WORST_FIRST.find((word) => words.has(word))
  if (worst === undefined) return NONE
  const letters =
    answered.length > MAX_LETTERS ? [] : ["plumbline-verdicts", answered.map((told) => told?.word[0] ?? "-").join("")]
  const anchors = new Set(answered.flatMap((told) => told?.anchor ?? []))
  const named = anchors.size === 0 ? [] : ["plumbline-anchor", Anchor.joined(anchors)]
  return ["plumbline-verdict", worst, ...named, ...letters, ...EXPOSED_BATCH]
}

const WORST_FIRST = ["REFUTED", "CLAIMED", "VERIFIED"] as const

/** Maximum number of letters. Many clients accept at most 8 KiB of headers. */
const MAX_LETTERS = 2000

/** The header that lets pages of other origins read the verdicts. */
const EXPOSED = ["access-control-expose-headers", "plumbline-verdict, plumbline-anchor, plumbline-claimed"]
const EXPOSED_BATCH = ["access-control-expose-headers", "plumbline-verdict, plumbline-anchor, plumbline-verdicts"]

const NONE: ReadonlyArray<string> = []

/** Maximum number of fields that are listed by name. */
const MAX_LISTED = 32

const listed = (fields: ReadonlyArray<string>): string =>
  [...new Set(fields.slice(0, MAX_LISTED)), ...(fields.length > MAX_LISTED ? ["..."] : [])].join(", ")
