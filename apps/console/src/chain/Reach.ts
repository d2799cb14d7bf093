/**
 * Finds out whether the reader's trust reaches a block. A hash proves its block, but not that the block is on the
 * chain.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type * as Anchor from "@plumbline/verdict/Anchor"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import { blockOf, noBlock, type NotThereError } from "./GatherEvidence.ts"
import { NetworkClients } from "./NetworkClients.ts"

/** The hash of a block, and the number in the header with this hash. */
export interface NumberedBlock {
  readonly hash: Hash32.Hash32
  readonly number: bigint
}

/** A block with its time, in seconds since 1970. */
export interface TimedBlock extends NumberedBlock {
  readonly timestamp: bigint
}

/** Reads a block by its hash, number or tag. Number and time come from the header, not from a statement of the node. */
export const numberedBlock = Effect.fnUntraced(function* (
  asked: string
): Effect.fn.Return<TimedBlock, JsonRpcError | RefutedError | NotThereError, NetworkClients> {
  const verdicts = yield* (yield* NetworkClients).verdicts
  const { hash } = yield* blockOf(asked)
  const { value } = yield* verdicts.getBlockByHash(hash)
  if (value === null || value.number === null) return yield* noBlock(asked)
  return { hash, number: value.number, timestamp: value.timestamp }
})

/**
 * Returns the anchor from which a block follows: the block that the reader trusts, or a block of whose chain it is.
 * `trust` is the hash or the checkpoint that the reader trusts. Without it the answer is undefined, even for a block that
 * was requested by its hash, because that hash may come from the node.
 */
export const anchorOf = Effect.fnUntraced(function* (
  trust: string | undefined,
  { hash, number }: NumberedBlock
): Effect.fn.Return<Anchor.Anchor | undefined, JsonRpcError | RefutedError, NetworkClients> {
  if (trust === undefined) return undefined
  if (trust.toLowerCase() === hash) return { _tag: "Block", hash }
  const verdicts = yield* (yield* NetworkClients).verdicts
  const verdict = yield* verdicts.getBlockByNumber(number)
  return verdict._tag === "VERIFIED" && verdict.value?.hash === hash ? verdict.anchor : undefined
})

/** True if a block is the block that the reader trusts, or is on the chain of that block. */
export const reaches = (trust: string | undefined, block: NumberedBlock) =>
  Effect.map(anchorOf(trust, block), (anchor) => anchor !== undefined)
