/**
 * `plumbline audit`
 */
import type { AuditEntry } from "@plumbline/gateway/admin/AdminModel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import * as OperatorView from "./OperatorView.ts"

/** The flags of `audit`. */
export interface AuditFlags extends AdminFlags {
  readonly last: number
  readonly by: Option.Option<string>
  readonly action: Option.Option<string>
  readonly target: Option.Option<string>
  readonly from: Option.Option<string>
}

/** `plumbline audit`: the newest changes that the flags select, the newest first. */
export const audit = Effect.fnUntraced(function* (flags: AuditFlags) {
  const { action, by, last, target } = flags
  if (!Number.isInteger(last) || last < 1 || last > MOST) {
    return yield* new UsageError({ problem: `--last must be a whole number from 1 to ${MOST}` })
  }
  const from = yield* Effect.fromResult(FlagTimes.optional("from", flags.from, yield* Clock.currentTimeMillis))
  const isSelected = (entry: AuditEntry): boolean =>
    Option.getOrElse(by, () => entry.by) === entry.by &&
    Option.getOrElse(target, () => entry.target) === entry.target &&
    Option.match(action, { onNone: () => true, onSome: (start) => entry.action.startsWith(start) })
  return yield* AdminCall.answer(
    flags,
    Effect.fnUntraced(function* (admin) {
      const entries: Array<AuditEntry> = []
      let before: number | undefined
      for (;;) {
        const page = yield* admin.service.audit({ query: { limit: PAGE, ...(before === undefined ? {} : { before }) } })
        const recent = from === undefined ? page.entries : page.entries.filter(({ at }) => at >= from)
        entries.push(...recent.filter(isSelected))
        const isEnd = page.next === null || recent.length < page.entries.length || page.next === before
        if (isEnd || entries.length >= last) break
        before = page.next!
      }
      const shown = entries.slice(0, last)
      return { json: JSON.stringify({ entries: shown }), view: (style) => OperatorView.audit(shown, style) }
    })
  )
})

/** Maximum number of entries that the service keeps. */
const MOST = 100_000

/** Maximum number of entries that the service returns at once. */
const PAGE = 1000
