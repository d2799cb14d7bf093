/**
 * Plans the reading of values: names the words of storage that the values need, and decodes the values from these
 * words.
 *
 * A plan requests words in rounds, because the content of a string or an array ends where its length says. The plan
 * does not fetch words: the caller does, and ensures that all words are from one block.
 *
 * Hostile storage cannot make a plan request or allocate endlessly: see {@link PlanOptions}.
 */
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type { Location } from "../location/Location.ts"
import type { Slot } from "../slot/Slot.ts"
import { NoValueError } from "./NoValueError.ts"
import type { DecodedValue } from "./Value.ts"
import type { ReadBudget, ReadQuestion, KnownWords } from "./valueReader.ts"
import * as ValueReader from "./valueReader.ts"

export type { ReadBudget, ReadQuestion, KnownWords } from "./valueReader.ts"

/** The limits of a reading. Parts beyond them become flaws in the value. */
export interface PlanOptions {
  /**
   * Maximum number of words that the values of one plan span, including words that are not read. Each index in a path
   * costs one word more. Default: 16,384.
   */
  readonly maxWords?: number | undefined
  /**
   * Maximum nesting of structs and arrays. A plan takes at most one round more than this. Default: 32.
   */
  readonly maxDepth?: number | undefined
}

/** The defaults of the options. */
export const defaults: { readonly maxWords: number; readonly maxDepth: number } = { maxWords: 16_384, maxDepth: 32 }

/** A plan that needs these words. Each slot occurs once, and was not requested before. */
export interface WantedWords {
  readonly _tag: "Want"
  readonly slots: ReadonlyArray<Slot>
  /** The words that earlier rounds fetched. */
  readonly words: KnownWords
  readonly question: ReadQuestion
  readonly budget: ReadBudget
}

/** A finished plan: the values, in the order of the locations, and the words from which they were decoded. */
export interface FinishedPlan {
  readonly _tag: "Done"
  readonly values: ReadonlyArray<DecodedValue>
  readonly words: KnownWords
}

/** A plan at any stage. */
export type Plan = WantedWords | FinishedPlan

/**
 * Makes the plan for reading the values at some locations of one layout.
 *
 * Fails with `NoValueError` if one of the locations is a mapping or an array of mappings, which have entries but no value.
 *
 * ```ts import.meta.vitest
 * import { Layout, Location, Plan } from "@plumbline/storage-layout"
 * import { Result } from "effect"
 *
 * const layout = Result.getOrThrow(
 *   Layout.fromSolc({
 *     storage: [{ label: "name", offset: 0, slot: "4", type: "t_string_storage" }],
 *     types: { t_string_storage: { encoding: "bytes", label: "string", numberOfBytes: "32" } }
 *   })
 * )
 * const name = Result.getOrThrow(Location.locate(layout, "name"))
 * const plan = Result.getOrThrow(Plan.start(layout, [name]))
 * plan._tag === "Want" && plan.slots // => [4n]
 *
 * // "Tether" and its length, twice
 * const word = BigInt(`0x${"546574686572".padEnd(62, "0")}0c`)
 * const done = plan._tag === "Want" ? Plan.give(plan, () => word) : plan
 * done._tag === "Done" && done.values[0] // => { value: "Tether", flaws: [] }
 * ```
 */
export const start = (
  layout: Layout,
  locations: ReadonlyArray<Location>,
  options?: PlanOptions
): Result.Result<Plan, NoValueError> => {
  const none = locations.find(({ part, type }) => part === "value" && !ValueReader.hasValue(layout, type))
  if (none !== undefined)
    return Result.fail(new NoValueError({ reason: "Mapping", path: none.path, type: none.type.label }))
  const maxWords = options?.maxWords ?? defaults.maxWords
  const maxDepth = options?.maxDepth ?? defaults.maxDepth
  return Result.succeed(
    next({ layout, locations, maxDepth }, new Map(), { left: BigInt(maxWords), granted: new Map() })
  )
}

/**
 * Passes the requested words to the plan. Calls `word` once for each slot, and uses the low 256 bits of its result.
 */
export const give = (want: WantedWords, word: (slot: Slot) => bigint): Plan => {
  const words = new Map(want.words)
  for (const slot of want.slots) words.set(slot, BigInt.asUintN(256, word(slot)))
  return next(want.question, words, want.budget)
}

const next = (question: ReadQuestion, words: KnownWords, before: ReadBudget): Plan => {
  const { budget, values, wanted } = ValueReader.read(question, words, before)
  return wanted.size === 0
    ? { _tag: "Done", values, words }
    : { _tag: "Want", slots: [...wanted], words, question, budget }
}
