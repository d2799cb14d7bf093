/** Names a slot by a layout: the formula of the slot, the variables that share it, and the value in its word. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Formula from "@plumbline/storage-layout/location/Formula"
import * as Share from "@plumbline/storage-layout/location/Share"
import * as Plan from "@plumbline/storage-layout/value/Plan"
import { Flaw } from "@plumbline/storage-layout/value/Value"
import * as Result from "effect/Result"

import type { ProofSubject } from "../proof/ProofSubject.ts"
import * as ValueText from "./ValueText.ts"

/** A subject that is a slot. */
type SlotSubject = Extract<ProofSubject, { readonly _tag: "Slot" }>

/** The name of a slot, computed from a layout. */
export interface SlotNaming {
  readonly formula: Formula.Formula
  /** The slot of the subject: one of the slots that the value occupies. */
  readonly slot: bigint
  /** All variables that share the slot, starting at its low-order end. */
  readonly shares: ReadonlyArray<Share.SlotShare>
}

/** Names a subject's slot by the subject's path. Undefined if the path leads to a different slot, or to none. */
export const of = (layout: Layout, { name, slot }: SlotSubject): SlotNaming | undefined => {
  if (name === undefined) return undefined
  const formula = Result.getOrUndefined(Formula.make(layout, name))
  if (formula === undefined) return undefined
  const number = BigInt(slot)
  const { content, location } = formula
  const distance = BigInt.asUintN(256, number - location.slot)
  const isInPlace = distance * 32n < (location.bytes > 32n ? location.bytes : 32n)
  const isContent = content !== undefined && BigInt.asUintN(256, number - content.slot) < MAX_CONTENT
  if (!isInPlace && !isContent) return undefined
  return { formula, slot: number, shares: isInPlace ? sharing(layout, name, number) : [] }
}

/** Maximum number of slots of an array or a text that this page shows. */
const MAX_CONTENT = 1n << 16n

/** Returns all variables that share a slot with the value of a path; none for a path without a slot. */
export const sharing = (layout: Layout, path: string, slot?: bigint): ReadonlyArray<Share.SlotShare> =>
  Result.getOrElse(Share.ofPath(layout, path, slot), () => [])

/** Decodes the value of a named variable from the proven word of its slot. Undefined if one word is not enough. */
export const decode = (
  layout: Layout,
  { formula, slot }: SlotNaming,
  word: bigint
): { readonly text: string; readonly type: string } | undefined => {
  const location = { ...formula.location, bounds: [] }
  if (location.slot !== slot) return undefined
  const plan = Result.getOrUndefined(Plan.start(layout, [location]))
  if (plan === undefined) return undefined
  const done = plan._tag === "Want" ? Plan.give(plan, () => word) : plan
  if (done._tag !== "Done" || [...done.words.keys()].some((one) => one !== slot)) return undefined
  const { value } = done.values[0]!
  if (typeof value === "object" && !(value instanceof Flaw)) return undefined
  const type = location.part === "length" ? `length of ${location.type.label}` : location.type.label
  return { text: ValueText.line(value, location.type, layout), type }
}
