/** The public part of the admin API: the OpenAPI document and the documentation page. */
import * as OpenApi from "effect/http-api/OpenApi"

import * as AdminApi from "./AdminApi.ts"
import type { AdminAnswer } from "./adminExchange.ts"
import { contentPolicy, page } from "./openApiPage.ts"

/** Returns the public answer at a path; undefined for other paths. Document and page are made at the first request. */
export const published = (path: string): AdminAnswer | undefined => {
  switch (path) {
    case "/admin/openapi.json":
      return (document ??= {
        status: 200,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(OpenApi.fromApi(AdminApi.Api))
      })
    case "/admin/docs":
      return (docs ??= {
        status: 200,
        headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": contentPolicy },
        body: page(OpenApi.fromApi(AdminApi.Api))
      })
    default:
      return undefined
  }
}

let document: AdminAnswer | undefined
let docs: AdminAnswer | undefined
