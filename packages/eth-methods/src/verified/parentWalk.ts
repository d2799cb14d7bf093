/** Proves the blocks before a proven block, newest first, by parent hashes. The blocks are read in parts, ahead. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"

import type * as Block from "../model/Block.ts"
import * as EthReason from "../proof/EthReason.ts"
import * as SpeculativeReads from "../trust/speculativeReads.ts"
import type { BlockLocator } from "./blockLocator.ts"

/** Blocks before a proven block, and the reason why the walk ended early: a fault, or a block that cannot be proven. */
export interface Parents {
  readonly blocks: ReadonlyArray<Verified<Block.WithHashes>>
  readonly end: Result.Result<Reason, JsonRpcError | RefutedError> | undefined
}

/** Reads the blocks of a range that come before the given block, at most `SpeculativeReads.MOST` of them. */
export const before = (
  { eth }: BlockLocator,
  from: bigint,
  number: bigint
): Effect.Effect<SpeculativeReads.SpeculativeReads> => {
  const least = number - BigInt(SpeculativeReads.MOST)
  return SpeculativeReads.read(eth, least > from ? least : from, number - 1n)
}

/**
 * Returns the blocks of a range before its end, newest first, in parts of at most `SpeculativeReads.MOST`. The first
 * part was read with the end. Some of the further parts are read at the same time.
 */
export const partsOf = (
  chain: BlockLocator,
  from: bigint,
  to: bigint,
  first: SpeculativeReads.SpeculativeReads
): Stream.Stream<SpeculativeReads.SpeculativeReads> =>
  Stream.concat(
    Stream.succeed(first),
    Stream.fromIterable(endsOf(from, to - BigInt(SpeculativeReads.MOST))).pipe(
      Stream.rechunk(1),
      Stream.mapEffect((number) => before(chain, from, number), { concurrency: PARTS })
    )
  )

/** Maximum number of parts of a range whose headers are read at the same time. */
const PARTS = 4

/** Returns the numbers after which the further parts of a range begin, downwards. */
function* endsOf(from: bigint, to: bigint): Generator<bigint> {
  for (let number = to; number > from; number -= BigInt(SpeculativeReads.MOST)) yield number
}

/**
 * Reads the blocks before a proven block, and returns them newest first. It returns all blocks that `guesses` has, but
 * at least one block.
 */
export const parentsOf = Effect.fnUntraced(function* (
  chain: BlockLocator,
  child: Verified<Block.WithHashes>,
  from: bigint,
  guesses: SpeculativeReads.SpeculativeReads
): Effect.fn.Return<Parents> {
  const blocks: Array<Verified<Block.WithHashes>> = []
  let hash = child.value.parentHash
  for (let number = child.value.number! - 1n; number >= from; number--) {
    if (number < guesses.from && blocks.length > 0) break
    const guess = SpeculativeReads.proven(guesses, number, hash, chain)
    const isNone = Result.isSuccess(guess) && guess.success === undefined
    const read = isNone ? yield* Effect.result(chain.byHash(hash)) : guess
    if (Result.isFailure(read)) return { blocks, end: Result.fail(read.failure) }
    const parent = read.success
    if (parent == null) return { blocks, end: Result.succeed(EthReason.ParentUnknown({ number, hash })) }
    if (parent._tag === "CLAIMED") {
      return {
        blocks,
        end: Result.succeed(EthReason.AncestorUnprovable({ number, cause: parent.claimed[0]!.reason }))
      }
    }
    if (parent.value.number !== number) {
      return { blocks, end: Result.fail(refute("block.number", number, parent.value.number)) }
    }
    blocks.push(parent)
    hash = parent.value.parentHash
  }
  return { blocks, end: undefined }
})
