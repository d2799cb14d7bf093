/**
 * `plumbline usage`
 */
import type * as AdminClient from "@plumbline/gateway/admin/AdminClient"
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import type { Style } from "../terminal/Style.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import type { AdminFlags } from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import * as OperatorView from "./OperatorView.ts"
import * as ProjectNames from "./ProjectNames.ts"

/** The flags of `usage`. */
export interface UsageFlags extends AdminFlags {
  readonly project: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly csv: boolean
}

/** `plumbline usage` */
export const usage = Effect.fnUntraced(function* (flags: UsageFlags) {
  const now = yield* Clock.currentTimeMillis
  const from = yield* Effect.fromResult(FlagTimes.optional("from", flags.from, now))
  const to = yield* Effect.fromResult(FlagTimes.optional("to", flags.to, now))
  if (from === undefined && to !== undefined) {
    return yield* new UsageError({ problem: "--to needs --from" })
  }
  if (from !== undefined && from >= (to ?? now)) {
    return yield* new UsageError({ problem: `--from must be before ${to === undefined ? "now" : "--to"}` })
  }
  if (flags.csv && flags.json)
    return yield* new UsageError({ problem: "--csv and --json exclude each other: give one" })
  const period = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to })
  }
  const queryOf = Effect.fnUntraced(function* (admin: AdminClient.AdminClient) {
    return Option.isNone(flags.project)
      ? period
      : { ...period, project: yield* ProjectNames.idOf(admin, flags.project.value) }
  })
  if (flags.csv) {
    return yield* AdminCall.answer(flags, (admin) =>
      // the text ends with a line feed, and printing adds another one
      Effect.map(
        Effect.flatMap(queryOf(admin), (query) => admin.exports.usage({ query })),
        (text) => ({ json: "", view: () => [text.slice(0, -1)] })
      )
    )
  }
  return yield* AdminCall.answer(flags, (admin) =>
    Effect.gen(function* () {
      const query = yield* queryOf(admin)
      const report = yield* admin.usage.report({ query })
      // a removed project has usage; without any, the service says if there is no such project
      if ("project" in query && report.rows.length === 0) yield* admin.projects.get({ params: { id: query.project } })
      const names = flags.json ? new Map<string, string>() : yield* ProjectNames.of(admin)
      return {
        // JSON.stringify cannot write bigints
        json: UsageReport.toJson(report),
        view: (style: Style) => OperatorView.usage(report, names, style)
      }
    })
  )
})
