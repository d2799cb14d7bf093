/** The beacon part of the service: the archive of each beacon chain of the settings. */
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as FileStore from "@plumbline/beacon-light-client/store/FileStore"
import * as BeaconArchive from "@plumbline/gateway-beacon/archive/BeaconArchive"
import * as BeaconMetrics from "@plumbline/gateway-beacon/BeaconMetrics"
import * as BeaconProduct from "@plumbline/gateway-beacon/BeaconProduct"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import type { GatewayProducts } from "@plumbline/gateway/pipeline/GatewayProduct"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"

import * as BeaconClock from "../beacon/BeaconClock.ts"
import * as BeaconNetwork from "../beacon/BeaconNetwork.ts"
import * as BlsEngine from "../beacon/BlsEngine.ts"
import type { BeaconSettings } from "../config/BeaconSection.ts"
import * as SharedTrust from "./SharedTrust.ts"

/**
 * Opens the archives until the scope closes. Returns the product that serves them, which is undefined without a chain,
 * and their metrics. The
 * archives are in the database of the state, and the records of their light clients in the folder, or in the database
 * if several processes share it. A beacon node that is down does not keep the service down.
 */
export const open = Effect.fnUntraced(function* (settings: BeaconSettings | undefined, folder: string | undefined) {
  const path = yield* Path.Path
  const chains = yield* Effect.forEach(
    Object.entries(settings ?? {}),
    Effect.fnUntraced(function* ([name, { nodes, ...chain }]) {
      const { checkpoint } = chain
      const network = yield* BeaconNetwork.named(chain.network)
      const [first, ...others] = nodes
      const records =
        folder === undefined
          ? SharedTrust.layer({ name: `beacon/${name}`, checkpoint, network })
          : FileStore.layer({ folder: path.join(folder, "beacon", name) })
      const beacons = BeaconNodes.layerFetch({ network, nodes: [{ url: first! }, ...others.map((url) => ({ url }))] })
      const context = yield* Layer.build(Layer.mergeAll(beacons, records, BlsEngine.layer, BeaconClock.layer)).pipe(
        Effect.catchTag("BeaconApiError", ({ reason }) =>
          Effect.fail(new SettingError({ setting: `beacon.${name}.nodes`, problem: reason.message }))
        )
      )
      return { name, archive: yield* Effect.provideContext(BeaconArchive.make(chain), context) }
    })
  )
  const product: GatewayProducts["beacon"] = chains.length === 0 ? undefined : BeaconProduct.make(chains)
  return { product, families: chains.length === 0 ? Effect.succeed([]) : BeaconMetrics.families(chains) }
})
