/** The light client of the beacon chain, in the page. It starts from a checkpoint, over the API on this origin. */
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as BeaconNetwork from "@plumbline/beacon-light-client/network/Network"
import * as TrustStore from "@plumbline/beacon-light-client/store/TrustStore"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import { NoLightClientError } from "./ChainError.ts"
import type { Network } from "./ConsoleNetworks.ts"

/** Provides the block that a light client reaches from a checkpoint. The reads of some seconds share one head. */
export const layer = (
  network: Network,
  checkpoint: Hash32.Hash32
): Layer.Layer<TrustedBlock, NoLightClientError, Transport> => {
  const { beacon } = network
  if (beacon === null) {
    return Layer.effect(
      TrustedBlock,
      Effect.fail(new NoLightClientError({ detail: `this service has no beacon chain of ${network.name}` }))
    )
  }
  const described = Schema.decodeUnknownEffect(BeaconNetwork.Network)(beacon.network)
  const light = Layer.unwrap(
    Effect.map(described, (network) =>
      LightClient.layer({ checkpoint }).pipe(
        Layer.provide(
          BeaconNodes.layerFetch({
            network,
            nodes: [{ url: new URL(beacon.path, location.origin).href, name: "this service" }]
          })
        ),
        Layer.provide(TrustStore.layerMemory())
      )
    )
  )
  return steady.pipe(
    Layer.provide(light),
    Layer.catchCause((cause) =>
      Layer.effect(TrustedBlock, Effect.fail(new NoLightClientError({ detail: reasonOf(cause) })))
    )
  )
}

/** Returns the reason why the light client did not start, in the words of its error. Its errors hold no key. */
const reasonOf = (cause: Cause.Cause<{ readonly message: string }>): string => {
  const found = Cause.findError(cause)
  return Result.isSuccess(found) ? found.success.message.slice(0, 300) : "this page made a mistake"
}

/** Time for which the page keeps a head, so that the reads of one screen end at the same block. */
const STEADY = "10 seconds"

const steady: Layer.Layer<TrustedBlock, never, LightClient.LightClient | Transport> = Layer.effect(
  TrustedBlock,
  Effect.gen(function* () {
    const light = yield* LightClient.LightClient
    const heads = yield* Effect.cachedWithTTL(light.heads, STEADY)
    return LightClientTrust.make({ ...light, heads }, [yield* EthClient.make])
  })
)
