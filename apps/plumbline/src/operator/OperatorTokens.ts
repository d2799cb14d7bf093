import * as TokenKeys from "@plumbline/gateway/accounts/TokenKeys"
import type * as TokenRules from "@plumbline/gateway/accounts/TokenRules"
import * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"

import { DataError, dataError } from "../files/DataError.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as LimitFlags from "./LimitFlags.ts"
import type { TokenFlags } from "./OperatorFlags.ts"
import * as ResultView from "./ResultView.ts"

export const show = Effect.fnUntraced(function* ({ id }: TokenFlags["one"], service: AdminFlags.AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  return shown(yield* admin.tokens.get({ params: { id } }))
})

/**
 * `plumbline tokens set`. It reads the rules first, so that settings without a flag stay unchanged. The limits apply to
 * each user.
 */
export const set = Effect.fnUntraced(function* (flags: TokenFlags["set"], service: AdminFlags.AdminFlags) {
  const { audience, id, keys: file, required, tolerance } = flags
  const limits = yield* Effect.fromResult(LimitFlags.parse(flags.limits, KeyLimits.parse, "user-"))
  const toleranceSeconds = Option.map(tolerance, Number)
  if (Option.exists(toleranceSeconds, (seconds) => !Number.isInteger(seconds) || seconds < 0 || seconds > 300)) {
    return yield* new UsageError({ problem: "--tolerance must be a whole number from 0 to 300" })
  }
  const given = Option.isNone(file) ? undefined : yield* readKeys(file.value)
  const admin = yield* AdminCall.connect(service)
  const params = { id }
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
      userLimits: LimitFlags.applied(before?.userLimits ?? {}, limits),
      ...AdminFlags.given({
        audience: Option.orElse(audience, () => Option.fromUndefinedOr(before?.audience)),
        toleranceSeconds: Option.orElse(toleranceSeconds, () => Option.fromUndefinedOr(before?.toleranceSeconds))
      })
    }
  })
  return shown(rules)
})

export const remove = AdminCall.remover(
  (admin) => admin.tokens.remove,
  (id) => `Removed the rules for tokens of the project ${id}`
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

const shown = (rules: TokenRules.TokenRules): ResultView.PrintableResult => ({
  json: JSON.stringify({ tokens: rules }),
  view: (style) =>
    ResultView.page(
      Units.count(rules.keys.length, "public key"),
      [TextTable.lines(columns, rules.keys, style), ResultView.facts(factsOf(rules), style)],
      style
    )
})

const columns: ReadonlyArray<TextTable.TableColumn<TokenRules.TokenRules["keys"][number]>> = [
  ["kid", ({ kid }) => kid],
  ["algorithm", ({ alg }) => alg]
]

const factsOf = ({
  audience,
  required,
  toleranceSeconds,
  userLimits
}: TokenRules.TokenRules): ReadonlyArray<ResultView.NamedFact> => [
  ["tokens", required ? "required of every call of JSON-RPC" : "accepted, and not required"],
  ["audience", audience],
  ["each user", ResultView.keyLimits(userLimits)],
  ["tolerance", `${toleranceSeconds} s`]
]
