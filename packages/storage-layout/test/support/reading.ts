/** Reads paths of a layout from any source of words. */
import { type Layout, Location, Plan, type Value } from "@plumbline/storage-layout"
import { Result } from "effect"

/** The values that were read, and the number of rounds. */
export interface Reading {
  readonly values: ReadonlyArray<Value.DecodedValue>
  readonly rounds: number
}

export const readMany = async (
  layout: Layout.Layout,
  paths: ReadonlyArray<string>,
  word: (slot: bigint) => bigint | Promise<bigint>,
  options?: Plan.PlanOptions
): Promise<Reading> => {
  const locations = paths.map((path) => Result.getOrThrow(Location.locate(layout, path)))
  let plan = Result.getOrThrow(Plan.start(layout, locations, options))
  let rounds = 0
  while (plan._tag === "Want") {
    rounds++
    const words = new Map<bigint, bigint>()
    for (const slot of plan.slots) words.set(slot, await word(slot))
    plan = Plan.give(plan, (slot) => words.get(slot)!)
  }
  return { values: plan.values, rounds }
}

export const read = async (
  layout: Layout.Layout,
  path: string,
  word: (slot: bigint) => bigint | Promise<bigint>,
  options?: Plan.PlanOptions
): Promise<Value.DecodedValue> => (await readMany(layout, [path], word, options)).values[0]!
