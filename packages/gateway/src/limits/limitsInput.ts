/** Parses limits from a file or a request. */
import * as Result from "effect/Result"

import { SettingError } from "../errors/SettingError.ts"

/** The minimum and maximum of each limit. */
export type LimitRanges<L> = Readonly<Record<keyof L & string, readonly [least: number, most: number]>>

/** Parses limits and checks their ranges. `null` means absent; an unknown name is an error. */
export const parse = <L>(input: unknown, ranges: LimitRanges<L>): Result.Result<L, SettingError> => {
  const names = Object.keys(ranges).join(", ")
  if (typeof input !== "object" || input === null || Array.isArray(input)) {
    return wrong("limits", `must be an object of ${names}`)
  }
  const limits: Record<string, number> = {}
  for (const [name, value] of Object.entries(input)) {
    if (!Object.hasOwn(ranges, name)) return wrong("limits", `must have no other names than ${names}`)
    if (value === null || value === undefined) continue
    const [least, most] = ranges[name as keyof L & string]
    if (!(Number.isSafeInteger(value) && value >= least && value <= most)) {
      return wrong(name, `must be a whole number from ${least} to ${most}`)
    }
    limits[name] = value
  }
  return Result.succeed(limits as L)
}

const wrong = (setting: string, problem: string): Result.Result<never, SettingError> =>
  Result.fail(new SettingError({ setting, problem }))
