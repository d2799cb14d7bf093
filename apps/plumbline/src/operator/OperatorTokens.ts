/**
 * `plumbline tokens ...`
 */
import * as TokenKeys from "@plumbline/gateway/accounts/TokenKeys"
import type * as TokenRules from "@plumbline/gateway/accounts/TokenRules"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

import { DataError, dataError } from "../files/DataError.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import type { KeyFlags } from "./KeyFlags.ts"
import * as KeySettings from "./KeySettings.ts"
import * as OperatorView from "./OperatorView.ts"

/** The flags of a command about one project. */
export interface OneFlags extends AdminFlags {
  readonly id: string
}

/** `plumbline tokens show` */
export const show = (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) => Effect.map(admin.tokens.get({ params: { id: flags.id } }), shown))

/** The flags of `tokens set`. The limits apply to each user. */
export interface SetFlags extends OneFlags, Pick<KeyFlags, "burst" | "creditsPerDay" | "requestsPerSecond"> {
  readonly keys: Option.Option<string>
  readonly audience: Option.Option<string>
  readonly required: Option.Option<boolean>
  readonly tolerance: Option.Option<string>
}

/** `plumbline tokens set`. It reads the rules first, so that settings without a flag stay unchanged. */
export const set = Effect.fnUntraced(function* (flags: SetFlags) {
  const { audience, keys: file, required, tolerance } = flags
  const limits = yield* Effect.fromResult(KeySettings.limitChanges(flags, "user-"))
  const toleranceSeconds = Option.map(tolerance, Number)
  if (Option.exists(toleranceSeconds, (seconds) => !Number.isInteger(seconds) || seconds < 0 || seconds > 300)) {
    return yield* new UsageError({ problem: "--tolerance must be a whole number from 0 to 300" })
  }
  const given = Option.isNone(file) ? undefined : yield* readKeys(file.value)
  return yield* AdminCall.answer(
    flags,
    Effect.fnUntraced(function* (admin) {
      const params = { id: flags.id }
      const before = yield* Effect.catchTag(admin.tokens.get({ params }), "NotFound", () => Effect.undefined)
      const keys = given ?? before?.keys
      if (keys === undefined) {
        return yield* new UsageError({ problem: "the project has no keys yet: give them by --keys <file>" })
      }
      const rules = yield* admin.tokens.set({
        params,
        payload: {
          keys: keys.map((key) => ({ ...key })),
          required: Option.getOrElse(required, () => before?.required ?? false),
          userLimits: KeySettings.withChanges(before?.userLimits ?? {}, limits),
          ...member(
            "audience",
            Option.getOrElse(audience, () => before?.audience)
          ),
          ...member(
            "toleranceSeconds",
            Option.getOrElse(toleranceSeconds, () => before?.toleranceSeconds)
          )
        }
      })
      return shown(rules)
    })
  )
})

/** `plumbline tokens remove` */
export const remove = (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.as(admin.tokens.remove({ params: { id: flags.id } }), {
      json: JSON.stringify({ removed: flags.id }),
      view: (style) => OperatorView.removed(`Removed the rules for tokens of the project ${flags.id}`, style)
    })
  )

/** Reads public keys. The command checks them, so that it never sends a private key that is in the file. */
const readKeys = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(fs.readFileString(file), (error) => dataError(file, "Unreadable", error))
  const json = yield* Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new DataError({ path: file, problem: "Damaged", detail: "it is not JSON" })
  })
  return yield* Effect.mapError(
    Effect.fromResult(TokenKeys.parse(json)),
    ({ problem, setting }) => new DataError({ path: file, problem: "Damaged", detail: `${setting} ${problem}` })
  )
})

const shown = (rules: TokenRules.TokenRules): AdminCall.PrintableResult => ({
  json: JSON.stringify({ tokens: rules }),
  view: (style) => OperatorView.tokens(rules, style)
})

/** Returns a member of an object, if the value is given. */
const member = <Name extends string, A>(name: Name, value: A | undefined): { readonly [N in Name]?: A } =>
  value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]: A })
