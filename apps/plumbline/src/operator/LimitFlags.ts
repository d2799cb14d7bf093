/** The flags of limits. Each is a number, or `none` to remove the limit. */
import type { SettingError } from "@plumbline/gateway/errors/SettingError"
import type * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminFlags from "./AdminFlags.ts"

/** Makes a flag for each limit, from the descriptions. `creditsPerDay` is set by `--credits-per-day`. */
export const make = <const Name extends string>(descriptions: Readonly<Record<Name, string>>, prefix = "") =>
  Object.fromEntries(
    Object.entries<string>(descriptions).map(([name, description]) => [
      name,
      AdminFlags.text(flagOf(name, prefix), "number|none", description)
    ])
  ) as Readonly<Record<Name, Flag.Flag<Option.Option<string>>>>

/** Limits that flags change: null removes a limit, and an absent member keeps the limit. */
export type LimitChanges<Name extends string> = { readonly [N in Name]?: number | null }

/** Reads the flags. `parseLimits` checks the bounds of each limit. */
export const parse = <Name extends string>(
  flags: Readonly<Record<Name, Option.Option<string>>>,
  parseLimits: (input: unknown) => Result.Result<{ readonly [N in Name]?: number }, SettingError>,
  prefix = ""
): Result.Result<LimitChanges<Name>, UsageError> =>
  Result.gen(function* () {
    const changes: { [N in Name]?: number | null } = {}
    for (const name of Object.keys(flags) as Array<Name>) {
      if (Option.isNone(flags[name])) continue
      const said = flags[name].value
      const parsed = parseLimits({ [name]: /^[0-9]+$/u.test(said) ? Number(said) : undefined })
      const limit = said === "none" ? null : Result.isSuccess(parsed) ? parsed.success[name] : undefined
      if (limit === undefined) {
        const problem = Result.isSuccess(parsed) ? "must be a whole number" : parsed.failure.problem
        return yield* Result.fail(new UsageError({ problem: `--${flagOf(name, prefix)}: ${problem}, or none` }))
      }
      changes[name] = limit
    }
    return changes
  })

/** Returns the limits after the changes. A request replaces all limits, so the unchanged limits are sent again. */
export const applied = <Limits extends object>(before: Limits, changes: LimitChanges<keyof Limits & string>): Limits =>
  Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, limit]) => limit !== null)) as Limits

const flagOf = (name: string, prefix: string): string =>
  prefix + name.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)
