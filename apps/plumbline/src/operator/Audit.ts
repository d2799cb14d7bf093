import type { AuditEntry } from "@plumbline/gateway-admin/api/AdminModel"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import type { TableColumn } from "../terminal/TextTable.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import type { AuditFlags } from "./OperatorFlags.ts"
import * as ResultView from "./ResultView.ts"

/** `plumbline audit`: the newest changes that the flags select, the newest first. */
export const audit = Effect.fnUntraced(function* (flags: AuditFlags, service: AdminFlags) {
  const { action, by, last, target } = flags
  if (!Number.isInteger(last) || last < 1 || last > MOST) {
    return yield* new UsageError({ problem: `--last must be a whole number from 1 to ${MOST}` })
  }
  const since = yield* Effect.fromResult(FlagTimes.optional("from", flags.from, yield* Clock.currentTimeMillis))
  const from = Option.getOrElse(since, () => 0)
  const isSelected = (entry: AuditEntry): boolean =>
    Option.getOrElse(by, () => entry.by) === entry.by &&
    Option.getOrElse(target, () => entry.target) === entry.target &&
    Option.match(action, { onNone: () => true, onSome: (start) => entry.action.startsWith(start) })
  const admin = yield* AdminCall.connect(service)
  if (Option.isSome(flags.export)) {
    const selects = Option.isSome(by) || Option.isSome(target) || Option.isSome(action)
    if (selects || service.json) {
      return yield* new UsageError({ problem: "--export prints all changes: give it with --from only" })
    }
    const { auditCsv, auditNdjson } = admin.exports
    const text = yield* (flags.export.value === "csv" ? auditCsv : auditNdjson)({ query: { from } })
    // the text ends with a line feed, and printing adds another one
    return { json: "", view: () => [text.slice(0, -1)] }
  }
  const entries: Array<AuditEntry> = []
  let before: number | undefined
  for (;;) {
    const page = yield* admin.service.audit({ query: { limit: PAGE, ...(before === undefined ? {} : { before }) } })
    const recent = page.entries.filter(({ at }) => at >= from)
    entries.push(...recent.filter(isSelected))
    const isEnd = page.next === null || recent.length < page.entries.length || page.next === before
    if (isEnd || entries.length >= last) break
    before = page.next!
  }
  const shown = entries.slice(0, last)
  return ResultView.list("change", shown, columns, { entries: shown })
})

const columns: ReadonlyArray<TableColumn<AuditEntry>> = [
  ["time", ({ at }) => ResultView.time(at)],
  ["by", ({ by }) => by],
  ["from", ({ from }) => from ?? ""],
  ["action", ({ action }) => action],
  ["target", ({ target }) => target],
  ["given", ({ changed }) => changed.join(", ")],
  ["before", ({ before }) => valuesOf(before)],
  ["after", ({ after }) => valuesOf(after)]
]

/** Returns the values of a change, for a line of the table. */
const valuesOf = (values: AuditEntry["before"]): string => {
  const text = values == null ? "" : JSON.stringify(values)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text
}

/** Maximum number of characters of the values before or after a change. */
const SHOWN = 60

/** Maximum number of entries that the service keeps. */
const MOST = 100_000

/** Maximum number of entries that the service returns at once. */
const PAGE = 1000
