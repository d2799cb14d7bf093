/** Reads the settings of a key from flags. */
import type * as Account from "@plumbline/gateway/accounts/Account"
import * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as FlagTimes from "./FlagTimes.ts"
import type { KeyFlags } from "./KeyFlags.ts"

/** The settings that the flags change. */
export interface KeySettingChanges {
  readonly label?: string | null
  readonly expiresAt?: number | null
  /** `null` removes a limit. */
  readonly limits: { readonly [Name in keyof KeyLimits.KeyLimits]?: number | null }
}

/** Limits that flags change; `null` removes a limit. */
export type KeyLimitChanges = KeySettingChanges["limits"]

/** Parses the flags that set limits. Each flag may have a prefix. */
export const limitChanges = (
  flags: Pick<KeyFlags, "burst" | "creditsPerDay" | "requestsPerSecond">,
  prefix = ""
): Result.Result<KeyLimitChanges, UsageError> =>
  Result.gen(function* () {
    const limits: Record<string, number | null> = {}
    for (const [name, flag] of NAMES) {
      const said = flags[name]
      if (Option.isSome(said)) limits[name] = yield* limitOf(name, prefix + flag, said.value)
    }
    return limits
  })

/** Parses the flags. */
export const changes = (flags: KeyFlags, now: number): Result.Result<KeySettingChanges, UsageError> =>
  Result.gen(function* () {
    const { expires, label } = flags
    const limits = yield* limitChanges(flags)
    return {
      ...(Option.isSome(label) ? { label: label.value === "none" ? null : label.value } : {}),
      ...(Option.isSome(expires)
        ? { expiresAt: expires.value === "never" ? null : yield* FlagTimes.future("expires", expires.value, now) }
        : {}),
      limits
    }
  })

/** True if the flags change nothing. */
export const isEmpty = ({ expiresAt, label, limits }: KeySettingChanges): boolean =>
  expiresAt === undefined && label === undefined && Object.keys(limits).length === 0

/** Returns the settings of a request. A request replaces all limits, so the unchanged limits are sent again. */
export const payload = (
  { limits, ...others }: KeySettingChanges,
  before: KeyLimits.KeyLimits
): Partial<Account.KeySettings> => ({
  ...others,
  ...(Object.keys(limits).length === 0 ? {} : { limits: withChanges(before, limits) })
})

/** Returns the limits after the changes. */
export const withChanges = (before: KeyLimits.KeyLimits, limits: KeyLimitChanges): KeyLimits.KeyLimits =>
  Object.fromEntries(Object.entries({ ...before, ...limits }).filter(([, value]) => value !== null))

const NAMES = [
  ["requestsPerSecond", "requests-per-second"],
  ["burst", "burst"],
  ["creditsPerDay", "credits-per-day"]
] as const

const limitOf = (
  name: keyof KeyLimits.KeyLimits,
  flag: string,
  said: string
): Result.Result<number | null, UsageError> => {
  if (said === "none") return Result.succeed(null)
  const parsed = KeyLimits.parse({ [name]: /^[0-9]+$/u.test(said) ? Number(said) : undefined })
  const limit = Result.isSuccess(parsed) ? parsed.success[name] : undefined
  if (limit !== undefined) return Result.succeed(limit)
  const problem = Result.isSuccess(parsed) ? "must be a whole number" : parsed.failure.problem
  return Result.fail(new UsageError({ problem: `--${flag}: ${problem}, or none` }))
}
