/** The handlers of the admin API for exports. */
import { type Accounts, PAGE } from "@plumbline/gateway/accounts/Accounts"
import * as UsageFigures from "@plumbline/gateway/metering/usage/UsageFigures"
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

import * as AdminApi from "./AdminApi.ts"
import type { AuditEntry } from "./AdminModel.ts"
import type { AuditedChanges } from "./auditedChanges.ts"
import * as Csv from "./csv.ts"
import { toAdminError } from "./storeFailures.ts"
import { rangeOf } from "./usageHandlers.ts"

/** The services that the exports read. */
interface ExportDependencies {
  readonly changes: Pick<AuditedChanges, "list">
  readonly accounts: Accounts["Service"]
  readonly figures: UsageFigures.UsageFigures["Service"]
}

export const exportsGroup = ({ accounts, changes, figures }: ExportDependencies) =>
  HttpApiBuilder.group(AdminApi.Api, "exports", (handlers) =>
    handlers.handleAll({
      auditCsv: ({ query }) =>
        Effect.flatMap(entriesOf(changes, query), (entries) =>
          Effect.map(Csv.text(AUDIT_HEADER, entries.map(auditLine)), (text) => file(text, "audit.csv", "text/csv"))
        ),
      auditNdjson: ({ query }) =>
        Effect.map(entriesOf(changes, query), (entries) => {
          const lines = entries.map(
            (entry) => `${JSON.stringify({ ...entry, at: new Date(entry.at).toISOString() })}\n`
          )
          return file(lines.join(""), "audit.ndjson", "application/x-ndjson")
        }),
      usage: Effect.fnUntraced(function* ({ query: { project, ...asked } }) {
        const range = yield* rangeOf(asked)
        const read = UsageReport.read({ ...range, project })
        const { from, rows, to } = yield* toAdminError(Effect.provideService(read, UsageFigures.UsageFigures, figures))
        const names = yield* toAdminError(namesOf(accounts, project))
        const lines = rows.map((row) => [
          from,
          to,
          row.project,
          names.get(row.project) ?? "",
          row.product,
          row.network,
          row.method,
          row.status,
          row.calls,
          row.credits,
          row.bytesIn,
          row.bytesOut
        ])
        return file(yield* Csv.text(HEADER, lines), "usage.csv", "text/csv")
      })
    })
  )

const file = (text: string, name: string, contentType: string) =>
  HttpServerResponse.text(text, { contentType, headers: { "content-disposition": `attachment; filename="${name}"` } })

/** Reads the entries of a range of time, newest first, a page at a time, so that other requests do not wait. */
const entriesOf = Effect.fnUntraced(function* (
  changes: Pick<AuditedChanges, "list">,
  { from = 0, to = Infinity }: { readonly from?: number | undefined; readonly to?: number | undefined }
) {
  const entries: Array<AuditEntry> = []
  for (let before: number | undefined; ;) {
    const page = yield* toAdminError(changes.list(before, AUDIT_PAGE))
    entries.push(...page.filter(({ at }) => at >= from && at < to))
    before = page.at(-1)?.id
    // Processes whose clocks differ can write a later entry with an earlier time, so one whole page decides.
    if (page.length < AUDIT_PAGE || page.every(({ at }) => at < from)) return entries
  }
})

const AUDIT_PAGE = 1000

const AUDIT_HEADER = ["id", "at", "by", "from", "action", "target", "changed", "before", "after"]

const auditLine = ({
  action,
  after,
  at,
  before,
  by,
  changed,
  from,
  id,
  target
}: AuditEntry): ReadonlyArray<Csv.Field> => [
  id,
  new Date(at).toISOString(),
  by,
  from ?? "",
  action,
  target,
  changed.join(" "),
  before == null ? "" : JSON.stringify(before),
  after == null ? "" : JSON.stringify(after)
]

/** Returns the names of all projects, or of one, by id. Usage stays when a project ends; then it has no name. */
const namesOf = Effect.fnUntraced(function* (accounts: Accounts["Service"], only: string | undefined) {
  const names = new Map<string, string>()
  if (only !== undefined) {
    const found = yield* accounts.project(only)
    return found === undefined ? names : names.set(only, found.name)
  }
  for (let after: string | undefined; ;) {
    const page = yield* accounts.projects({ after })
    for (const { id, name } of page) names.set(id, name)
    after = page.at(-1)?.id
    if (page.length < PAGE) return names
  }
})

const HEADER = [
  "from",
  "to",
  "project",
  "projectName",
  "product",
  "network",
  "method",
  "status",
  "calls",
  "credits",
  "bytesIn",
  "bytesOut"
]
