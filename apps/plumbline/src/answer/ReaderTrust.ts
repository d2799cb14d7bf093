/**
 * The trust of a reader: the hash of a block that the reader knows to be on the chain (`--trust`), a light client, or the
 * parent chain of a rollup (`--l1`). A command reads it once.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as LaterForks from "@plumbline/eth-methods/model/LaterForks"
import * as TrustedBlock from "@plumbline/eth-methods/trust/TrustedBlock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as BeaconSettings from "../beacon/BeaconSettings.ts"
import * as RollupFlags from "../rollup/RollupFlags.ts"
import type { RollupTrustFlags } from "../rollup/RollupTrust.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as BlockReference from "./BlockReference.ts"

/** The trusted hash, if there is one. */
export type ReaderTrust = Hash32.Hash32 | undefined

export const parse = ({ trust }: { readonly trust: Option.Option<string> }): Result.Result<ReaderTrust, UsageError> =>
  Option.match(trust, {
    onNone: () => Result.succeed(undefined),
    onSome: (text) => BlockReference.hash(text, "--trust")
  })

/** The flags that `layer` reads. */
export type ReaderTrustFlags = RollupTrustFlags

/**
 * Returns the trust for a client's answers: the hash; or the settled block of a rollup; or the light client of the flags,
 * the service or the environment; or nothing. `isMoving` lets the light client follow the chain, for a program that keeps
 * running. `checkpoint` is the light client's checkpoint, and `chainId` is the chain of its network, or the rollup.
 * `rollup` has the rollup's name, the trusted block of L1 if it is a hash, and the weaker state that the reader accepts.
 */
export const layer = Effect.fnUntraced(function* (
  trust: ReaderTrust,
  flags: ReaderTrustFlags,
  { forks, isMoving = false }: { readonly forks?: LaterForks.LaterForks | undefined; readonly isMoving?: boolean } = {}
) {
  if (RollupFlags.isAsked(flags)) {
    if (trust !== undefined) {
      return yield* new UsageError({
        problem:
          "give either --trust <hash> of a block of the chain, or --l1 with a trust in the parent chain, not both"
      })
    }
    const Rollup = yield* Effect.promise(() => import("../rollup/RollupTrust.ts"))
    const accept = Option.getOrUndefined(flags.accept)
    const { chain, checkpoint, l1Trust, layer } = yield* Rollup.layer(flags, { forks, isMoving })
    return { layer, checkpoint, chainId: chain.chainId, rollup: { name: chain.name, l1Trust, accept } }
  }
  if (trust !== undefined) {
    return BeaconSettings.isAsked(flags)
      ? yield* new UsageError({ problem: "give either --trust <hash>, or --checkpoint and --beacon, not both" })
      : { layer: TrustedBlock.layerPinned(trust), checkpoint: undefined, chainId: undefined, rollup: undefined }
  }
  const settings = yield* BeaconSettings.resolve(flags)
  if (settings === undefined) {
    return { layer: TrustedBlock.layerNone(), checkpoint: undefined, chainId: undefined, rollup: undefined }
  }
  const Beacon = yield* Effect.promise(() => import("../beacon/BeaconTrust.ts"))
  const layer = Beacon[isMoving ? "moving" : "layer"](settings, { forks, isQuiet: flags.json })
  return { layer, checkpoint: settings.checkpoint, chainId: settings.network.chainId, rollup: undefined }
})
