/** The terms of a product: its callers' refusals are limited, charged and worded by them. Each protocol hands its own in. */
import type * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"

import type { Project } from "../accounts/Account.ts"
import type { Product } from "../accounts/Product.ts"
import * as Refusal from "../http/Refusal.ts"
import type { Costs } from "../metering/Costs.ts"

export interface Terms {
  readonly product: Product
  /** The project as the limiter counts a refusal, and the credits that a refusal takes at the most. */
  readonly limit: (project: Project, costs: Costs) => { readonly project: Project; readonly credits: number }
  /** The credits that a refusal of this status is charged. */
  readonly credits: (costs: Costs, status: number) => number
  /** The refusal of a project that is over its limit. */
  readonly exceeded: (status: number, error: ErrorObject.ErrorObject, headers: ReadonlyArray<string>) => Refusal.Refusal
}

/** The terms of JSON-RPC: refusals are taken from the credits of calls, and said in error objects. */
export const calls: Terms = {
  product: "rpc",
  limit: (project, costs) => ({ project, credits: costs.charged(0, 400) }),
  credits: (costs, status) => costs.charged(0, status),
  exceeded: Refusal.withError
}
