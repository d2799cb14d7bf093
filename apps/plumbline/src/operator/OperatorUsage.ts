import type * as AdminUsage from "@plumbline/gateway-admin/api/AdminUsage"
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

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
  const report = yield* admin.usage.report({ query })
  // a removed project has usage; without any, the service says if there is no such project
  if (report.rows.length === 0) yield* isKnown
  const names = service.json ? new Map<string, string>() : yield* ProjectNames.of(admin)
  if (everySeconds !== undefined) {
    const range = { from: Date.parse(report.from), to: Date.parse(report.to) }
    // the service bounds the buckets of an answer, and this way each project can have as many
    const series = yield* Effect.forEach(
      new Set(report.rows.map((row) => row.project)),
      (of) => admin.usage.series({ query: { ...range, project: of, everySeconds, by: ["project"] } }),
      { concurrency: 4 }
    )
    return seriesResult({ ...range, everySeconds }, series, names)
  }
  return {
    // JSON.stringify cannot write bigints
    json: UsageReport.toJson(report),
    view: (style: Style) => view(report, names, style)
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

/**
 * Returns the sums of each project in each bucket, by time. Buckets without usage are left out. The answers can cover more
 * than was `asked` for, and in longer buckets, if the service keeps no shorter ones any more.
 */
const seriesResult = (
  asked: { readonly from: number; readonly to: number; readonly everySeconds: number },
  series: ReadonlyArray<typeof AdminUsage.SeriesAnswer.Type>,
  names: ReadonlyMap<string, string>
): ResultView.PrintableResult => {
  const { everySeconds, from, to } = series[0] ?? asked
  const iso = (millis: number) => new Date(millis).toISOString()
  const rows = series
    .flatMap(({ lines, times }) =>
      lines.flatMap(({ counts, of }) =>
        counts.flatMap(({ bytesIn, bytesOut, calls, credits }, index) => {
          // an event of a subscription has credits and bytes, and is no call
          const isEmpty = [calls, credits, bytesIn, bytesOut].every((sum) => sum === 0n)
          return isEmpty ? [] : [{ time: iso(times[index]!), project: of.project!, calls, credits, bytesIn, bytesOut }]
        })
      )
    )
    .sort((a, b) => a.time.localeCompare(b.time) || a.project.localeCompare(b.project))
  const columns: ReadonlyArray<TextTable.TableColumn<(typeof rows)[number]>> = [
    ["time", ({ time }) => time],
    ["project", ({ project }) => project],
    ["name", ({ project }) => names.get(project) ?? ""],
    ...countColumns
  ]
  return {
    json: `{${membersOf({ from: iso(from), to: iso(to), everySeconds })},"rows":[${rows
      .map(({ project, time, ...counts }) => `{${membersOf({ time, project })},${UsageReport.countsToMembers(counts)}}`)
      .join(",")}]}`,
    view: (style) =>
      ResultView.page(`Used from ${iso(from)} to ${iso(to)}`, [TextTable.lines(columns, rows, style)], style)
  }
}

const membersOf = (members: object): string => JSON.stringify(members).slice(1, -1)

const countColumns: ReadonlyArray<TextTable.TableColumn<UsageReport.UsageReportCounts>> = [
  ["calls", ({ calls }) => Units.grouped(calls), "numbers"],
  ["credits", ({ credits }) => Units.grouped(credits), "numbers"],
  ["bytes in", ({ bytesIn }) => Units.grouped(bytesIn), "numbers"],
  ["bytes out", ({ bytesOut }) => Units.grouped(bytesOut), "numbers"]
]

const view = (report: UsageReport.UsageReport, names: ReadonlyMap<string, string>, style: Style) => {
  const totals = { project: "in all", product: "", network: "", method: "", status: "", ...report.totals }
  const columns: ReadonlyArray<TextTable.TableColumn<UsageReport.UsageReportRow | typeof totals>> = [
    ["project", ({ project }) => project],
    ["name", ({ project }) => names.get(project) ?? ""],
    ["product", ({ product }) => product],
    ["network", ({ network }) => network],
    ["method", ({ method }) => method],
    ["status", ({ status }) => String(status)],
    ...countColumns
  ]
  const rows = TextTable.lines(columns, [...report.rows, totals], style)
  return ResultView.page(`Used from ${report.from} to ${report.to}`, [rows], style)
}
