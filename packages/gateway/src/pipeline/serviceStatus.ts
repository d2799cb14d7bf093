/** The state of a service: its networks, its projects, its limits, its metering. */
import * as Effect from "effect/Effect"

import type { VerifiedCacheStats } from "../cache/VerifiedCache.ts"
import type * as Limiter from "../limits/Limiter.ts"
import type * as Metering from "../metering/Metering.ts"
import type { Network, TrustState } from "../networks/Network.ts"
import type * as Upstream from "../networks/Upstream.ts"
import type { BeaconHealth } from "./BeaconHealth.ts"
import type { IpfsHealth } from "./IpfsHealth.ts"
import type { NetworkAnchor, NetworkAnchors } from "./networkAnchors.ts"
import type { NetworkHead, NetworkHeads } from "./networkHeads.ts"
import type { RuntimeConfig, CurrentConfig } from "./runtimeConfig.ts"

/**
 * The state of a service, as in the answer of `/health`. It holds nothing about projects, and no secrets.
 */
export interface ServiceStatus {
  readonly networks: ReadonlyArray<{
    readonly name: string
    readonly chainId: number | string
    /** The state of the network's node after the last call. */
    readonly upstream: Upstream.UpstreamState
    /** The state of each node, if there are several. */
    readonly upstreams?: ReadonlyArray<Upstream.UpstreamHealth> | undefined
    /** The state of the trust behind the proofs, if it asks nodes. */
    readonly trust?: TrustState | undefined
  }>
  /** The state of each IPFS node, and of the cache of blocks, if the nodes are watched. */
  readonly ipfs?: IpfsHealth | undefined
  /** The state of each archive of light client data. */
  readonly beacon?: ReadonlyArray<BeaconHealth> | undefined
  /** The counts of the cache of proven answers, if there is one. */
  readonly cache?: VerifiedCacheStats | undefined
  /** The state of the store of accounts, projects and keys. */
  readonly accounts: { readonly store: "up" | "down" }
  readonly limiter: Limiter.LimiterState
  readonly metering: Metering.MeteringStatus
}

/** Returns the current status. The state of a network is the state of its node after the last call. */
export const of = (
  config: RuntimeConfig,
  accounts: ServiceStatus["accounts"],
  limiter: Limiter.LimiterState,
  metering: Metering.MeteringStatus,
  { beacon, ipfs }: Pick<ServiceStatus, "beacon" | "ipfs">
): ServiceStatus => ({
  networks: config.networks.map((network) => {
    const { chainId, name, upstream } = network
    const upstreams = upstream.health?.()
    const trust = network.trust?.()
    return {
      name,
      chainId,
      upstream: stateIn(config, network),
      ...(upstreams === undefined ? {} : { upstreams }),
      ...(trust === undefined ? {} : { trust })
    }
  }),
  ...(ipfs === undefined ? {} : { ipfs }),
  ...(beacon === undefined ? {} : { beacon }),
  ...given(config.settings.cache?.()),
  accounts,
  limiter,
  metering
})

const given = (cache: VerifiedCacheStats | undefined): { readonly cache?: VerifiedCacheStats } =>
  cache === undefined ? {} : { cache }

/** The data about a network for operators. */
export interface NetworkDetails {
  readonly name: string
  readonly chainId: number | string
  readonly hosts: ReadonlyArray<string>
  readonly upstream: Upstream.UpstreamState
  /** True if the answers of the network's nodes are checked or proven. */
  readonly checked: boolean
  readonly head: NetworkHead | undefined
  /** The block at which proofs end; undefined if nothing is proven. */
  readonly anchor: NetworkAnchor | undefined
  /** The network's nodes. If the only node has no name, it gets the name of the network. */
  readonly nodes: ReadonlyArray<Upstream.UpstreamHealth>
}

/** Returns every network with its hosts, its latest block and its nodes. */
export const details = (
  { current }: CurrentConfig,
  heads: NetworkHeads,
  anchors: NetworkAnchors
): Effect.Effect<ReadonlyArray<NetworkDetails>> =>
  Effect.forEach(
    current.networks,
    (network) =>
      Effect.map(Effect.all([heads(network), anchors(network)], { concurrency: 2 }), ([head, anchor]) => {
        const { chainId, hosts, name, upstream } = network
        const state = stateIn(current, network)
        const nodes = upstream.health?.() ?? [{ name, state, behind: undefined }]
        const checked = "isChecked" in network && network.isChecked === true
        return { name, chainId, hosts, upstream: state, checked, head, anchor, nodes }
      }),
    { concurrency: "unbounded" }
  )

const stateIn = ({ states }: RuntimeConfig, network: Network): Upstream.UpstreamState => {
  const nodes = network.upstream.health?.()
  return nodes === undefined ? (states.get(network) ?? "untried") : stateOf(nodes)
}

/** Returns the best state of several nodes. The probes of the nodes are more reliable than the network's last call. */
const stateOf = (nodes: ReadonlyArray<Upstream.UpstreamHealth>): Upstream.UpstreamState => {
  const has = (state: Upstream.UpstreamState): boolean => nodes.some((node) => node.state === state)
  if (has("up")) return "up"
  if (has("untried")) return "untried"
  return has("down") ? "down" : "wrong"
}
