/** The handlers of the admin API for exports. */
import * as Effect from "effect/Effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

import * as UsageFigures from "../metering/usage/UsageFigures.ts"
import * as UsageReport from "../metering/usage/UsageReport.ts"
import * as AdminApi from "./AdminApi.ts"
import * as Csv from "./csv.ts"
import { said } from "./failure.ts"
import { rangeOf } from "./usageHandlers.ts"

export const exportsGroup = (figures: UsageFigures.UsageFigures["Service"]) =>
  HttpApiBuilder.group(AdminApi.Api, "exports", (handlers) =>
    handlers.handleAll({
      usage: Effect.fnUntraced(function* ({ query: { project, ...asked } }) {
        const range = yield* rangeOf(asked)
        const read = UsageReport.read({ ...range, project })
        const { from, rows, to } = yield* said(Effect.provideService(read, UsageFigures.UsageFigures, figures))
        const lines = rows.map((row) => [
          from,
          to,
          row.project,
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

const HEADER = [
  "from",
  "to",
  "project",
  "product",
  "network",
  "method",
  "status",
  "calls",
  "credits",
  "bytesIn",
  "bytesOut"
]
