/** The facts that the console shows: the networks with Ethereum's methods, and which of them need no key. */
import * as BeaconNetwork from "@plumbline/beacon-light-client/network/Network"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

import type { Settings } from "../config/Settings.ts"
import type * as ConsoleMount from "../console/ConsoleMount.ts"
import * as BeaconStandIn from "./BeaconStandIn.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"

/** The parts of the service that the console shows. They are asked at each request, because a reload changes them. */
export interface Parts {
  readonly settings: () => Settings
  readonly networks: () => ReadonlyArray<Network>
  readonly embedded: EmbeddedNodes
  readonly hasIpfs: boolean
  /** The address of the running service, and the folder's key; undefined while it starts, and without a folder. */
  readonly own: () => { readonly url: string; readonly apiKey: string } | undefined
}

/** Makes the source. */
export const make = ({ embedded, hasIpfs, networks, own, settings }: Parts): ConsoleMount.Source => ({
  hasIpfs,
  own,
  networks: async () => {
    const { networks: configured, server } = settings()
    // without a folder there is no key to read with, and behind a proxy every caller has its address
    const mayBeOpen =
      own() !== undefined &&
      /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/iu.test(server.host) &&
      server.trustedProxies.length === 0
    const beacon = await beaconOf(embedded)
    return networks().flatMap(({ chainId, name }) => {
      const network = configured.find((one) => one.name === name)
      if (network?.kind !== "eth") return []
      const { upstreams } = network
      const nodes = upstreams.map((upstream) => (upstream._tag === "Embedded" ? upstream.node : undefined))
      return [
        {
          name,
          chainId,
          isEmbedded: mayBeOpen && nodes.every((node) => node !== undefined),
          beacon: nodes.length === 1 && nodes[0] === "live" ? beacon : null
        }
      ]
    })
  }
})

const beaconOf = async (embedded: EmbeddedNodes): Promise<ConsoleMount.Network["beacon"]> => {
  const chain = embedded.beacon()
  if (chain === undefined) return null
  return {
    path: BeaconStandIn.PATH,
    checkpoint: await Effect.runPromise(chain.checkpoint),
    network: Schema.encodeSync(BeaconNetwork.Network)(chain.network)
  }
}
