/**
 * The endpoints of the admin API that export data for spreadsheets and billing systems.
 */
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

import * as AdminModel from "./AdminModel.ts"
import * as AdminUsage from "./AdminUsage.ts"

const described = (description: string) => OpenApi.annotations({ summary: description })

/**
 * The endpoints for exports.
 */
export class ExportsGroup extends HttpApiGroup.make("exports")
  .add(
    HttpApiEndpoint.get("usage", "/exports/usage.csv", {
      query: { ...AdminUsage.Range, project: Schema.optionalKey(AdminModel.id("Only the usage of this project")) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
    }).annotateMerge(described("The report of usage as CSV, for a spreadsheet"))
  )
  .annotateMerge(
    OpenApi.annotations({
      description:
        "Lines of CSV (RFC 4180) with a header, at most 100,000. A field that a spreadsheet would take for a formula begins with an apostrophe."
    })
  ) {}
