/** The settings of a service: the configuration with every name and default filled in and every unit converted. */
import type * as GatewayLimits from "@plumbline/gateway/limits/Limits"
import type * as Redacted from "effect/Redacted"

import * as Admin from "./Admin.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import * as Ipfs from "./Ipfs.ts"
import * as Networks from "./Networks.ts"
import * as State from "./State.ts"

export type { Embedded, Network, Upstream } from "./Networks.ts"

/** All settings. */
export interface Settings extends Omit<ConfigFile, "networks" | "state" | "admin"> {
  readonly networks: ReadonlyArray<Networks.Network>
  readonly ipfs: Ipfs.Settings
  readonly state: State.Settings
  readonly admin: Admin.Settings
}

/** Fills in the defaults that depend on other settings. The file must have passed its Schema and `Rules`. */
export const make = (file: ConfigFile, token: Redacted.Redacted | undefined): Settings => ({
  ...file,
  networks: Networks.settings(file.networks),
  ipfs: Ipfs.filled(file.ipfs),
  state: State.settings(file.state),
  admin: Admin.settings(file.admin, token)
})

/** Returns all limits that a new project gets: those of calls, and those of IPFS. Null means no limit. */
export const limitsOfNewProjects = ({ ipfs, limits }: Settings): GatewayLimits.Limits =>
  Object.fromEntries(
    Object.entries({ ...limits.project, ...Ipfs.limitsOfNewProjects(ipfs) }).filter(([, value]) => value !== null)
  )
