/**
 * Finds out whether the reader's trust reaches a block. A hash proves its block, but not that the block is on the
 * chain.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import { blockOf, noBlock, type NotThereError } from "./GatherEvidence.ts"
import { NetworkClients } from "./NetworkClients.ts"

/** The hash of a block, and the number in the header with this hash. */
export interface NumberedBlock {
  readonly hash: Hash32.Hash32
  readonly number: bigint
}

/** Reads a block by its hash, number or tag. The number comes from the header, not from a statement of the node. */
export const numberedBlock = Effect.fnUntraced(function* (
  asked: string
): Effect.fn.Return<NumberedBlock, JsonRpcError | RefutedError | NotThereError, NetworkClients> {
  const verdicts = yield* (yield* NetworkClients).verdicts
  const { hash } = yield* blockOf(asked)
  const { value } = yield* verdicts.getBlockByHash(hash)
  return value === null || value.number === null ? yield* noBlock(asked) : { hash, number: value.number }
})

/**
 * True if a block is the block that the reader trusts, or is on the chain of that block. `trust` is the hash that the
 * reader trusts. Without it the answer is false, even for a block that was requested by its hash, because that hash may
 * come from the node.
 */
export const reaches = Effect.fnUntraced(function* (trust: string | undefined, { hash, number }: NumberedBlock) {
  if (trust === undefined) return false
  if (trust.toLowerCase() === hash) return true
  const verdicts = yield* (yield* NetworkClients).verdicts
  const verdict = yield* verdicts.getBlockByNumber(number)
  return verdict._tag === "VERIFIED" && verdict.value?.hash === hash
})
