/**
 * How much of the service a project may take: at once, in a second, in a day.
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { SettingError } from "./SettingError.ts"

/** Large enough for any plan, and small enough that a thousand times as much is exact in a double. */
const MAX = 1_000_000_000_000

const whole = (minimum: number, description: string) =>
  Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum, maximum: MAX })).annotate({ description }))

/**
 * Limits of a project. What is absent is not bounded. Everything is a whole number, at most 10^12.
 *
 * - `creditsPerSecond`: what flows into the project's bucket; at least 1.
 * - `burst`: what the bucket holds, and so the most that can be taken at once; at least 1. Without it, the credits of one
 *   second. It means nothing without `creditsPerSecond`. A call that costs more than this is never let through.
 * - `creditsPerDay`: the credits of a day, which begins at midnight UTC; 0 lets nothing through.
 * - `concurrency`: how many calls may be under way; at least 1. A batch is one.
 *
 * @since 0.1.0
 */
export const Limits = Schema.Struct({
  creditsPerSecond: whole(1, "What flows into the bucket"),
  burst: whole(1, "What the bucket holds, and so the most that can be taken at once; that of one second if absent"),
  creditsPerDay: whole(0, "The credits of a day, which begins at midnight UTC; 0 lets nothing through"),
  concurrency: whole(1, "How many calls may be under way; a batch is one")
}).annotate({ identifier: "Limits", description: "How much may be taken. What is absent is not bounded." })

/**
 * @since 0.1.0
 */
export type Limits = typeof Limits.Type

/**
 * No limits.
 *
 * @since 0.1.0
 */
export const none: Limits = {}

/**
 * The limits of a new project: those of Infura's free plan, 500 credits a second and 3 million a day, with a bucket of
 * ten seconds and 100 calls at a time.
 *
 * @since 0.1.0
 */
export const defaults: Limits = {
  creditsPerSecond: 500,
  burst: 5000,
  creditsPerDay: 3_000_000,
  concurrency: 100
}

const names = ["creditsPerSecond", "burst", "creditsPerDay", "concurrency"] as const
const isLimits = Schema.is(Limits)

/**
 * Limits from outside: from a file or a request. `null` is the same as absent; a name that is none of them is an error.
 *
 * ```ts import.meta.vitest
 * import { Limits } from "@plumbline/gateway"
 * import * as Result from "effect/Result"
 *
 * const limits = Limits.parse({ creditsPerSecond: 500, concurrency: null })
 * Result.getOrThrow(limits) // => { creditsPerSecond: 500 }
 * const wrong = Limits.parse({ creditsPerDay: -1 })
 * Result.isFailure(wrong) && wrong.failure.message // => "creditsPerDay: must be a whole number from 0 to 1000000000000"
 * ```
 *
 * @since 0.1.0
 */
export const parse = (input: unknown): Result.Result<Limits, SettingError> => {
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return wrong("limits", `must be an object of ${names.join(", ")}`)
  }
  const limits: Record<string, number> = {}
  for (const [name, value] of Object.entries(input)) {
    if (!isName(name)) return wrong("limits", `must have no other names than ${names.join(", ")}`)
    if (value === null || value === undefined) continue
    if (!isLimits({ [name]: value })) {
      return wrong(name, `must be a whole number from ${name === "creditsPerDay" ? 0 : 1} to ${MAX}`)
    }
    limits[name] = value
  }
  return Result.succeed(limits)
}

const isName = (name: string): name is (typeof names)[number] => (names as ReadonlyArray<string>).includes(name)

const wrong = (setting: string, problem: string): Result.Result<never, SettingError> =>
  Result.fail(new SettingError({ setting, problem }))
