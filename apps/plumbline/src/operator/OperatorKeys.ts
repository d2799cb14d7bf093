/**
 * `plumbline keys ...`
 */
import type * as AdminModel from "@plumbline/gateway/admin/AdminModel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import type { KeyFlags } from "./KeyFlags.ts"
import * as KeySettings from "./KeySettings.ts"
import * as OperatorView from "./OperatorView.ts"
import * as ProjectNames from "./ProjectNames.ts"

/** The flags of a command about a project or a key. */
export interface OneFlags extends AdminFlags {
  readonly id: string
}

/** `plumbline keys list` */
export const list = (flags: OneFlags) =>
  AdminCall.answer(flags, (admin) =>
    Effect.gen(function* () {
      const id = yield* ProjectNames.idOf(admin, flags.id)
      const { keys } = yield* admin.keys.list({ params: { id } })
      return { json: JSON.stringify({ keys }), view: (style) => OperatorView.keys(keys, style) }
    })
  )

/** The flags of `keys issue` and `keys update`. */
export interface SettingsFlags extends OneFlags, KeyFlags {}

/** `plumbline keys issue` */
export const issue = Effect.fnUntraced(function* (flags: SettingsFlags) {
  const changes = yield* Effect.fromResult(KeySettings.changes(flags, yield* Clock.currentTimeMillis))
  return yield* AdminCall.answer(flags, (admin) =>
    Effect.flatMap(ProjectNames.idOf(admin, flags.id), (id) =>
      Effect.map(admin.keys.issue({ params: { id }, headers: {}, payload: KeySettings.payload(changes, {}) }), (made) =>
        issued(made)
      )
    )
  )
})

/** `plumbline keys update`. With a limit, it reads the key first, because limits are replaced as a whole. */
export const update = Effect.fnUntraced(function* (flags: SettingsFlags) {
  yield* isId(flags.id)
  const changes = yield* Effect.fromResult(KeySettings.changes(flags, yield* Clock.currentTimeMillis))
  if (KeySettings.isEmpty(changes))
    return yield* new UsageError({ problem: "no change was given: pass at least one flag" })
  return yield* AdminCall.answer(
    flags,
    Effect.fnUntraced(function* (admin) {
      const params = { id: flags.id }
      const before = Object.keys(changes.limits).length === 0 ? {} : (yield* admin.keys.get({ params })).limits
      const key = yield* admin.keys.update({ params, payload: KeySettings.payload(changes, before) })
      return { json: JSON.stringify({ key }), view: (style) => OperatorView.keys([key], style) }
    })
  )
})

/** The flags of `keys rotate`. */
export interface RotateFlags extends OneFlags {
  readonly overlap: Option.Option<string>
}

/** `plumbline keys rotate` */
export const rotate = Effect.fnUntraced(function* (flags: RotateFlags) {
  yield* isId(flags.id)
  const overlap = Option.match(flags.overlap, { onNone: () => 0, onSome: (said) => FlagTimes.duration(said) })
  if (overlap === undefined) {
    return yield* new UsageError({ problem: "--overlap must be a duration such as 90s, 15m, 24h, 7d" })
  }
  return yield* AdminCall.answer(flags, (admin) =>
    Effect.map(
      admin.keys.rotate({ params: { id: flags.id }, payload: { overlapSeconds: overlap / 1000 } }),
      // the service ends the old key this long after it made the new one
      (made) => issued(made, made.key.createdAt + overlap)
    )
  )
})

/** `plumbline keys revoke` */
export const revoke = Effect.fnUntraced(function* (flags: OneFlags) {
  yield* isId(flags.id)
  return yield* AdminCall.answer(flags, (admin) =>
    Effect.as(admin.keys.revoke({ params: { id: flags.id } }), {
      json: JSON.stringify({ revoked: flags.id }),
      view: (style) =>
        OperatorView.removed(`Revoked the key ${flags.id}. Calls with it are refused within one second`, style)
    })
  )
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

const issued = (
  { apiKey, apiKeySecret, key }: typeof AdminModel.Issued.Type,
  oldEnds?: number
): AdminCall.PrintableResult => {
  const secrets = { apiKey: Redacted.value(apiKey), apiKeySecret: Redacted.value(apiKeySecret) }
  return {
    json: JSON.stringify({ key, ...secrets }),
    view: (style) => OperatorView.issued(key, { ...secrets, oldEnds }, style)
  }
}
