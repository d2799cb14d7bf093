/** The settings of a service: the configuration with every name and default filled in and every unit converted. */
import type * as GatewayProjectLimits from "@plumbline/gateway/limits/ProjectLimits"

import * as AdminSection from "./AdminSection.ts"
import * as BeaconSection from "./BeaconSection.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import * as IpfsSection from "./IpfsSection.ts"
import * as NetworksSection from "./NetworksSection.ts"
import * as StateSection from "./StateSection.ts"

export type { EmbeddedNetwork, NetworkSettings, UpstreamSettings } from "./NetworksSection.ts"

export interface ServiceSettings extends Omit<ConfigFile, "networks" | "beacon" | "state" | "admin"> {
  readonly networks: ReadonlyArray<NetworksSection.NetworkSettings>
  readonly ipfs: IpfsSection.IpfsSettings
  /** The beacon chains, if the file names any. */
  readonly beacon?: BeaconSection.BeaconSettings
  readonly state: StateSection.StateSettings
  readonly admin: AdminSection.Settings
}

/** Fills in the defaults that depend on other settings. The file must have passed its Schema and `ConfigRules`. */
export const make = ({ beacon, ...file }: ConfigFile, secrets: AdminSection.Secrets): ServiceSettings => ({
  ...file,
  networks: NetworksSection.settings(file.networks, file.server.workers),
  ipfs: IpfsSection.filled(file.ipfs),
  ...(beacon === undefined ? {} : { beacon: BeaconSection.filled(beacon) }),
  state: StateSection.settings(file.state),
  admin: AdminSection.settings(file.admin, secrets)
})

/** Returns all limits that a new project gets: those of calls, and those of IPFS. Null means no limit. */
export const limitsOfNewProjects = ({ ipfs, limits }: ServiceSettings): GatewayProjectLimits.ProjectLimits =>
  Object.fromEntries(
    Object.entries({ ...limits.project, ...IpfsSection.limitsOfNewProjects(ipfs) }).filter(
      ([, value]) => value !== null
    )
  )
