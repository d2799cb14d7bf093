/** Finds the slots of a variable and of its content. Each slot lists all variables that share it. */
import type { Layout } from "@plumbline/storage-layout/layout/Layout"
import * as Formula from "@plumbline/storage-layout/location/Formula"
import * as Location from "@plumbline/storage-layout/location/Location"
import type { SlotShare } from "@plumbline/storage-layout/location/Share"
import * as Plan from "@plumbline/storage-layout/value/Plan"
import type { Value } from "@plumbline/storage-layout/value/Value"
import * as Result from "effect/Result"

import * as SlotNaming from "../variables/SlotNaming.ts"
import { MAX_WORDS } from "./VariableValues.ts"

/** A slot of a variable. */
export interface OwnSlot {
  readonly slot: bigint
  readonly shares: ReadonlyArray<SlotShare>
  /** The role of the slot: `length` for the length of an array or a long text, otherwise `value`. */
  readonly part: "value" | "length"
}

/** A variable's place: its formula and its slots. */
export interface PlacedVariable {
  readonly formula: Formula.Formula
  /** The first slots, up to the limit. */
  readonly slots: ReadonlyArray<OwnSlot>
  /** The number of slots that are not listed. */
  readonly more: bigint
}

/** Maximum number of slots of one variable that are drawn. */
const MAX_SLOTS = 8

/**
 * Returns the place of a variable. Undefined if its path is not in the layout. `value` gives the lengths of arrays and
 * texts.
 */
export const of = (layout: Layout, path: string, value: Value | undefined): PlacedVariable | undefined => {
  const formula = Result.getOrUndefined(Formula.make(layout, path))
  if (formula === undefined) return undefined
  const { content, location } = formula
  const inPlace = location.bytes <= 32n ? 1n : location.bytes / 32n
  const slots: Array<OwnSlot> = []
  const size = typeof value === "string" ? sizeOf(value, "text" in location.type && location.type.text) : 0
  const isShort = content?._tag === "Following" || (typeof value === "string" && size < 32)
  const first = content === undefined || isShort ? "value" : "length"
  for (let i = 0n; i < inPlace && slots.length < MAX_SLOTS; i++) {
    const slot = BigInt.asUintN(256, location.slot + i)
    slots.push({ slot, shares: SlotNaming.sharing(layout, path, slot), part: i === 0n ? first : "value" })
  }
  if (content?._tag !== "Hashed" || first === "value") return { formula, slots, more: inPlace - BigInt(slots.length) }
  const elements = Array.isArray(value) ? elementSlots(layout, path, value.length) : undefined
  const amount = elements?.amount ?? BigInt(Math.ceil(size / 32))
  for (let i = 0n; i < amount && slots.length < MAX_SLOTS; i++) {
    const slot = BigInt.asUintN(256, content.slot + i)
    slots.push({ slot, shares: elements?.shares(i, slot) ?? [], part: "value" })
  }
  return { formula, slots, more: inPlace + amount - BigInt(slots.length) }
}

/** Returns the number of bytes of a text, or of bytes in hex. A text of up to 31 bytes is in the slot itself. */
const sizeOf = (value: string, isText: boolean): number =>
  isText ? new TextEncoder().encode(value).length : (value.length - 2) / 2

/** Returns the slots of an array's elements. */
const elementSlots = (layout: Layout, path: string, length: number) => {
  const last = Result.getOrUndefined(Formula.make(layout, `${path}[${length - 1}]`))
  const step = last?.steps.at(-1)
  if (step?._tag !== "Element") return { amount: 0n, shares: () => [] }
  const { perSlot, slots } = step
  return {
    amount: ((BigInt(length) + perSlot - 1n) / perSlot) * slots,
    // the last slot may have room for more elements than the array has; these are left out
    shares: (i: bigint, slot: bigint) => {
      const index = (i / slots) * perSlot
      const all = SlotNaming.sharing(layout, `${path}[${index}]`, slot)
      return all.filter((share) => perSlot === 1n || !isBeyond(share.path, path, length))
    }
  }
}

/** True if the path names an element beyond the end of the array. */
export const isBeyond = (path: string, array: string, length: number): boolean => {
  const [, index] = /^\[(\d+)\]/u.exec(path.slice(array.length)) ?? []
  return index !== undefined && BigInt(index) >= BigInt(length)
}

/**
 * True if the path is in an entry of a mapping whose words are all known and zero: the entry was never written, or it was
 * set to zero. The slots of mappings within the entry have no words of their own.
 */
export const isUnset = (layout: Layout, path: string, words: Plan.KnownWords): boolean => {
  const formula = Result.getOrUndefined(Formula.make(layout, path))
  const entry = formula?.steps.findLast(({ _tag }) => _tag === "Entry")
  const location = entry && Result.getOrUndefined(Location.locate(layout, entry.path))
  const plan =
    location && Result.getOrUndefined(Plan.start(layout, [{ ...location, bounds: [] }], { maxWords: MAX_WORDS }))
  if (plan?._tag !== "Want" || !plan.slots.every((slot) => words.get(slot) === 0n)) return false
  const done = Plan.give(plan, () => 0n)
  // a part that is too large has no words in the plan
  return done._tag === "Done" && done.values[0]!.flaws.length === 0
}
