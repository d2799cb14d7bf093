/** The public part of the admin API: its OpenAPI document, and a page of it. */
import * as OpenApi from "effect/http-api/OpenApi"

import * as AdminApi from "./AdminApi.ts"
import { contentPolicy, page } from "./docs.ts"
import type { Answer } from "./exchange.ts"

/** Returns the document at a path, or undefined if there is none. Both are made at the first request. */
export const published = (path: string): Answer | undefined => {
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

let document: Answer | undefined
let docs: Answer | undefined
