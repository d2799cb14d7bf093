/** The state of a service: its networks, its projects, its limits, its metering. */
import * as Effect from "effect/Effect"

import type { Stats } from "../cache/VerifiedCache.ts"
import type * as Limiter from "../limits/Limiter.ts"
import type * as Metering from "../metering/Metering.ts"
import type { Network, TrustState } from "../networks/Network.ts"
import type * as Upstream from "../networks/Upstream.ts"
import type * as IpfsOptions from "../settings/IpfsOptions.ts"
import type { Anchored, Anchors } from "./anchors.ts"
import type { Config, Live } from "./config.ts"
import type { Head, Heads } from "./heads.ts"

/**
 * The state of a service, as in the answer of `/health`. It holds nothing about projects, and no secrets.
 */
export interface Status {
  readonly networks: ReadonlyArray<{
    readonly name: string
    readonly chainId: number | string
    /** The state of the network's node after the last call. */
    readonly upstream: Upstream.UpstreamState
    /** The state of each node, if there are several. */
    readonly upstreams?: ReadonlyArray<Upstream.Health> | undefined
    /** The state of the trust behind the proofs, if it asks nodes. */
    readonly trust?: TrustState | undefined
  }>
  /** The state of each IPFS node, and of the cache of blocks, if the nodes are watched. */
  readonly ipfs?: IpfsOptions.Health | undefined
  /** The counts of the cache of proven answers, if there is one. */
  readonly cache?: Stats | undefined
  /** The state of the store of accounts, projects and keys. */
  readonly accounts: { readonly store: "up" | "down" }
  readonly limiter: Limiter.State
  readonly metering: Metering.Status
}

/** Returns the current status. The state of a network is the state of its node after the last call. */
export const of = (
  config: Config,
  accounts: Status["accounts"],
  limiter: Limiter.State,
  metering: Metering.Status,
  ipfs: IpfsOptions.Health | undefined
): Status => ({
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
  ...given(config.settings.cache?.()),
  accounts,
  limiter,
  metering
})

const given = (cache: Stats | undefined): { readonly cache?: Stats } => (cache === undefined ? {} : { cache })

/** The data about a network for operators. */
export interface NetworkDetails {
  readonly name: string
  readonly chainId: number | string
  readonly hosts: ReadonlyArray<string>
  readonly upstream: Upstream.UpstreamState
  /** True if the answers of the network's nodes are checked or proven. */
  readonly checked: boolean
  readonly head: Head | undefined
  /** The block at which proofs end; undefined if nothing is proven. */
  readonly anchor: Anchored | undefined
  /** The network's nodes. If the only node has no name, it gets the name of the network. */
  readonly nodes: ReadonlyArray<Upstream.Health>
}

/** Returns every network with its hosts, its latest block and its nodes. */
export const details = (
  { current }: Live,
  heads: Heads,
  anchors: Anchors
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

const stateIn = ({ states }: Config, network: Network): Upstream.UpstreamState => {
  const nodes = network.upstream.health?.()
  return nodes === undefined ? (states.get(network) ?? "untried") : stateOf(nodes)
}

/** Returns the best state of several nodes. The probes of the nodes are more reliable than the network's last call. */
const stateOf = (nodes: ReadonlyArray<Upstream.Health>): Upstream.UpstreamState => {
  const has = (state: Upstream.UpstreamState): boolean => nodes.some((node) => node.state === state)
  if (has("up")) return "up"
  if (has("untried")) return "untried"
  return has("down") ? "down" : "wrong"
}
