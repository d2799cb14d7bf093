/** Reads uncles and proves them by the sha3Uncles of their block: all uncles of a block, or none. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import { lacksMethod } from "../client/unsupportedReads.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import { verifyUncle, verifyUncles } from "../proof/verifyUncles.ts"
import { EMPTY_UNCLES } from "../rlp/emptyRoots.ts"
import type { BlockLocator, FoundBlock } from "./blockLocator.ts"
import { type ReorgFailure, reorgMismatch, retryOnReorg } from "./reorgRetry.ts"
import { settle } from "./trustLink.ts"
import type { Client, VerdictRead } from "./verdictClient.ts"

type Methods = Pick<
  Client,
  | "getUncleByBlockHashAndIndex"
  | "getUncleByBlockNumberAndIndex"
  | "getUncleCountByBlockHash"
  | "getUncleCountByBlockNumber"
>

/** Maximum number of uncles of a block (Yellow Paper, section 11.1). */
const MAX_UNCLES = 2

/** Reads one uncle of a block. */
export type UncleRead = (index: bigint) => VerdictRead<Block.Uncle | null>

/** Records if the node was asked by a block's number. The answer may then be about another block with that number. */
interface Way {
  byNumber: boolean
}

export const make = (chain: BlockLocator): Methods => {
  const { eth } = chain

  const uncle = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    index: bigint,
    unlocated: VerdictRead<Block.Uncle | null>
  ): Effect.fn.Return<Verdict<Block.Uncle | null>, ReorgFailure> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const way: Way = { byNumber: false }
    const ask = askOf(eth, located.hash, located.verdict.value, way)
    const asked = yield* ask(index)
    const uncles = all(
      located.verdict as Verified<Block.WithHashes>,
      (at) => (at === index ? Effect.succeed(asked) : ask(at)),
      chain
    )
    const verdict = Effect.flatMap(uncles, (uncles) => Effect.fromResult(verifyUncle(asked, index, uncles)))
    return settle(located.link, yield* unlessAnother(verdict, located, way))
  })

  const countOf = ({ hash, verdict }: FoundBlock<Block.WithHashes>, way: Way): VerdictRead<bigint | null> =>
    ifLacking(eth.getUncleCountByBlockHash(hash), () => {
      way.byNumber = true
      return ifLacking(eth.getUncleCountByBlockNumber(verdict.value.number!), (error) =>
        hasNone(verdict.value) ? Effect.succeed(0n) : Effect.fail(error)
      )
    })

  const count = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    unlocated: VerdictRead<bigint | null>
  ): Effect.fn.Return<Verdict<bigint | null>, ReorgFailure> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const way: Way = { byNumber: false }
    const block = located.verdict as Verified<Block.WithHashes>
    const both = Effect.all([countOf(located, way), all(block, askOf(eth, located.hash, block.value, way), chain)], {
      concurrency: 2
    })
    const verdict = Effect.flatMap(both, ([counted, uncles]): VerdictRead<Verified<bigint | null>> => {
      const proven = BigInt(uncles.value.length)
      return counted === proven
        ? Effect.succeed(Proven.make({ value: counted, anchor: uncles.anchor, proven: uncles.proven, claimed: [] }))
        : Effect.fail(refute("uncle count", proven, counted))
    })
    return settle(located.link, yield* unlessAnother(verdict, located, way))
  })

  return {
    getUncleByBlockHashAndIndex: (hash, index) =>
      retryOnReorg("eth_getUncleByBlockHashAndIndex", uncle(hash, index, eth.getUncleByBlockHashAndIndex(hash, index))),
    getUncleByBlockNumberAndIndex: (block, index) =>
      retryOnReorg(
        "eth_getUncleByBlockNumberAndIndex",
        uncle(block, index, eth.getUncleByBlockNumberAndIndex(block, index))
      ),
    getUncleCountByBlockHash: (hash) =>
      retryOnReorg("eth_getUncleCountByBlockHash", count(hash, eth.getUncleCountByBlockHash(hash))),
    getUncleCountByBlockNumber: (block) =>
      retryOnReorg("eth_getUncleCountByBlockNumber", count(block, eth.getUncleCountByBlockNumber(block)))
  }
}

/** Asks about the located block: by its hash, or by its number if the node only supports that. */
export const askOf =
  (eth: EthClient.Client, hash: Hash32.Hash32, block: Block.Block, way: Way): UncleRead =>
  (index) =>
    ifLacking(eth.getUncleByBlockHashAndIndex(hash, index), () => {
      way.byNumber = true
      return ifLacking(eth.getUncleByBlockNumberAndIndex(block.number!, index), (error) =>
        hasNone(block) ? Effect.succeed(null) : Effect.fail(error)
      )
    })

/** Turns a refutation into `Moved` if the node was asked by number: the answer may then be about another block. */
export const unlessAnother = <A>(
  read: VerdictRead<A>,
  { hash, verdict }: Pick<FoundBlock<Block.Block>, "hash" | "verdict">,
  way: Way
): Effect.Effect<A, ReorgFailure> =>
  Effect.catchTag(read, "RefutedError", (refuted): Effect.Effect<never, ReorgFailure> =>
    Effect.fail(
      way.byNumber
        ? reorgMismatch(`block ${verdict.value.number} was ${hash}, and ${refuted.check} does not fit it`)
        : refuted
    )
  )

/**
 * Falls back if the node lacks the method. Some nodes support only one of the two ways to ask. Many current nodes
 * support neither.
 */
const ifLacking = <A>(
  read: VerdictRead<A>,
  instead: (error: JsonRpcError | RefutedError) => VerdictRead<A>
): VerdictRead<A> => Effect.catch(read, (error) => (lacksMethod(error) ? instead(error) : Effect.fail(error)))

/** True if the header says that the block has no uncles, which needs no further call. */
const hasNone = (block: Block.Block): boolean => Hex.equals(block.sha3Uncles, EMPTY_UNCLES)

/**
 * Reads all uncles of a block. Their number is the length of the block's `uncles`, or follows from the first answer
 * that is null. sha3Uncles proves this number.
 */
export const all = Effect.fnUntraced(function* (
  block: Verified<Block.Block>,
  ask: UncleRead,
  chain: Pick<BlockLocator, "forks">
): Effect.fn.Return<Verified<ReadonlyArray<Block.Uncle>>, JsonRpcError | RefutedError> {
  const { uncles: hashes } = block.value
  const uncles: Array<Block.Uncle> = []
  while (uncles.length < Math.min(hashes?.length ?? MAX_UNCLES, MAX_UNCLES)) {
    const next = yield* ask(BigInt(uncles.length))
    if (next === null) break
    uncles.push(next)
  }
  return yield* Effect.fromResult(verifyUncles(uncles, block, chain))
})
