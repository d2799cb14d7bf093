/** The handlers of the admin API for exports. */
import { type Accounts, PAGE } from "@plumbline/gateway/accounts/Accounts"
import * as UsageFigures from "@plumbline/gateway/metering/usage/UsageFigures"
import * as UsageReport from "@plumbline/gateway/metering/usage/UsageReport"
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

import * as AdminApi from "./AdminApi.ts"
import * as Csv from "./csv.ts"
import { toAdminError } from "./storeFailures.ts"
import { rangeOf } from "./usageHandlers.ts"

/** The services that the exports read. */
interface ExportDependencies {
  readonly accounts: Accounts["Service"]
  readonly figures: UsageFigures.UsageFigures["Service"]
}

export const exportsGroup = ({ accounts, figures }: ExportDependencies) =>
  HttpApiBuilder.group(AdminApi.Api, "exports", (handlers) =>
    handlers.handleAll({
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
        return HttpServerResponse.text(yield* Csv.text(HEADER, lines), {
          contentType: "text/csv",
          headers: { "content-disposition": 'attachment; filename="usage.csv"' }
        })
      })
    })
  )

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
