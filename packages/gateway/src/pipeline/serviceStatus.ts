/** The state of a service: its networks, its projects, its limits, its metering. */
import * as Effect from "effect/Effect"

import type { VerifiedCacheStats } from "../cache/VerifiedCache.ts"
import { WITHHELD } from "../integrity/nodeReputation.ts"
import type * as Limiter from "../limits/Limiter.ts"
import type * as Metering from "../metering/Metering.ts"
import * as LieCounts from "../networks/LieCounts.ts"
import type { Network, TrustState } from "../networks/Network.ts"
import type * as Upstream from "../networks/Upstream.ts"
import type { WorkerCount } from "../settings/GatewayOptions.ts"
import type { BeaconHealth } from "./BeaconHealth.ts"
import type { IpfsHealth } from "./IpfsHealth.ts"
import { FRESH_ENOUGH, type NetworkAnchor, type NetworkAnchors } from "./networkAnchors.ts"
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
    /** The reason why nothing can be proven, if it is known. */
    readonly unproven?: string | undefined
  }>
  /** The state of each IPFS node, and of the cache of blocks, if the nodes are watched. */
  readonly ipfs?: IpfsHealth | undefined
  /** The state of each archive of light client data. */
  readonly beacon?: ReadonlyArray<BeaconHealth> | undefined
  /** The counts of the cache of proven answers, if there is one. */
  readonly cache?: VerifiedCacheStats | undefined
  /** The processes that answer calls, if there are several. */
  readonly workers?: WorkerCount | undefined
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
  ...(config.settings.workers === undefined ? {} : { workers: config.settings.workers.count() }),
  accounts,
  limiter,
  metering
})

/**
 * Adds the lies that the workers have found to a status, also to the states of nodes. Metrics do not: each process counts
 * its own lies there.
 */
export const withLies = (status: ServiceStatus, { current }: CurrentConfig): ServiceStatus => {
  const { workers } = current.settings
  if (workers === undefined) return status
  return {
    ...status,
    networks: status.networks.map((network) => {
      if (network.upstreams === undefined) return network
      const upstreams = withLiesOf(network.upstreams, workers.lies(network.name))
      return { ...network, upstream: stateOf(upstreams), upstreams }
    })
  }
}

const withLiesOf = (
  nodes: ReadonlyArray<Upstream.UpstreamHealth>,
  counts: ReadonlyArray<Upstream.LieCount>
): ReadonlyArray<Upstream.UpstreamHealth> =>
  nodes.map((node) => {
    const own = counts.filter((one) => one.node === node.name)
    const lies = withCounts(node.lies, own)
    if (lies === undefined) return node
    const { trustedSince = 0 } = LieCounts.trustIn(own)
    const trusted = Math.max(trustedSince, node.trustedSince ?? 0)
    // a withheld answer counts as a lie, and no check refuted it
    const refuted = latestOf(own.filter(({ check, isLying }) => isLying && check !== WITHHELD))
    return refuted === undefined || (node.state !== "up" && node.state !== "untried")
      ? { ...node, lies, ...(node.state === "lies" || trusted === 0 ? {} : { trustedSince: trusted }) }
      : { ...node, trustedSince: undefined, state: "lies", problem: `its answer was refuted: ${refuted.check}`, lies }
  })

const latestOf = (counts: ReadonlyArray<Upstream.LieCount>): Upstream.LieCount | undefined =>
  counts.toSorted((a, b) => b.lastAt - a.lastAt)[0]

/** Returns the lies of one node with those of `counts`, which other processes have found. */
const withCounts = (
  lies: Upstream.UpstreamLies | undefined,
  counts: ReadonlyArray<Upstream.LieCount>
): Upstream.UpstreamLies | undefined => {
  const latest = latestOf(counts)
  if (latest === undefined) return lies
  const checks: Record<string, number> = { ...lies?.checks }
  for (const { check, count, drill } of counts) {
    if (drill === undefined) checks[check] = (checks[check] ?? 0) + count
  }
  const { check, lastAt, method } = latest
  return {
    ...lies,
    count: counts.reduce((total, { count }) => total + count, lies?.count ?? 0),
    checks,
    last:
      lies !== undefined && Date.parse(lies.last.at) >= lastAt
        ? lies.last
        : { method, check, at: new Date(lastAt).toISOString() }
  }
}

const given = (cache: VerifiedCacheStats | undefined): { readonly cache?: VerifiedCacheStats } =>
  cache === undefined ? {} : { cache }

/** Adds the reasons why networks have no anchor to a status, as far as their trusts do not say them already. */
export const withAnchors = (
  status: ServiceStatus,
  { current }: CurrentConfig,
  anchors: NetworkAnchors
): Effect.Effect<ServiceStatus> =>
  Effect.map(
    Effect.forEach(
      status.networks,
      (network) => {
        const found = current.networks.find(({ name }) => name === network.name)
        if (found === undefined) return Effect.succeed(network)
        return Effect.map(anchors(found, FRESH_ENOUGH), (anchor) =>
          anchor?.problem === undefined || network.trust?.problems.includes(anchor.problem) === true
            ? network
            : { ...network, unproven: anchor.problem }
        )
      },
      { concurrency: "unbounded" }
    ),
    (networks) => ({ ...status, networks })
  )

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
        const own = upstream.health?.() ?? [{ name, state: stateIn(current, network), behind: undefined }]
        const nodes = withLiesOf(own, current.settings.workers?.lies(name) ?? [])
        const checked = "isChecked" in network && network.isChecked === true
        return { name, chainId, hosts, upstream: stateOf(nodes), checked, head, anchor, nodes }
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
  if (has("lies")) return "lies"
  return has("down") ? "down" : "wrong"
}
