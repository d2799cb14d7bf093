/** The terms of a product: the limits, charges and wording of refusals. Each protocol passes in its terms. */
import type * as ErrorObject from "@plumbline/jsonrpc-core/error/ErrorObject"

import type { Project } from "../accounts/Account.ts"
import type { Product } from "../accounts/Product.ts"
import * as HttpRefusal from "../http/HttpRefusal.ts"
import type { Costs } from "../metering/Costs.ts"

export interface ProductTerms {
  readonly product: Product
  /** Returns the project with the limits that apply to a refusal, and the maximum credits that a refusal takes. */
  readonly limit: (project: Project, costs: Costs) => { readonly project: Project; readonly credits: number }
  /** Returns the credits charged for a refusal with this status. */
  readonly credits: (costs: Costs, status: number) => number
  /** The refusal of a project whose allowlist of networks does not contain the requested network or IPFS. */
  readonly notListed: HttpRefusal.HttpRefusal
  /** Returns the refusal of a project that is over its limit. */
  readonly exceeded: (
    status: number,
    error: ErrorObject.ErrorObject,
    headers: ReadonlyArray<string>
  ) => HttpRefusal.HttpRefusal
}

/** The terms of JSON-RPC. Refusals take credits like calls, and are error objects. */
export const calls: ProductTerms = {
  product: "rpc",
  limit: (project, costs) => ({ project, credits: costs.charged(0, 400) }),
  credits: (costs, status) => costs.charged(0, status),
  notListed: HttpRefusal.notAllowed,
  exceeded: HttpRefusal.withError
}
