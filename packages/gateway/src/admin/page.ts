/** What is shown of the admin API to everybody: its OpenAPI document, and a page of it. */
import * as OpenApi from "effect/http-api/OpenApi"

import * as AdminApi from "./AdminApi.ts"
import { contentPolicy, page } from "./docs.ts"
import type { Answer } from "./exchange.ts"

/** Undefined if there is nothing at the path. Both are made when they are asked for the first time. */
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
