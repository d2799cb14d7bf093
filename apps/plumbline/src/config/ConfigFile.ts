/**
 * The form of the configuration file: its sections, each of which is defined in a file of this folder.
 *
 * No setting is required. `JsonSchema` turns the form into the JSON Schema. `Settings` turns a file into the settings
 * that the service runs with.
 */
import * as Admin from "./Admin.ts"
import * as Billing from "./Billing.ts"
import * as Cache from "./Cache.ts"
import * as Costs from "./Costs.ts"
import * as Ipfs from "./Ipfs.ts"
import * as Kinds from "./Kinds.ts"
import * as Limits from "./Limits.ts"
import * as Metering from "./Metering.ts"
import * as Networks from "./Networks.ts"
import * as Observability from "./Observability.ts"
import * as Policies from "./Policies.ts"
import * as Server from "./Server.ts"
import * as State from "./State.ts"
import * as Tls from "./Tls.ts"
import * as Webhooks from "./Webhooks.ts"
import * as Wording from "./Wording.ts"

const { group, may, text } = Kinds

/** The file. */
export const ConfigFile = group(
  {
    $schema: may(text({ description: "For editors: the place of the JSON Schema of this file." })),
    server: may(Server.section),
    tls: may(Tls.section),
    networks: may(Networks.section),
    defaultNetwork: may(
      text({ description: "The network for requests whose host belongs to no network. Default: the first network." })
    ),
    cache: may(Cache.section),
    ipfs: may(Ipfs.section),
    state: may(State.section),
    limits: may(Limits.section),
    metering: may(Metering.section),
    policies: may(Policies.section),
    costs: may(Costs.section),
    billing: may(Billing.section),
    webhooks: may(Webhooks.section),
    admin: may(Admin.section),
    wording: may(Wording.section),
    observability: may(Observability.section)
  },
  "The configuration of a Plumbline service."
)

/** See the Schema of the same name. */
export type ConfigFile = typeof ConfigFile.Type
