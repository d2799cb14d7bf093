/** The products of a configuration, which the gateway serves and reports as one. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { GatewayError } from "../errors/GatewayError.ts"
import type { HttpRoute } from "../http/httpRoute.ts"
import type { GatewayProducts } from "./GatewayProduct.ts"
import type { ServiceStatus } from "./serviceStatus.ts"
import type { Serving } from "./serving.ts"

export interface Products {
  readonly routes: (serving: Serving) => ReadonlyArray<HttpRoute>
  readonly health: Effect.Effect<Pick<ServiceStatus, "beacon" | "ipfs">>
}

export const make = (products: GatewayProducts): Result.Result<Products, GatewayError> =>
  Result.gen(function* () {
    const ipfs = products.ipfs && (yield* products.ipfs.resolved)
    const beacon = products.beacon && (yield* products.beacon.resolved)
    return {
      routes: (serving) => [...(ipfs?.routes(serving) ?? []), ...(beacon?.routes(serving) ?? [])],
      health: Effect.all({ ipfs: ipfs?.health ?? Effect.undefined, beacon: beacon?.health ?? Effect.undefined })
    }
  })
