/**
 * Reads a range of consecutive blocks by number at the same time, before their hashes are known.
 *
 * A guess is accepted only if it has the hash that a proven block names. A valid block with another hash belongs to
 * another branch, so the caller reads the block again, by the expected hash. A block that its own hash does not prove
 * is a lie on every branch.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type { OfChain } from "../proof/ethereumChains.ts"
import { verifyBlock } from "../proof/verifyBlock.ts"

/** The blocks from number `from` on, by number, as the node returned them. */
export interface SpeculativeReads {
  readonly from: bigint
  readonly blocks: ReadonlyMap<bigint, Result.Result<Block.WithHashes | null, JsonRpcError>>
}

/**
 * Maximum number of blocks in one range. On mainnet, a block with 300 transaction hashes has about 20 kB.
 */
export const MOST = 64

/** No guesses about any block. */
export const none: SpeculativeReads = { from: 2n ** 64n, blocks: new Map() }

/** Reads a range of blocks, both ends included. */
export const read = (
  { getBlockByNumber }: Partial<Pick<EthClient.Client, "getBlockByNumber">>,
  from: bigint,
  to: bigint
): Effect.Effect<SpeculativeReads> => {
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
 * Returns the guessed block, proven by its hash; undefined if there is no guess, or if the guess has another hash.
 *
 * Fails with `RefutedError` if the node's block does not match its own hash, or has another number, and with `DecodeError`
 * if the answer is not a block.
 */
export const proven = (
  { blocks }: SpeculativeReads,
  number: bigint,
  hash: Hash32.Hash32,
  { chainId, engine, forks }: OfChain = {}
): Result.Result<Verified<Block.WithHashes> | undefined, JsonRpcError | RefutedError> => {
  const outcome = blocks.get(number)
  if (outcome === undefined) return NOTHING
  if (Result.isFailure(outcome)) {
    return outcome.failure.reason._tag === "DecodeError" ? Result.fail(outcome.failure) : NOTHING
  }
  const block = outcome.success
  if (block === null || block.hash === null) return NOTHING
  if (block.number !== number) return Result.fail(refute("block.number", number, block.number))
  const own = block.hash
  return Result.map(verifyBlock(block, own, { chainId, engine, forks }), (verdict) =>
    verdict._tag === "VERIFIED" && Hex.equals(own, hash) ? verdict : undefined
  )
}

const NOTHING = Result.succeed(undefined)
