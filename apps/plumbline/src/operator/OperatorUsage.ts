import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

import type { Style } from "../terminal/Style.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as AdminCall from "./AdminCall.ts"
import * as AdminFlags from "./AdminFlags.ts"
import * as FlagTimes from "./FlagTimes.ts"
import type { UsageFlags } from "./OperatorFlags.ts"
import * as ProjectNames from "./ProjectNames.ts"
import * as ResultView from "./ResultView.ts"

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
  const admin = yield* AdminCall.connect(service)
  const project = Option.isNone(flags.project)
    ? Option.none<string>()
    : Option.some(yield* ProjectNames.idOf(admin, flags.project.value))
  const query = AdminFlags.given({ from, to, project })
  if (flags.csv) {
    const text = yield* admin.exports.usage({ query })
    // the text ends with a line feed, and printing adds another one
    return { json: "", view: () => [text.slice(0, -1)] }
  }
  const report = yield* admin.usage.report({ query })
  // a removed project has usage; without any, the service says if there is no such project
  if (Option.isSome(project) && report.rows.length === 0) {
    yield* admin.projects.get({ params: { id: project.value } })
  }
  const names = service.json ? new Map<string, string>() : yield* ProjectNames.of(admin)
  return {
    // JSON.stringify cannot write bigints
    json: UsageReport.toJson(report),
    view: (style: Style) => view(report, names, style)
  }
})

const view = (report: UsageReport.UsageReport, names: ReadonlyMap<string, string>, style: Style) => {
  const totals = { project: "in all", product: "", network: "", method: "", status: "", ...report.totals }
  const columns: ReadonlyArray<TextTable.TableColumn<UsageReport.UsageReportRow | typeof totals>> = [
    ["project", ({ project }) => project],
    ["name", ({ project }) => names.get(project) ?? ""],
    ["product", ({ product }) => product],
    ["network", ({ network }) => network],
    ["method", ({ method }) => method],
    ["status", ({ status }) => String(status)],
    ["calls", ({ calls }) => Units.grouped(calls), "numbers"],
    ["credits", ({ credits }) => Units.grouped(credits), "numbers"],
    ["bytes in", ({ bytesIn }) => Units.grouped(bytesIn), "numbers"],
    ["bytes out", ({ bytesOut }) => Units.grouped(bytesOut), "numbers"]
  ]
  const rows = TextTable.lines(columns, [...report.rows, totals], style)
  return ResultView.page(`Used from ${report.from} to ${report.to}`, [rows], style)
}
