import type * as AdminModel from "@plumbline/gateway-admin/api/AdminModel"
import * as Account from "@plumbline/gateway/accounts/Account"
import * as KeyLimits from "@plumbline/gateway/limits/KeyLimits"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import type { TableColumn } from "../terminal/TextTable.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import * as KeySecrets from "./KeySecrets.ts"
import * as LimitFlags from "./LimitFlags.ts"
import type { KeyFlags } from "./OperatorFlags.ts"
import * as ProjectNames from "./ProjectNames.ts"
import * as ResultView from "./ResultView.ts"

export const list = Effect.fnUntraced(function* (flags: KeyFlags["list"], service: AdminFlags) {
  const admin = yield* AdminCall.connect(service)
  const { keys } = yield* admin.keys.list({ params: { id: yield* ProjectNames.idOf(admin, flags.id) } })
  return ResultView.list("key", keys, columns)
})

export const issue = Effect.fnUntraced(function* (flags: KeyFlags["issue"], service: AdminFlags) {
  const { limits, settings } = yield* changesOf(flags)
  const admin = yield* AdminCall.connect(service)
  const params = { id: yield* ProjectNames.idOf(admin, flags.id) }
  const payload = limits === undefined ? settings : { ...settings, limits: LimitFlags.applied({}, limits) }
  return issued(yield* admin.keys.issue({ params, headers: {}, payload }))
})

/** `plumbline keys update`. With a limit, it reads the key first, because limits are replaced as a whole. */
export const update = Effect.fnUntraced(function* (flags: KeyFlags["update"], service: AdminFlags) {
  yield* isId(flags.id)
  const { limits, settings } = yield* changesOf(flags)
  if (limits === undefined && Object.keys(settings).length === 0) return yield* AdminCall.noChange
  const admin = yield* AdminCall.connect(service)
  const params = { id: flags.id }
  const payload =
    limits === undefined
      ? settings
      : { ...settings, limits: LimitFlags.applied((yield* admin.keys.get({ params })).limits, limits) }
  const key = yield* admin.keys.update({ params, payload })
  return ResultView.list("key", [key], columns, { key })
})

export const rotate = Effect.fnUntraced(function* (flags: KeyFlags["rotate"], service: AdminFlags) {
  yield* isId(flags.id)
  const overlap = Option.match(flags.overlap, { onNone: () => 0, onSome: (said) => FlagTimes.duration(said) })
  if (overlap === undefined) {
    return yield* new UsageError({ problem: "--overlap must be a duration such as 90s, 15m, 24h, 7d" })
  }
  const admin = yield* AdminCall.connect(service)
  const made = yield* admin.keys.rotate({ params: { id: flags.id }, payload: { overlapSeconds: overlap / 1000 } })
  // the service ends the old key this long after it made the new one
  return issued(made, made.key.createdAt + overlap)
})

export const revoke = Effect.fnUntraced(function* (flags: KeyFlags["revoke"], service: AdminFlags) {
  yield* isId(flags.id)
  return yield* removeKey(flags, service)
})

const removeKey = AdminCall.remover(
  (admin) => admin.keys.revoke,
  (id) => `Revoked the key ${id}. Calls with it are refused within one second`,
  "revoked"
)

/** Reads the settings that the flags change. Absent limits stay unchanged. */
const changesOf = Effect.fnUntraced(function* ({ expires, label, limits }: KeyFlags["update"]) {
  const now = yield* Clock.currentTimeMillis
  const changes = yield* Effect.fromResult(LimitFlags.parse(limits, KeyLimits.parse))
  return {
    limits: Object.keys(changes).length === 0 ? undefined : changes,
    settings: {
      ...(Option.isSome(label) ? { label: label.value === "none" ? null : label.value } : {}),
      ...(Option.isSome(expires)
        ? {
            expiresAt:
              expires.value === "never"
                ? null
                : yield* Effect.fromResult(FlagTimes.future("expires", expires.value, now))
          }
        : {})
    }
  }
})

/**
 * Fails if the argument is a key instead of its id. The id becomes a part of the request's path, which proxies write to
 * their logs.
 */
const isId = (text: string): Effect.Effect<void, UsageError> =>
  /^[0-9a-f]{32}$/iu.test(text)
    ? Effect.fail(
        new UsageError({ problem: "this is a key: give its id, as `plumbline keys list <project>` shows it" })
      )
    : Effect.void

const issued = (made: typeof AdminModel.Issued.Type, oldEnds?: number) => {
  const secrets = KeySecrets.of(made)
  return ResultView.one(
    { key: made.key, ...secrets },
    "Made a key",
    [
      ["key id", made.key.id],
      ["project", made.key.project],
      ...(oldEnds === undefined ? [] : [["old key ends", ResultView.time(oldEnds)] as const]),
      ...KeySecrets.facts(secrets)
    ],
    [KeySecrets.ONCE]
  )
}

const columns: ReadonlyArray<TableColumn<Account.Key>> = [
  ["id", ({ id }) => id],
  ["label", ({ label }) => label ?? ""],
  ["begins with", ({ start }) => start],
  ["made", ({ createdAt }) => ResultView.time(createdAt)],
  [
    "ends",
    (key) => {
      const end = Account.endOf(key)
      return end === undefined ? "never" : ResultView.time(end)
    }
  ],
  ["limits", ({ limits }) => ResultView.keyLimits(limits)]
]
