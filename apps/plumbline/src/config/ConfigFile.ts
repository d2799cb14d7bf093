/**
 * The form of the configuration file: its sections, each of which is defined in a file of this folder.
 *
 * Every section may be left out. `JsonSchema` turns the form into the JSON Schema. `ServiceSettings` turns a file into the settings
 * that the service runs with.
 */
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as SettingShape from "@plumbline/gateway/schema/SettingShape"

import * as AdminSection from "./AdminSection.ts"
import * as BillingSection from "./BillingSection.ts"
import * as CacheSection from "./CacheSection.ts"
import * as CostsSection from "./CostsSection.ts"
import * as IpfsSection from "./IpfsSection.ts"
import * as LimitsSection from "./LimitsSection.ts"
import * as MeteringSection from "./MeteringSection.ts"
import * as NetworksSection from "./NetworksSection.ts"
import * as ObservabilitySection from "./ObservabilitySection.ts"
import * as PoliciesSection from "./PoliciesSection.ts"
import * as ServerSection from "./ServerSection.ts"
import * as StateSection from "./StateSection.ts"
import * as TlsSection from "./TlsSection.ts"
import * as WebhooksSection from "./WebhooksSection.ts"
import * as WordingSection from "./WordingSection.ts"

const { optional, text } = Setting

/** The file. */
export const ConfigFile = Setting.struct(
  {
    $schema: optional(text({ description: "For editors: the place of the JSON Schema of this file." })),
    server: ServerSection.section,
    tls: optional(TlsSection.section),
    networks: optional(NetworksSection.section),
    defaultNetwork: optional(
      text({ description: "The network for requests whose host belongs to no network. Default: the first network." })
    ),
    cache: CacheSection.section,
    ipfs: IpfsSection.section,
    state: StateSection.section,
    limits: LimitsSection.section,
    metering: MeteringSection.section,
    policies: PoliciesSection.section,
    costs: CostsSection.section,
    billing: BillingSection.section,
    webhooks: optional(WebhooksSection.section),
    admin: AdminSection.section,
    wording: WordingSection.section,
    observability: ObservabilitySection.section
  },
  "The configuration of a Plumbline service."
)

/** See the Schema of the same name. */
export type ConfigFile = typeof ConfigFile.Type

/** Returns the shape of the values that a path accepts, or undefined if no setting can have that path. */
export const shapeAt = (path: SettingShape.SettingPath): SettingShape.SettingShape | undefined =>
  SettingShape.at(ConfigFile.ast, path)
