/** The state that a reload replaces as a whole. Work that began under one configuration ends under it. */
import { InFlight } from "../http/inFlight.ts"
import type { Network } from "../networks/Network.ts"
import type { Route } from "../networks/Routing.ts"
import type { UpstreamState } from "../networks/Upstream.ts"
import type { Settings } from "../settings/GatewayOptions.ts"

/** A configuration. All of its parts come from one reload. */
export interface Config {
  readonly networks: ReadonlyArray<Network>
  readonly route: Route
  /** The networks by their names, which a path may begin with. */
  readonly byName: ReadonlyMap<string, Network>
  readonly settings: Settings
  /** The state of each network's node, by its last call. Networks that stay keep it over a reload. */
  readonly states: WeakMap<Network, UpstreamState>
  /** The work under way at the nodes of the network. */
  readonly users: InFlight<object>
}

/** The present configuration. */
export interface Live {
  current: Config
}

export const make = (
  networks: ReadonlyArray<Network>,
  route: Route,
  settings: Settings,
  states: Config["states"]
): Config => ({
  networks,
  route,
  byName: new Map(networks.map((network) => [network.name, network])),
  settings,
  states,
  users: new InFlight()
})
