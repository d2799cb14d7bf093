/**
 * Blocks of a stretch of the chain, asked for by their numbers at the same time, before their hashes are known.
 *
 * A guess is believed only under the hash that a proven block names. A block that is true under another hash belongs to
 * another branch, so the caller reads it again, by the hash. A block that its own hash does not prove is a lie on every
 * branch.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import { verifyBlock } from "../proof/block.ts"

/** Blocks by number, from the number `from` on, as the node gave them. */
export interface Guesses {
  readonly from: bigint
  readonly blocks: ReadonlyMap<bigint, Result.Result<Block.WithHashes | null, JsonRpcError>>
}

/**
 * Maximum number of blocks of one stretch: some 20 kB each on mainnet, where a block has 300 hashes of transactions.
 */
export const MOST = 64

/** No guesses about any block. */
export const none: Guesses = { from: 2n ** 64n, blocks: new Map() }

/** Reads a stretch of blocks, both ends included. */
export const read = (
  { getBlockByNumber }: Partial<Pick<EthClient.Client, "getBlockByNumber">>,
  from: bigint,
  to: bigint
): Effect.Effect<Guesses> => {
  if (getBlockByNumber === undefined || from > to) return Effect.succeed(none)
  const numbers = Array.from({ length: Number(to - from) + 1 }, (_, i) => to - BigInt(i))
  const blocks = Effect.forEach(
    numbers,
    (number) => Effect.map(Effect.result(getBlockByNumber(number)), (block) => [number, block] as const),
    { concurrency: "unbounded" }
  )
  return Effect.map(blocks, (entries) => ({ from, blocks: new Map(entries) }))
}

/**
 * Returns the guess about a block, proven by its hash; undefined if there is none, or it is another block.
 *
 * Fails with `Refuted` if the node's block of this number is not what its own hash says, or has another number, and
 * with `DecodeError` if it is not a block.
 */
export const proven = (
  { blocks }: Guesses,
  number: bigint,
  hash: Hash32.Hash32
): Result.Result<Verified<Block.WithHashes> | undefined, JsonRpcError | Refuted> => {
  const outcome = blocks.get(number)
  if (outcome === undefined) return NOTHING
  if (Result.isFailure(outcome)) {
    return outcome.failure.reason._tag === "DecodeError" ? Result.fail(outcome.failure) : NOTHING
  }
  const block = outcome.success
  if (block === null || block.hash === null) return NOTHING
  if (block.number !== number) return Result.fail(refute("block.number", number, block.number))
  const own = block.hash
  return Result.map(verifyBlock(block, own), (verdict) =>
    verdict._tag === "VERIFIED" && Hex.equals(own, hash) ? verdict : undefined
  )
}

const NOTHING = Result.succeed(undefined)
