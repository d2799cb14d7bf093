/** The settings of a service: the configuration with every name and default filled in and every unit converted. */
import type * as Limiter from "@plumbline/gateway/limits/Limiter"
import type * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import type * as GatewayLimits from "@plumbline/gateway/limits/Limits"
import type * as GatewayMetering from "@plumbline/gateway/metering/Metering"
import type * as Redacted from "effect/Redacted"

import * as Admin from "./Admin.ts"
import * as Billing from "./Billing.ts"
import * as Cache from "./Cache.ts"
import type { ConfigFile } from "./ConfigFile.ts"
import * as Ipfs from "./Ipfs.ts"
import * as Limits from "./Limits.ts"
import * as Metering from "./Metering.ts"
import * as Networks from "./Networks.ts"
import * as Observability from "./Observability.ts"
import * as Policies from "./Policies.ts"
import * as Server from "./Server.ts"
import * as State from "./State.ts"
import * as Tls from "./Tls.ts"
import * as Webhooks from "./Webhooks.ts"

export type { Embedded, Network, Upstream } from "./Networks.ts"

/** All settings. */
export interface Settings {
  readonly server: Server.Settings
  readonly tls: Tls.Settings | undefined
  readonly networks: ReadonlyArray<Networks.Network>
  readonly defaultNetwork: string | undefined
  readonly cache: Cache.Settings
  readonly ipfs: Ipfs.Settings
  readonly state: State.Settings
  /** The limits of a new project. */
  readonly limits: GatewayLimits.Limits
  readonly limiter: Limiter.Options
  readonly metering: GatewayMetering.Options
  readonly card: Policies.Card
  /** Changes to the table of credits, for `Costs.make`. */
  readonly costs: Readonly<Record<string, unknown>>
  readonly wording: LimitExceeded.Wording
  readonly billing: Billing.Settings
  readonly webhooks: Webhooks.Settings
  readonly admin: Admin.Settings
  readonly observability: Observability.Settings
}

/** Converts a file into settings. The file must have passed its Schema and `Rules`. */
export const make = (file: ConfigFile, token: Redacted.Redacted | undefined): Settings => ({
  server: Server.settings(file.server),
  tls: Tls.settings(file.tls),
  networks: Networks.settings(file.networks),
  defaultNetwork: file.defaultNetwork,
  cache: Cache.settings(file.cache),
  ipfs: Ipfs.settings(file.ipfs),
  state: State.settings(file.state),
  limits: Limits.project(file.limits),
  limiter: Limits.limiter(file.limits),
  metering: Metering.settings(file.metering),
  card: Policies.card(file.policies),
  costs: file.costs ?? {},
  wording: file.wording ?? {},
  billing: Billing.settings(file.billing),
  webhooks: Webhooks.settings(file.webhooks),
  admin: Admin.settings(file.admin, token),
  observability: Observability.settings(file.observability)
})

/** Returns all limits that a new project gets: those of calls, and those of IPFS. */
export const limitsOfNewProjects = ({ ipfs, limits }: Settings): GatewayLimits.Limits =>
  Object.fromEntries(
    Object.entries({ ...limits, ...Ipfs.limitsOfNewProjects(ipfs) }).filter(([, value]) => value !== undefined)
  )
