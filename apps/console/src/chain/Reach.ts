/**
 * Finds out whether the reader's trust reaches a block. A hash proves its block, but not that the block is on the
 * chain.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Effect from "effect/Effect"

import { NetworkClients } from "./NetworkClients.ts"

/**
 * True if a block is the block that the reader trusts, or is on the chain of that block. `trust` is the hash that the
 * reader trusts. Without it the answer is false, even for a block that was requested by its hash, because that hash may
 * come from the node.
 */
export const reaches = Effect.fnUntraced(function* (
  trust: string | undefined,
  { hash, number }: { readonly hash: Hash32.Hash32; readonly number: bigint }
) {
  if (trust === undefined) return false
  if (trust.toLowerCase() === hash) return true
  const verdicts = yield* (yield* NetworkClients).verdicts
  const verdict = yield* verdicts.getBlockByNumber(number)
  return verdict._tag === "VERIFIED" && verdict.value?.hash === hash
})
