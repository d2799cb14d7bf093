/**
 * A report of usage, row by row: the output of `plumbline usage`, and the base of an invoice.
 */
import * as Effect from "effect/Effect"

import type { UsageDimensions } from "../Usage.ts"
import * as UsageFigures from "./UsageFigures.ts"

/**
 * The counters of a report.
 */
export type UsageReportCounts = Pick<UsageFigures.UsageCounts, "calls" | "credits" | "bytesIn" | "bytesOut">

/**
 * A row of a report.
 */
export interface UsageReportRow extends Omit<UsageDimensions, "key" | "outcome">, UsageReportCounts {}

/**
 * The usage in a range of time. `calls` counts acknowledged calls; each call of a batch counts separately. Refused
 * calls are in rows with their status. Rows are sorted by project, product, network, method and status.
 */
export interface UsageReport {
  /** The start in UTC, such as `2026-11-21T00:00:00.000Z`, widened as `UsageFigures` explains. */
  readonly from: string
  /** The end of the range, exclusive. */
  readonly to: string
  readonly rows: ReadonlyArray<UsageReportRow>
  readonly totals: UsageReportCounts
}

/**
 * Returns the report of a range of time, for one project or for all projects.
 */
export const read = (
  selection: UsageFigures.TimeRange & { readonly project?: string | undefined }
): Effect.Effect<UsageReport, UsageFigures.UsageFailure, UsageFigures.UsageFigures> =>
  Effect.flatMap(UsageFigures.UsageFigures, (figures) =>
    Effect.map(
      figures.by({ ...selection, by: ["project", "product", "network", "method", "status"] }),
      ({ from, rows, to, totals }) => ({
        from: new Date(from).toISOString(),
        to: new Date(to).toISOString(),
        rows: rows.map(({ method, network, product, project, status, ...counts }) => ({
          project,
          product,
          network,
          method,
          status,
          ...countsOf(counts)
        })),
        totals: countsOf(totals)
      })
    )
  )

/**
 * Returns the report as JSON. Counts are written with all their digits, even beyond 2^53. `JSON.parse` of JavaScript
 * rounds such numbers; parsers of other languages can read them exactly.
 *
 * ```ts import.meta.vitest
 * import { UsageReport } from "@plumbline/gateway"
 *
 * const totals = { calls: 2n, credits: 160n, bytesIn: 300n, bytesOut: 2n ** 53n + 1n }
 * const report = { from: "2026-11-21T00:00:00.000Z", to: "2026-11-22T00:00:00.000Z", rows: [], totals }
 * UsageReport.toJson(report).slice(-75) // => '"totals":{"calls":2,"credits":160,"bytesIn":300,"bytesOut":9007199254740993}}'.slice(-75)
 * ```
 */
export const toJson = ({ from, rows, to, totals }: UsageReport): string => {
  const lines = rows.map(
    ({ method, network, product, project, status, ...counts }) =>
      `{${membersOf({ project, product, network, method, status })},${countsToMembers(counts)}}`
  )
  return `{${membersOf({ from, to })},"rows":[${lines.join(",")}],"totals":{${countsToMembers(totals)}}}`
}

/**
 * Returns the counts as members of a JSON object, without its braces, with all their digits. `JSON.stringify` does not
 * write bigints.
 */
export const countsToMembers = ({ bytesIn, bytesOut, calls, credits }: UsageReportCounts): string =>
  `"calls":${calls},"credits":${credits},"bytesIn":${bytesIn},"bytesOut":${bytesOut}`

const countsOf = ({ bytesIn, bytesOut, calls, credits }: UsageReportCounts): UsageReportCounts => ({
  calls,
  credits,
  bytesIn,
  bytesOut
})

const membersOf = (members: object): string => JSON.stringify(members).slice(1, -1)
