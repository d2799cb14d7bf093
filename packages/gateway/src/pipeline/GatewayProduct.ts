/**
 * A product beside JSON-RPC, such as IPFS. The gateway gives it the listener, admission, limits and metering; the product
 * answers the requests to its paths.
 */
import type * as Effect from "effect/Effect"
import type * as Result from "effect/Result"

import type { GatewayError } from "../errors/GatewayError.ts"
import type { HttpRoute } from "../http/httpRoute.ts"
import type { BeaconHealth } from "./BeaconHealth.ts"
import type { IpfsHealth } from "./IpfsHealth.ts"
import type { Serving } from "./serving.ts"

/**
 * A product with its options.
 */
export interface GatewayProduct<Health = unknown> {
  /** The product with all defaults, or the error that names an invalid option. */
  readonly resolved: Result.Result<ResolvedProduct<Health>, GatewayError>
}

/**
 * A product whose options are valid.
 */
export interface ResolvedProduct<Health = unknown> {
  /** Makes the routes. The gateway makes them once for each configuration. */
  readonly routes: (serving: Serving) => ReadonlyArray<HttpRoute>
  /** The state of the product, for `/health`. Undefined if it is not shown. */
  readonly health: Effect.Effect<Health> | undefined
}

/**
 * The products that a gateway can have beside JSON-RPC.
 */
export interface GatewayProducts {
  /** IPFS, as `IpfsProduct` makes it. Without it there are no paths below `/api/v0/` and `/ipfs/`. */
  readonly ipfs?: GatewayProduct<IpfsHealth> | undefined
  /** Light client data, as `BeaconProduct` makes it. Without it there are no paths below `/v3/<key>/eth/v1/`. */
  readonly beacon?: GatewayProduct<ReadonlyArray<BeaconHealth>> | undefined
}
