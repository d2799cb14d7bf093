/**
 * The endpoints of the admin API that export data for spreadsheets and billing systems.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import { described } from "./adminEndpoints.ts"
import * as AdminModel from "./AdminModel.ts"
import * as AdminUsage from "./AdminUsage.ts"

/** The times of an export of the audit log. */
const AuditRange = {
  from: Schema.optionalKey(AdminModel.time("The start, which is included; by default the oldest entry")),
  to: Schema.optionalKey(AdminModel.time("The end, which is not included; by default now"))
}

/**
 * The endpoints for exports.
 */
export class ExportsGroup extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.get("usage", "/exports/usage.csv", {
      query: { ...AdminUsage.Range, project: Schema.optionalKey(AdminModel.id("Only the usage of this project")) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
    }).annotateMerge(described("The report of usage as CSV, for a spreadsheet")),
    HttpApiEndpoint.get("auditCsv", "/exports/audit.csv", {
      query: AuditRange,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
    }).annotateMerge(described("The audit log as CSV, newest first")),
    HttpApiEndpoint.get("auditNdjson", "/exports/audit.ndjson", {
      query: AuditRange,
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "application/x-ndjson" }))
    }).annotateMerge(described("The audit log as lines of JSON, newest first"))
  )
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Lines of CSV (RFC 4180) with a header, or of JSON; at most 100,000. A field of CSV that a spreadsheet would take for a formula begins with an apostrophe."
    })
  ) {}
