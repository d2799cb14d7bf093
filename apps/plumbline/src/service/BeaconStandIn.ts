/**
 * The beacon chain of the embedded live chain: its API on the gateway's listener, and the checkpoint and network that a
 * light client needs to follow it.
 */
import * as Network from "@plumbline/beacon-light-client/network/Network"
import type { Mount } from "@plumbline/gateway/http/Mount"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Schema from "effect/Schema"

import type { ServiceSettings } from "../config/ServiceSettings.ts"
import { dataError } from "../files/DataError.ts"
import * as Loopback from "../home/Loopback.ts"
import type * as ServiceFile from "../home/ServiceFile.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"

/** The path of the API. No network's name has a `_`, so no network can have this path. */
export const PATH = "/live_beacon"

/**
 * Time after which the service announces a newer checkpoint. Readers refuse a checkpoint that is older than two weeks.
 */
export const REFRESH = "1 hour"

/**
 * Makes the mount of the API. The mount answers 404 while no network has the live chain. While only this machine reaches
 * the service (`isAlone`), pages of other sites get 403, also those whose name was made to lead to this machine.
 */
export const mount = (embedded: EmbeddedNodes, isAlone: () => boolean): Mount => {
  const admit = Loopback.gate([])
  return {
    path: PATH,
    handle: (request, response) => {
      const chain = embedded.beacon()
      if (chain === undefined) response.writeHead(404).end()
      else if (isAlone() && admit(request).refused !== undefined) response.writeHead(403).end()
      else chain.handle(request, response)
    }
  }
}

/**
 * Returns the checkpoint and the network for readers, and writes the network's file into the data folder. Null unless
 * the live chain is the only node of a network, because a further node of that network may be of another chain.
 */
export const tell = Effect.fnUntraced(function* (
  embedded: EmbeddedNodes,
  { folder, settings, url }: { readonly folder: string; readonly settings: ServiceSettings; readonly url: string }
): Effect.fn.Return<ServiceFile.Beacon | null, ReturnType<typeof dataError>, FileSystem.FileSystem | Path.Path> {
  const chain = embedded.beacon()
  const { defaultNetwork = settings.networks[0]?.name } = settings
  const networks = settings.networks.flatMap(({ name, upstreams: [first, ...others] }) =>
    others.length === 0 && first?.embedded === "live" ? [name] : []
  )
  if (chain === undefined || networks.length === 0) return null
  const fs = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).join(folder, "beacon-network.json")
  const text = `${JSON.stringify(Schema.encodeSync(Network.Network)(chain.network), null, 2)}\n`
  yield* Effect.mapError(fs.writeFileString(file, text), (error) => dataError(file, "Unwritable", error))
  return {
    url: `${url}${PATH}`,
    checkpoint: yield* chain.checkpoint,
    networkFile: file,
    networks,
    isDefault: networks.some((name) => name === defaultNetwork)
  }
})
