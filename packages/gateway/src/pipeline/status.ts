/** The state of a service: its networks, its limits, its metering. */
import * as Effect from "effect/Effect"

import type { Stats } from "../cache/VerifiedCache.ts"
import type * as Limiter from "../limits/Limiter.ts"
import type * as Metering from "../metering/Metering.ts"
import type { Network } from "../networks/Network.ts"
import type * as Upstream from "../networks/Upstream.ts"
import type * as IpfsOptions from "../settings/IpfsOptions.ts"
import type { Anchored, Anchors } from "./anchors.ts"
import type { Config, Live } from "./config.ts"
import type { Head, Heads } from "./heads.ts"

/**
 * The state of a service, as in the answer of `/health`. It holds nothing about a project, and nothing secret.
 */
export interface Status {
  readonly networks: ReadonlyArray<{
    readonly name: string
    readonly chainId: number | string
    /** The state of the network's node, according to the last call. */
    readonly upstream: Upstream.UpstreamState
    /** The state of each node, if there are several. */
    readonly upstreams?: ReadonlyArray<Upstream.Health> | undefined
  }>
  /** The state of each IPFS node, and of the cache of its blocks, if they are watched. */
  readonly ipfs?: IpfsOptions.Health | undefined
  /** The counts of the cache of proven answers, if there is one. */
  readonly cache?: Stats | undefined
  readonly limiter: Limiter.State
  readonly metering: Metering.Status
}

/** Returns the present status: the state of each network's nodes by their last calls. */
export const of = (
  config: Config,
  limiter: Limiter.State,
  metering: Metering.Status,
  ipfs: IpfsOptions.Health | undefined
): Status => ({
  networks: config.networks.map((network) => {
    const { chainId, name, upstream } = network
    const upstreams = upstream.health?.()
    return { name, chainId, upstream: stateIn(config, network), ...(upstreams === undefined ? {} : { upstreams }) }
  }),
  ...(ipfs === undefined ? {} : { ipfs }),
  ...given(config.settings.cache?.()),
  limiter,
  metering
})

const given = (cache: Stats | undefined): { readonly cache?: Stats } => (cache === undefined ? {} : { cache })

/** A network as an operator sees it. */
export interface NetworkDetails {
  readonly name: string
  readonly chainId: number | string
  readonly hosts: ReadonlyArray<string>
  readonly upstream: Upstream.UpstreamState
  /** True if the answers of its nodes are checked or proven. */
  readonly checked: boolean
  readonly head: Head | undefined
  /** The block that proofs end at; undefined if nothing is proven. */
  readonly anchor: Anchored | undefined
  /** Returns the name of a node: a network's only node without a name has the network's name. */
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

/** Nodes with their own probes are known better than by the last call. */
const stateOf = (nodes: ReadonlyArray<Upstream.Health>): Upstream.UpstreamState => {
  const has = (state: Upstream.UpstreamState): boolean => nodes.some((node) => node.state === state)
  if (has("up")) return "up"
  if (has("untried")) return "untried"
  return has("down") ? "down" : "wrong"
}
