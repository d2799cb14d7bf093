/** The trust in a rollup, from a block of its parent chain. Loaded only by commands that ask for it. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Batching from "@plumbline/jsonrpc-core/middleware/Batching"
import * as Transport from "@plumbline/jsonrpc-core/transport/Transport"
import * as OpStackTrust from "@plumbline/op-stack/trust/OpStackTrust"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"

import * as BeaconClock from "../beacon/BeaconClock.ts"
import * as BeaconSettings from "../beacon/BeaconSettings.ts"
import type { ChainFlags } from "../node/ChainFlags.ts"
import * as ChainNode from "../node/ChainNode.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as RollupChain from "./RollupChain.ts"
import type { RollupFlags } from "./RollupFlags.ts"

/** The flags that `layer` reads. */
export type RollupTrustFlags = RollupFlags & BeaconSettings.LightClientFlags & ChainFlags & { readonly json: boolean }

/**
 * Returns the trust in the rollup, the rollup itself, and the checkpoint of the light client of L1, if there is one. The
 * later forks are those of both chains: a chain without a fork has no header with its fields.
 */
export const layer = Effect.fnUntraced(function* (
  flags: RollupTrustFlags,
  { forks, isMoving }: { readonly forks: LaterForks.LaterForks | undefined; readonly isMoving: boolean }
) {
  const { l1, l1Trust, rollup } = flags
  const accept = Option.getOrUndefined(flags.accept)
  if (Option.isNone(l1)) {
    return yield* new UsageError({
      problem: "--l1-trust, --rollup and --accept need a node of the parent chain: name one with --l1 <url>"
    })
  }
  if (Option.isNone(rollup)) {
    return yield* new UsageError({
      problem: "--l1 needs the chain: name it with --rollup, by its name, its id or a file"
    })
  }
  const chain = yield* RollupChain.named(rollup.value)
  const trusted = <E, R>(l1: Layer.Layer<Transport.Transport | TrustedBlock.TrustedBlock, E, R>) =>
    // $PLUMBLINE_NOW also decides the age of a block
    Layer.provide(OpStackTrust.layer({ chain, l1, l1Forks: forks, accept }), BeaconClock.layer)
  // without --url the light client would be that of the service's own beacon chain
  const l1Flags = { ...flags, url: l1, network: Option.none(), urlFlag: "--l1" }
  const node = Transport.through(
    yield* isMoving ? ChainNode.lasting(l1Flags) : ChainNode.transport(l1Flags),
    Batching.make()
  )
  if (Option.isSome(l1Trust)) {
    if (BeaconSettings.isAsked(flags)) {
      return yield* new UsageError({ problem: "give either --l1-trust <hash>, or --checkpoint and --beacon, not both" })
    }
    const hash = yield* Effect.mapError(
      Effect.fromResult(Hash32.fromHex(l1Trust.value)),
      () => new UsageError({ problem: "--l1-trust must be the hash of a block, which is 0x and 64 hex digits" })
    )
    const parent = Layer.merge(node, TrustedBlock.layerPinned(hash))
    return { layer: trusted(parent), chain, l1Trust: hash, checkpoint: undefined }
  }
  const settings = yield* BeaconSettings.resolve(l1Flags)
  if (settings === undefined) {
    return yield* new UsageError({
      problem: "--l1 needs a trust in the parent chain: give --l1-trust <hash>, or --checkpoint and --beacon"
    })
  }
  const { chainId } = settings.network
  if (chainId !== chain.l1ChainId) {
    return yield* new UsageError({
      problem: `the parent chain of ${chain.name} is ${chain.l1ChainId}, but the light client's network is ${chainId}`
    })
  }
  const Beacon = yield* Effect.promise(() => import("../beacon/BeaconTrust.ts"))
  const light = Beacon[isMoving ? "moving" : "layer"](settings, { forks, isQuiet: flags.json })
  const parent = Layer.merge(node, Layer.provide(light, node))
  const { checkpoint } = settings
  return { layer: trusted(parent), chain, l1Trust: undefined, checkpoint }
})
