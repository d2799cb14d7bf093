/**
 * Hashes of pending transactions, which only the node vouches for. They are pushed, or read from the pending block if
 * the node does not push. Each hash is sent once.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import * as FanOut from "./fanOut.ts"
import * as Signals from "./signals.ts"

/** Maximum number of remembered hashes, the latest ones, because a node may send a hash repeatedly. */
const MAX_KNOWN = 16_384

/** Hashes, or the number of hashes that a slow listener missed. */
export type PendingHashesEvent =
  | { readonly _tag: "Pending"; readonly hash: Hash32.Hash32 }
  | { readonly _tag: "Lost"; readonly count: number }

export const make = (
  options: Signals.SignalSource & { readonly scope: Scope.Scope; readonly eth: EthClient.Client }
): FanOut.AddListener<PendingHashesEvent, never> => {
  const ofBlock = Effect.matchEffect(options.eth.getBlockByNumber("pending"), {
    // a node without a pending block has no hashes to add
    onFailure: () => Effect.succeed<ReadonlyArray<Hash32.Hash32>>([]),
    onSuccess: (block) => Effect.succeed(block?.transactions ?? [])
  })
  return FanOut.make<PendingHashesEvent, never>({
    scope: options.scope,
    start: (emit) =>
      Effect.sync(() => {
        const known = new Set<Hash32.Hash32>()
        /** False for the first pending block: its transactions were pending before the first listener came. */
        let isNew = false
        const tell = (hash: Hash32.Hash32): void => {
          if (known.has(hash)) return
          known.add(hash)
          if (known.size > MAX_KNOWN) known.delete(known.values().next().value!)
          if (isNew) emit({ _tag: "Pending", hash })
        }
        return Stream.runForEach(Signals.ofPending(options), (signal) =>
          Effect.map(signal === undefined ? ofBlock : Effect.succeed([signal]), (hashes) => {
            isNew ||= signal !== undefined
            for (const hash of hashes) tell(Hash32.fromHexUnsafe(hash.toLowerCase()))
            isNew = true
          })
        )
      }),
    overflow: (waiting) => ({
      _tag: "Lost",
      count: waiting.reduce((sum, event) => sum + (event._tag === "Lost" ? event.count : 1), 0)
    })
  })
}
