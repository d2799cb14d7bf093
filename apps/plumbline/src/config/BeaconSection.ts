/** `beacon`: the beacon chains whose light client data the service keeps and serves. */
import * as BeaconArchive from "@plumbline/gateway-beacon/archive/BeaconArchive"
import * as Setting from "@plumbline/gateway/schema/Setting"

import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import type * as ConfigMistake from "./ConfigMistake.ts"
import * as IntegritySection from "./IntegritySection.ts"

const { array, duration, optional, record, secretUrl, struct, text, url } = Setting

const chain = struct(
  {
    nodes: array(
      secretUrl(
        url(["http", "https"], {
          description: "The URL of a beacon node. It may contain a key, so only its host is shown."
        })
      ),
      { description: "Beacon nodes to follow; none of them is trusted." }
    ),
    checkpoint: IntegritySection.hash(
      "Root of a finalized beacon block that you trust. Data from its period on is kept."
    ),
    network: optional(
      text({
        description:
          "The beacon chain: mainnet, sepolia, hoodi, or the file of a network, relative to this file. Default: the name of this entry."
      })
    ),
    maxCheckpointAge: optional(
      duration({
        description:
          "A checkpoint or stored head that is older is refused (default: 14d, from Gloas on 7d). An archive of older data needs more.",
        most: Infinity
      })
    ),
    ...BeaconArchive.fields
  },
  "A beacon chain: its nodes, its checkpoint, and how much of it is kept."
)

export const section = record(chain, {
  description:
    "Beacon chains whose light client data is kept and served at /<name>/v3/<key>/eth/v1, by name. A name may be that of a network."
}).annotate({ propertyNames: { pattern: "^[A-Za-z][A-Za-z0-9-]{0,62}$" } })

export type BeaconSection = typeof section.Type

/** A chain, with the name or the file of its network. */
export interface BeaconChainSettings extends Omit<BeaconSection[string], "network"> {
  readonly network: string
}

export type BeaconSettings = Readonly<Record<string, BeaconChainSettings>>

/** Returns the settings with the default that depends on the name of an entry. */
export const filled = (section: BeaconSection): BeaconSettings =>
  Object.fromEntries(
    Object.entries(section).map(([name, chain]) => [name, { ...chain, network: chain.network ?? name }])
  )

/** Returns the settings with the paths of networks' files made absolute. */
export const resolved = (settings: BeaconSettings, resolve: (path: string) => string): BeaconSettings =>
  Object.fromEntries(
    Object.entries(settings).map(([name, chain]) => [
      name,
      BeaconNetwork.known.some((network) => network.name === chain.network)
        ? chain
        : { ...chain, network: resolve(chain.network) }
    ])
  )

export const mistakes = (section: BeaconSection | undefined): ReadonlyArray<ConfigMistake.SettingMistake> =>
  Object.entries(section ?? {}).flatMap(([name, { network, nodes }]) => {
    const path = ["beacon", name]
    return [
      ...(/^[A-Za-z][A-Za-z0-9-]{0,62}$/u.test(name)
        ? []
        : [{ path, problem: "must be named with a letter, then up to 62 letters, digits and hyphens" }]),
      ...(nodes.length > 0 ? [] : [{ path: [...path, "nodes"], problem: "must be a list of at least one node" }]),
      ...(network !== undefined || BeaconNetwork.known.some((known) => known.name === name)
        ? []
        : [{ path, problem: "needs a network: its name is not that of a known one" }])
    ]
  })
