/**
 * The form of the configuration file: its sections. The larger ones have files of this folder.
 *
 * Every section may be left out. `JsonSchema` turns the form into the JSON Schema. `ServiceSettings` turns a file into the
 * settings that the service runs with.
 */
import * as AnswerStore from "@plumbline/gateway/cache/AnswerStore"
import * as VerifiedCache from "@plumbline/gateway/cache/VerifiedCache"
import * as GatewayTls from "@plumbline/gateway/http/Tls"
import * as Limiter from "@plumbline/gateway/limits/Limiter"
import * as LimitExceeded from "@plumbline/gateway/limits/LimitExceeded"
import * as ProjectLimits from "@plumbline/gateway/limits/ProjectLimits"
import * as Metering from "@plumbline/gateway/metering/Metering"
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as SettingShape from "@plumbline/gateway/schema/SettingShape"

import * as AdminSection from "./AdminSection.ts"
import * as BeaconSection from "./BeaconSection.ts"
import * as CallsSection from "./CallsSection.ts"
import * as CostsSection from "./CostsSection.ts"
import * as IpfsSection from "./IpfsSection.ts"
import * as NetworksSection from "./NetworksSection.ts"
import * as ObservabilitySection from "./ObservabilitySection.ts"
import * as ServerSection from "./ServerSection.ts"
import * as StateSection from "./StateSection.ts"
import * as WebhooksSection from "./WebhooksSection.ts"

const { optional, text } = Setting

/** Billing cards, from the events of a payment provider. */
const billing = Setting.group(
  {
    provider: Setting.defaulted(
      Setting.literal(["stripe"], { description: "The payment provider of the events.", default: "stripe" })
    ),
    webhookSecret: Setting.optional(
      Setting.secret(
        Setting.text({
          description:
            "The secret with which the provider signs events. Without it, there is no webhook. It is never shown."
        })
      )
    )
  },
  "Billing cards, from the events of a provider at POST /billing/events."
)

/** The cache of proven answers. A proven answer stays true, so the node is asked for it only once. */
const cache = Setting.group(
  { ...VerifiedCache.fields, store: AnswerStore.bytes },
  "Sizes of the caches of proven answers, for networks with integrity."
)

/** The limits of new projects, and of addresses. */
const limits = Setting.group(
  {
    project: Setting.group(
      ProjectLimits.fields,
      "Limits of a new project, unless its creator sets others. Existing projects keep their limits."
    ),
    ...Limiter.fields
  },
  "Limits of projects and addresses, in credits."
)

/** The recording of usage, and the time for which it is kept. */
const metering = Setting.group(Metering.fields, "Recording of usage.")

/** The conditions for using a product at all. */
const policies = Setting.group(
  { card: Setting.group(AccessPolicy.fields, "Products that an account without a billing card cannot use.") },
  "Conditions for using a product at all."
)

/** The certificate of the service's port. */
const tls = Setting.struct(
  {
    certificate: Setting.text({
      description: "File of the certificate and the intermediate certificates, as PEM; relative to this file."
    }),
    key: Setting.text({ description: "File of the certificate's key, as PEM; relative to this file." }),
    minVersion: GatewayTls.minVersion
  },
  "Certificate of the service's port: HTTPS and secure WebSockets. Changed files are read again within 10 seconds."
)

/** The words of refusals over a limit. */
const wording = Setting.group(LimitExceeded.fields, "Wording of refusals over a limit.")

export const ConfigFile = Setting.struct(
  {
    $schema: optional(text({ description: "For editors: the place of the JSON Schema of this file." })),
    server: ServerSection.section,
    tls: optional(tls),
    networks: optional(NetworksSection.section),
    defaultNetwork: optional(
      text({ description: "The network for requests whose host belongs to no network. Default: the first network." })
    ),
    cache,
    calls: CallsSection.section,
    ipfs: IpfsSection.section,
    beacon: optional(BeaconSection.section),
    state: StateSection.section,
    limits,
    metering,
    policies,
    costs: CostsSection.section,
    billing,
    webhooks: optional(WebhooksSection.section),
    admin: AdminSection.section,
    wording,
    observability: ObservabilitySection.section
  },
  "The configuration of a Plumbline service."
)

export type ConfigFile = typeof ConfigFile.Type

/** Returns the shape of the values that a path accepts, or undefined if no setting can have that path. */
export const shapeAt = (path: SettingShape.SettingPath): SettingShape.SettingShape | undefined =>
  SettingShape.at(ConfigFile.ast, path)
