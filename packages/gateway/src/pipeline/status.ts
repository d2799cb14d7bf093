/** The state of a service: its networks, its limits, its metering. */
import type * as Limiter from "../limits/Limiter.ts"
import type * as Metering from "../metering/Metering.ts"
import type * as Upstream from "../networks/Upstream.ts"
import type { Config } from "./config.ts"

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
  readonly limiter: Limiter.State
  readonly metering: Metering.Status
}

/** Returns the present status: the state of each network's nodes by their last calls. */
export const of = ({ networks, states }: Config, limiter: Limiter.State, metering: Metering.Status): Status => ({
  networks: networks.map(({ chainId, name, upstream }, index) => {
    const upstreams = upstream.health?.()
    const state = upstreams === undefined ? (states.get(networks[index]!) ?? "untried") : stateOf(upstreams)
    return { name, chainId, upstream: state, ...(upstreams === undefined ? {} : { upstreams }) }
  }),
  limiter,
  metering
})

/** Nodes with their own probes are known better than by the last call. */
const stateOf = (nodes: ReadonlyArray<Upstream.Health>): Upstream.UpstreamState => {
  const has = (state: Upstream.UpstreamState): boolean => nodes.some((node) => node.state === state)
  if (has("up")) return "up"
  if (has("untried")) return "untried"
  return has("down") ? "down" : "wrong"
}
