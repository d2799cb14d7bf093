import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import type { Style } from "../terminal/Style.ts"
import * as TextTable from "../terminal/TextTable.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import type { UsageFlags } from "./OperatorFlags.ts"
import * as ProjectNames from "./ProjectNames.ts"
import * as ResultView from "./ResultView.ts"
import * as UsageSeries from "./UsageSeries.ts"

export const usage = Effect.fnUntraced(function* (flags: UsageFlags, service: AdminFlags.AdminFlags) {
  const now = yield* Clock.currentTimeMillis
  const from = yield* Effect.fromResult(FlagTimes.optional("from", flags.from, now))
  const to = yield* Effect.fromResult(FlagTimes.optional("to", flags.to, now))
  if (Option.isNone(from) && Option.isSome(to)) return yield* new UsageError({ problem: "--to needs --from" })
  if (Option.isSome(from) && from.value >= Option.getOrElse(to, () => now)) {
    return yield* new UsageError({ problem: `--from must be before ${Option.isNone(to) ? "now" : "--to"}` })
  }
  if (flags.csv && service.json) {
    return yield* new UsageError({ problem: "--csv and --json exclude each other: give one" })
  }
  if (flags.csv && Option.isSome(flags.every)) {
    return yield* new UsageError({ problem: "--csv and --every exclude each other: give one" })
  }
  const everySeconds = yield* Effect.fromResult(everySecondsOf(flags.every))
  const admin = yield* AdminCall.connect(service)
  const project = Option.isNone(flags.project)
    ? Option.none<string>()
    : Option.some(yield* ProjectNames.idOf(admin, flags.project.value))
  const query = AdminFlags.given({ from, to, project })
  const isKnown = Option.isSome(project) ? admin.projects.get({ params: { id: project.value } }) : Effect.void
  if (flags.csv) {
    const text = yield* admin.exports.usage({ query })
    // the text ends with a line feed, and printing adds another one
    return { json: "", view: () => [text.slice(0, -1)] }
  }
  const names = service.json ? Effect.succeed(new Map<string, string>()) : ProjectNames.of(admin)
  if (everySeconds !== undefined) return yield* UsageSeries.of(admin, query, everySeconds, isKnown, yield* names)
  const report = yield* admin.usage.report({ query })
  // a removed project has usage; without any, the service says if there is no such project
  if (report.rows.length === 0) yield* isKnown
  const known = yield* names
  return {
    // JSON.stringify cannot write bigints
    json: UsageReport.toJson(report),
    view: (style: Style) => view(report, known, style)
  }
})

/** Parses `--every` to seconds; undefined without the flag. The service keeps usage by the minute. */
const everySecondsOf = (every: Option.Option<string>): Result.Result<number | undefined, UsageError> => {
  if (Option.isNone(every)) return Result.succeed(undefined)
  const seconds = (FlagTimes.duration(every.value) ?? 0) / 1000
  return seconds >= 60 && seconds % 60 === 0 && seconds <= 366 * 86_400
    ? Result.succeed(seconds)
    : Result.fail(
        new UsageError({ problem: "--every must be a time of whole minutes, up to 366d, such as 15m, 1h or 1d" })
      )
}

const view = (report: UsageReport.UsageReport, names: ReadonlyMap<string, string>, style: Style) => {
  const totals = { project: "in all", product: "", network: "", method: "", status: "", ...report.totals }
  const columns: ReadonlyArray<TextTable.TableColumn<UsageReport.UsageReportRow | typeof totals>> = [
    ["project", ({ project }) => project],
    ["name", ({ project }) => names.get(project) ?? ""],
    ["product", ({ product }) => product],
    ["network", ({ network }) => network],
    ["method", ({ method }) => method],
    ["status", ({ status }) => String(status)],
    ...UsageSeries.countColumns
  ]
  const rows = TextTable.lines(columns, [...report.rows, totals], style)
  return ResultView.page(`Used from ${report.from} to ${report.to}`, [rows], style)
}
