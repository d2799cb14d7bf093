/**
 * `plumbline usage --every`: the sums of each project in each bucket, by time and project. They are read in pages of time,
 * and each page is written before the next one is read, because minutes of many projects can be larger than memory.
 */
import type * as AdminClient from "@plumbline/gateway-admin/api/AdminClient"
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"

import type { Style } from "../terminal/Style.ts"
import * as TextTable from "../terminal/TextTable.ts"
import * as Units from "../terminal/Units.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as ResultView from "./ResultView.ts"

/** Maximum number of rows that are held at once, unless more projects have usage in one bucket. */
export const HELD = 20_000

/** Maximum number of buckets of all lines in an answer of the service. */
const BUCKETS = 10_000

/** Maximum number of lines in an answer of the service. */
const LINES = 100

/** Number of rows that are written at once. */
const WRITTEN = 1000

const MINUTE = 60_000

interface Row extends UsageReport.UsageReportCounts {
  readonly time: string
  readonly project: string
}

/** The columns of the sums. */
export const countColumns: ReadonlyArray<TextTable.TableColumn<UsageReport.UsageReportCounts>> = [
  ["calls", ({ calls }) => Units.grouped(calls), "numbers"],
  ["credits", ({ credits }) => Units.grouped(credits), "numbers"],
  ["bytes in", ({ bytesIn }) => Units.grouped(bytesIn), "numbers"],
  ["bytes out", ({ bytesOut }) => Units.grouped(bytesOut), "numbers"]
]

/**
 * Returns the series of all projects that have usage. Buckets without usage are left out. The range can be wider than the
 * one of `query`, and all buckets longer than `everySeconds`, if the service keeps no shorter ones any more. `isKnown`
 * runs if there is no usage.
 */
export const of = Effect.fnUntraced(function* <E>(
  admin: AdminClient.AdminClient,
  query: { readonly from?: number; readonly to?: number; readonly project?: string },
  everySeconds: number,
  isKnown: Effect.Effect<unknown, E>,
  names: ReadonlyMap<string, string>
) {
  const { from, rows: totals, to } = yield* admin.usage.by({ query: { ...query, by: ["project"] } })
  // a removed project has usage; without any, the service says if there is no such project
  if (totals.length === 0) yield* isKnown
  // the shortest bucket depends on where a range begins: asked with each page, it would be shorter in later pages
  const width =
    totals.length === 0
      ? everySeconds
      : (yield* admin.usage.series({ query: { from, to: Math.min(to, from + MINUTE), everySeconds } })).everySeconds
  const projects = new Set(totals.map(({ project }) => project!))
  const buckets = Math.floor(BUCKETS / Math.max(1, Math.min(LINES, projects.size)))
  const most = Math.min(LINES, Math.floor(BUCKETS / buckets))

  const readSeries = Effect.fnUntraced(function* (page: TimePage, of: { readonly project?: string }) {
    const series = yield* admin.usage.series({
      query: { ...query, ...page, ...of, by: ["project"], top: most, everySeconds: width }
    })
    if (series.everySeconds !== width || series.from !== page.from || series.to !== page.to) return yield* deleted
    return series
  })

  /** The rows of all projects in one bucket. */
  const readBucket = Effect.fnUntraced(function* (bucket: TimePage) {
    const found = yield* admin.usage.by({ query: { ...query, ...bucket, by: ["project"] } })
    if (found.from !== bucket.from || found.to !== bucket.to) return yield* deleted
    const time = Math.floor(bucket.from / (width * 1000)) * width * 1000
    return found.rows.flatMap(({ project, ...counts }) => rowsOf(time, project!, counts))
  })

  /**
   * Reads a page by the lines of its projects. An answer lacks lines if more projects have usage than it can have lines.
   * These are read one by one, or, if that takes more requests than the page has buckets, bucket by bucket.
   */
  const readPage = Effect.fnUntraced(function* (page: TimePage) {
    const first = yield* readSeries(page, {})
    const found = new Set(first.lines.map(({ of }) => of.project!))
    const rest = found.size < most ? [] : [...projects].filter((project) => !found.has(project))
    if (rest.length > first.times.length) {
      const held = Math.max(1, Math.floor(HELD / projects.size))
      return Stream.fromIterable(pagesOf(page, width * 1000, held)).pipe(
        Stream.mapEffect((part) => Effect.forEach(pagesOf(part, width * 1000, 1), readBucket, { concurrency: 4 }))
      )
    }
    const others = yield* Effect.forEach(rest, (project) => readSeries(page, { project }), { concurrency: 4 })
    return Stream.succeed(
      [first, ...others].flatMap(({ lines, times }) =>
        lines.map(({ counts, of }) => counts.flatMap((each, index) => rowsOf(times[index]!, of.project!, each)))
      )
    )
  })

  const rows = Stream.fromIterable(totals.length === 0 ? [] : pagesOf({ from, to }, width * 1000, buckets)).pipe(
    Stream.mapEffect(readPage),
    Stream.flatten(),
    // a project that had no usage when the command began is in none of the pages
    Stream.map((found) => found.flat().filter(({ project }) => projects.has(project))),
    Stream.flatMap((found) => Stream.fromIterable(piecesOf(found)))
  )

  const columns: ReadonlyArray<TextTable.TableColumn<Row>> = [
    ["time", ({ time }) => time],
    ["project", ({ project }) => project],
    ["name", ({ project }) => names.get(project) ?? ""],
    ...countColumns
  ]
  const view = (style: Style) => {
    // no sum of a bucket is longer than that of the range
    const widest = totals.map(({ project, ...counts }): Row => ({ time: iso(from), project: project!, ...counts }))
    const { head, line } = TextTable.layout(columns, widest, style)
    const title = ResultView.page(`Used from ${iso(from)} to ${iso(to)}`, [[head]], style)
    return Stream.concat(
      Stream.succeed(`${title.join("\n")}\n`),
      Stream.map(rows, (rows) => rows.map((row) => `${line(row)}\n`).join(""))
    )
  }
  let isFirst = true
  const jsonRow = ({ project, time, ...counts }: Row): string => {
    const comma = isFirst ? "" : ","
    isFirst = false
    return `${comma}{${membersOf({ time, project })},${UsageReport.countsToMembers(counts)}}`
  }
  const json = Stream.concat(
    Stream.succeed(`{${membersOf({ from: iso(from), to: iso(to), everySeconds: width })},"rows":[`),
    Stream.concat(
      Stream.map(rows, (rows) => rows.map(jsonRow).join("")),
      Stream.succeed("]}")
    )
  )
  return {
    jsonPieces: json,
    viewPieces: view,
    notice:
      width === everySeconds
        ? undefined
        : `each row is the sum of ${durationOf(width)}: the service keeps no shorter times of this range than that, so it cannot show each ${durationOf(everySeconds)}`
  }
})

interface TimePage {
  readonly from: number
  readonly to: number
}

/** Divides a range at starts of buckets, into pages of this number of buckets. */
const pagesOf = function* ({ from, to }: TimePage, width: number, buckets: number): Generator<TimePage> {
  for (let start = from; start < to;) {
    const end = Math.min(to, (Math.floor(start / width) + buckets) * width)
    yield { from: start, to: end }
    start = end
  }
}

/** Returns the row of a project in a bucket, or none without usage. */
const rowsOf = (
  time: number,
  project: string,
  { bytesIn, bytesOut, calls, credits }: UsageReport.UsageReportCounts
): ReadonlyArray<Row> => {
  // an event of a subscription has credits and bytes, and is no call
  const isEmpty = [calls, credits, bytesIn, bytesOut].every((sum) => sum === 0n)
  return isEmpty ? [] : [{ time: iso(time), project, calls, credits, bytesIn, bytesOut }]
}

/** Orders the rows of a page by time, then by project, and divides them into pieces to write. */
const piecesOf = function* (found: ReadonlyArray<Row>): Generator<ReadonlyArray<Row>> {
  const rows = found.toSorted((a, b) => a.time.localeCompare(b.time) || a.project.localeCompare(b.project))
  for (let start = 0; start < rows.length; start += WRITTEN) yield rows.slice(start, start + WRITTEN)
}

const deleted = new UsageError({
  problem: "the service deleted usage of this range while it was read: run the command again"
})

const iso = (millis: number): string => new Date(millis).toISOString()

const membersOf = (members: object): string => JSON.stringify(members).slice(1, -1)

/** Formats whole minutes as `--every` takes them. */
const durationOf = (seconds: number): string => {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds / 60}m`
}
