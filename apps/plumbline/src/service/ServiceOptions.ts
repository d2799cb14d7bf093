/** Converts the settings to the options of the gateway. */
import * as IpfsProduct from "@plumbline/gateway-ipfs/IpfsProduct"
import * as Costs from "@plumbline/gateway/metering/Costs"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as Routing from "@plumbline/gateway/networks/Routing"
import type { GatewayProducts } from "@plumbline/gateway/pipeline/GatewayProduct"
import * as GatewayOptions from "@plumbline/gateway/settings/GatewayOptions"
import * as Effect from "effect/Effect"

import type { ServiceSettings } from "../config/ServiceSettings.ts"
import * as Certificates from "./Certificates.ts"
import type { IpfsService } from "./IpfsService.ts"

/** The parts of the options that are not settings. */
export interface ServiceOptionParts {
  readonly networks: ReadonlyArray<Network>
  readonly ipfs: IpfsService | undefined
  readonly beacon: GatewayProducts["beacon"]
  /** The origins of the console, if it has a port of its own. Its pages may send IPFS commands, with a key. */
  readonly consoles: ReadonlyArray<string>
  readonly mounts: ReadonlyArray<GatewayOptions.Mount>
  readonly tracing: GatewayOptions.Tracing | undefined
  readonly cache: GatewayOptions.GatewayOptions["cache"]
  readonly families: GatewayOptions.GatewayOptions["families"]
  /** How the gateway is reached, if it is a worker, or the supervisor of workers. Default: at the port of the settings. */
  readonly front?: Pick<GatewayOptions.GatewayOptions, "sharesPort" | "socketPath" | "workers"> | undefined
  /** Answers the requests that are no calls, in a worker. */
  readonly elsewhere?: GatewayProducts["ipfs"]
}

/** Makes the options, except for the port. The gateway accepts the result. */
export const make = Effect.fnUntraced(function* (
  settings: ServiceSettings,
  { beacon, cache, consoles, elsewhere, families, front = {}, ipfs, mounts, networks, tracing }: ServiceOptionParts
) {
  const { workers: _, ...server } = settings.server
  const isBehind = front.socketPath !== undefined
  const product =
    ipfs &&
    IpfsProduct.make(ipfs.options({ ...settings.ipfs, allowedOrigins: [...settings.ipfs.allowedOrigins, ...consoles] }))
  const options: GatewayOptions.GatewayOptions & GatewayProducts = {
    ...server,
    ...front,
    // The workers log each request and wait for load balancers; they have the certificate too.
    ...(isBehind ? { accessLog: false, timeouts: { ...server.timeouts, grace: 0 } } : {}),
    networks,
    defaultNetwork: settings.defaultNetwork,
    ipfs: elsewhere ?? product,
    beacon,
    costs: yield* Effect.fromResult(Costs.make(settings.costs)),
    wording: settings.wording,
    mounts,
    tls: isBehind ? undefined : yield* Certificates.read(settings.tls),
    tracing,
    cache,
    families,
    slowCall: settings.observability.slowCall
  }
  yield* Effect.fromResult(GatewayOptions.resolve(options))
  if (product !== undefined) yield* Effect.fromResult(product.resolved)
  if (beacon !== undefined) yield* Effect.fromResult(beacon.resolved)
  yield* Effect.fromResult(Routing.make(networks, settings.defaultNetwork))
  return options
})
