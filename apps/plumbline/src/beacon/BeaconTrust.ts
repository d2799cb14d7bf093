/** The light client of a command, and the trust that follows from it. Loaded only by commands that start one. */
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as FileStore from "@plumbline/beacon-light-client/store/FileStore"
import * as TrustStore from "@plumbline/beacon-light-client/store/TrustStore"
import * as LightClientReason from "@plumbline/beacon-light-client/trust/LightClientReason"
import * as LightClientTrust from "@plumbline/beacon-light-client/trust/LightClientTrust"
import * as EthClient from "@plumbline/eth-methods/client/EthClient"
import { TrustedBlock } from "@plumbline/eth-methods/trust/TrustedBlock"
import type { Transport } from "@plumbline/jsonrpc-core/transport/Transport"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import * as Scope from "effect/Scope"
import type * as Stdio from "effect/Stdio"

import * as Progress from "../terminal/Progress.ts"
import type { UsageError } from "../terminal/UsageError.ts"
import * as BeaconClock from "./BeaconClock.ts"
import type { BeaconSettings } from "./BeaconSettings.ts"
import * as BlsEngine from "./BlsEngine.ts"

/** The number of bytes of an update, from which the progress is computed. */
const UPDATE = 26_900

/**
 * Provides the light client of the settings, after it has followed the chain to the present. Long work shows its
 * progress on standard error.
 */
export const client = (
  settings: BeaconSettings,
  options: { readonly isQuiet: boolean; readonly isMoving?: boolean }
): Layer.Layer<
  LightClient.LightClient,
  LightClient.StartFailure | UsageError,
  FileSystem.FileSystem | Path.Path | Stdio.Stdio
> => {
  const { checkpoint, folder, maxCheckpointAge, maxHeadAge, minParticipation, network } = settings
  const [first, ...others] = settings.nodes
  const nodes = BeaconNodes.layerFetch({ network, nodes: [{ url: first }, ...others.map((url) => ({ url }))] })
  // the progress line is removed once the client is ready, before the command prints its answer
  const started = Effect.scopedWith((shown) =>
    Effect.gen(function* () {
      const progress = yield* Scope.provide(Progress.make("following the beacon chain", options), shown)
      let expected = 0n
      let done = 0n
      return yield* LightClient.make({
        checkpoint,
        maxCheckpointAge,
        maxHeadAge,
        minParticipation,
        // a command that keeps no record and gives one answer does not need the committee of a later period
        learnsAhead: folder !== undefined || options.isMoving === true,
        onProgress: ({ from, period, target }) =>
          Effect.sync(() => {
            progress.expect(Number(target - from - expected) * UPDATE)
            progress.done(Number(period - from - done) * UPDATE)
            expected = target - from
            done = period - from
          })
      })
    })
  )
  const store = folder === undefined ? TrustStore.layerMemory() : FileStore.layer({ folder })
  return Layer.effect(LightClient.LightClient, started).pipe(
    Layer.provide([nodes, store, BlsEngine.layer]),
    Layer.provide(BeaconClock.layer)
  )
}

/** The options of a trust. A quiet one shows no progress. */
export interface BeaconTrustOptions extends LightClientTrust.LightClientTrustOptions {
  readonly isQuiet: boolean
}

/**
 * Provides the trust at the present head. The head stays the same for the whole answer, even if the chain moves on
 * while the command reads.
 */
export const layer = (settings: BeaconSettings, { forks, isQuiet }: BeaconTrustOptions) =>
  trusting(frozen({ forks }), client(settings, { isQuiet }))

/**
 * Provides a trust over a light client. If the checkpoint itself is of a fork that this version does not know, no block
 * is trusted, and answers are claimed for this reason.
 */
const trusting = <E, R, RC>(
  trust: Layer.Layer<TrustedBlock, never, LightClient.LightClient | R>,
  client: Layer.Layer<LightClient.LightClient, E | LightClient.StartFailure, RC>
) =>
  Layer.provide(trust, client).pipe(
    Layer.catch((error) => {
      const fork = LightClientTrust.unknownForkOf(error)
      return fork === undefined
        ? Layer.effect(TrustedBlock, Effect.fail(error))
        : Layer.succeed(TrustedBlock, {
            resolve: () => Effect.succeed({ _tag: "Nothing", reason: LightClientReason.UnknownFork({ fork }) })
          })
    })
  )

const frozen = (
  options: LightClientTrust.LightClientTrustOptions
): Layer.Layer<TrustedBlock, never, LightClient.LightClient | Transport> =>
  Layer.effect(
    TrustedBlock,
    Effect.gen(function* () {
      const light = yield* LightClient.LightClient
      const heads = yield* Effect.cached(light.heads)
      return LightClientTrust.make({ ...light, heads }, [yield* EthClient.make], options)
    })
  )

/**
 * Provides the trust of the settings, which moves on with the chain. A command that makes the trust anew for each of its
 * nodes starts one light client for all of them.
 */
export const moving = (settings: BeaconSettings, { forks, isQuiet }: BeaconTrustOptions) =>
  trusting(LightClientTrust.layer({ forks }), shared(client(settings, { isQuiet, isMoving: true })))

/** Returns a layer that is built once, also where `Layer.fresh` builds it again. */
const shared = <A, E, R>(layer: Layer.Layer<A, E, R>) => {
  const memoMap = Layer.makeMemoMapUnsafe()
  return Layer.effectContext(Effect.flatMap(Effect.scope, (scope) => Layer.buildWithMemoMap(layer, memoMap, scope)))
}
