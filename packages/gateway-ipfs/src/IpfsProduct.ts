/**
 * IPFS as a product of the gateway: the HTTP API below `/api/v0/`, and the trustless gateway below `/ipfs/`.
 */
import type { GatewayProduct } from "@plumbline/gateway/pipeline/GatewayProduct"
import type { IpfsHealth } from "@plumbline/gateway/pipeline/IpfsHealth"
import * as Result from "effect/Result"

import * as IpfsApiRoute from "./http/ipfsApiRoute.ts"
import * as IpfsOptions from "./IpfsOptions.ts"
import * as TrustlessRoute from "./trustless/trustlessRoute.ts"

/**
 * Makes the product, for the option `ipfs` of `Gateway`. The gateway fails if an option is invalid.
 */
export const make = (options: IpfsOptions.IpfsOptions): GatewayProduct<IpfsHealth> => ({
  resolved: Result.map(IpfsOptions.resolve(options), (settings) => ({
    routes: (serving) => [
      IpfsApiRoute.make(serving, settings),
      ...(settings.gateway.access === "off" ? [] : [TrustlessRoute.make(serving, settings)])
    ],
    health: settings.health
  }))
})
