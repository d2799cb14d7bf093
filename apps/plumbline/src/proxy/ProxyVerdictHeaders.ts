/**
 * The headers of an HTTP answer that state its verdict. They are the same as the gateway's (docs/decisions/integrity.md).
 *
 * `plumbline-verdict` of a batch is the worst verdict of its answers, so a client that needs proofs reads one header
 * for single calls and batches alike. `plumbline-verdicts` has a letter for each answer, in order: `V`, `C`, `R`, and
 * `-` for an answer without a verdict. `plumbline-anchor` names the anchor of the answer, or the different anchors of a
 * batch.
 */
import * as Anchor from "@plumbline/verdict/Anchor"

import * as Annotation from "./Annotation.ts"
import type { CallVerdict } from "./ProxyCalls.ts"

type Headers = Readonly<Record<string, string>>

/** The list of headers that pages of any origin can read. */
export const exposed = "plumbline-verdict, plumbline-anchor, plumbline-claimed, plumbline-verdicts"

/** Returns the headers of the answer to a single call; no headers if the answer has no verdict. */
export const ofOne = (told: CallVerdict | undefined): Headers => {
  const verdict = wordOf(told)
  if (told === undefined || verdict === undefined) return {}
  const fields = told.fate === "REFUSED" ? [] : told.claimed.map(({ field }) => field)
  return {
    "plumbline-verdict": verdict,
    ...anchors([told]),
    ...(fields.length === 0 ? {} : { "plumbline-claimed": listed(fields) })
  }
}

/** Returns the headers of a batch with these answers, in order; no headers if no answer has a verdict. */
export const ofBatch = (answered: ReadonlyArray<CallVerdict | undefined>): Headers => {
  const words = answered.map(wordOf)
  const worst = WORST_FIRST.find((word) => words.includes(word))
  if (worst === undefined) return {}
  return {
    "plumbline-verdict": worst,
    ...anchors(answered),
    "plumbline-verdicts": words.map((word) => word?.[0] ?? "-").join("")
  }
}

/** Returns the header of the different anchors, in the order of the answers. */
const anchors = (answered: ReadonlyArray<CallVerdict | undefined>): Headers => {
  const different = new Set(answered.flatMap((told) => told?.anchor ?? []))
  return different.size === 0 ? {} : { "plumbline-anchor": Anchor.joined(different) }
}

const wordOf = (told: CallVerdict | undefined) => (told === undefined ? undefined : Annotation.verdictOf(told.fate))

const WORST_FIRST = ["REFUTED", "CLAIMED", "VERIFIED"] as const

/** Maximum number of fields that are listed by name, because a node can send any number of fields with any names. */
const MAX_LISTED = 32

const listed = (fields: ReadonlyArray<string>): string => {
  const names = fields.slice(0, MAX_LISTED).map((field) => (/^[\w.[\]-]{1,64}$/u.test(field) ? field : "?"))
  return [...new Set(names), ...(fields.length > MAX_LISTED ? ["..."] : [])].join(", ")
}
