/**
 * The form of the configuration file: its sections, each of which is defined in a file of this folder.
 *
 * Every section may be left out. `JsonSchema` turns the form into the JSON Schema. `Settings` turns a file into the settings
 * that the service runs with.
 */
import * as Setting from "@plumbline/gateway/schema/Setting"
import * as Shape from "@plumbline/gateway/schema/Shape"

import * as Admin from "./Admin.ts"
import * as Billing from "./Billing.ts"
import * as Cache from "./Cache.ts"
import * as Costs from "./Costs.ts"
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
import * as Wording from "./Wording.ts"

const { optional, text } = Setting

/** The file. */
export const ConfigFile = Setting.struct(
  {
    $schema: optional(text({ description: "For editors: the place of the JSON Schema of this file." })),
    server: Server.section,
    tls: optional(Tls.section),
    networks: optional(Networks.section),
    defaultNetwork: optional(
      text({ description: "The network for requests whose host belongs to no network. Default: the first network." })
    ),
    cache: Cache.section,
    ipfs: Ipfs.section,
    state: State.section,
    limits: Limits.section,
    metering: Metering.section,
    policies: Policies.section,
    costs: Costs.section,
    billing: Billing.section,
    webhooks: optional(Webhooks.section),
    admin: Admin.section,
    wording: Wording.section,
    observability: Observability.section
  },
  "The configuration of a Plumbline service."
)

/** See the Schema of the same name. */
export type ConfigFile = typeof ConfigFile.Type

/** Returns the shape of the values that a path accepts, or undefined if no setting can have that path. */
export const shapeAt = (path: Shape.Path): Shape.Shape | undefined => Shape.at(ConfigFile.ast, path)
