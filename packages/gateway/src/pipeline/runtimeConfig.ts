/** The state that a reload replaces as a whole. Work keeps the configuration with which it began. */
import { InFlight } from "../http/inFlight.ts"
import type { Network } from "../networks/Network.ts"
import type { NetworkRoute } from "../networks/Routing.ts"
import type { UpstreamState } from "../networks/Upstream.ts"
import type { GatewaySettings } from "../settings/GatewayOptions.ts"

/** A configuration. All of its parts come from one reload. */
export interface RuntimeConfig {
  readonly networks: ReadonlyArray<Network>
  readonly route: NetworkRoute
  /** The networks by name. A path may begin with the name. */
  readonly byName: ReadonlyMap<string, Network>
  readonly settings: GatewaySettings
  /** The state of each network's node after the last call. A network that is in the new options too keeps its state. */
  readonly states: WeakMap<Network, UpstreamState>
  /** The work that currently uses the networks' nodes. */
  readonly users: InFlight<object>
}

/** Holds the current configuration. */
export interface CurrentConfig {
  current: RuntimeConfig
}

export const make = (
  networks: ReadonlyArray<Network>,
  route: NetworkRoute,
  settings: GatewaySettings,
  states: RuntimeConfig["states"]
): RuntimeConfig => ({
  networks,
  route,
  byName: new Map(networks.map((network) => [network.name, network])),
  settings,
  states,
  users: new InFlight()
})
