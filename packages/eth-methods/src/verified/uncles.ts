/** Reads uncles and proves them by the sha3Uncles of their block: all uncles of a block, or none. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Proven from "@plumbline/verdict/prove/Proven"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import { claim, type Verdict, type Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import { lacksMethod } from "../client/unwilling.ts"
import type * as Block from "../model/Block.ts"
import type * as BlockParameter from "../model/BlockParameter.ts"
import { verifyUncle, verifyUncles } from "../proof/uncles.ts"
import { EMPTY_UNCLES } from "../rlp/empty.ts"
import type { Client, Read } from "./client.ts"
import type { Chain, Found } from "./locate.ts"
import { type Failure, moved, steady } from "./moved.ts"
import { settle } from "./trustLink.ts"

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
export type Ask = (index: bigint) => Read<Block.Uncle | null>

/** Records if the node was asked by a block's number. The answer may then be about another block with that number. */
interface Way {
  byNumber: boolean
}

export const make = (chain: Chain): Methods => {
  const { eth } = chain

  const uncle = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    index: bigint,
    unlocated: Read<Block.Uncle | null>
  ): Effect.fn.Return<Verdict<Block.Uncle | null>, Failure> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const way: Way = { byNumber: false }
    const ask = askOf(eth, located.hash, located.verdict.value, way)
    const asked = yield* ask(index)
    const uncles = all(located.verdict as Verified<Block.WithHashes>, (at) =>
      at === index ? Effect.succeed(asked) : ask(at)
    )
    const verdict = Effect.flatMap(uncles, (uncles) => Effect.fromResult(verifyUncle(asked, index, uncles)))
    return settle(located.link, yield* unlessAnother(verdict, located, way))
  })

  const countOf = ({ hash, verdict }: Found<Block.WithHashes>, way: Way): Read<bigint | null> =>
    ifLacking(eth.getUncleCountByBlockHash(hash), () => {
      way.byNumber = true
      return ifLacking(eth.getUncleCountByBlockNumber(verdict.value.number!), (error) =>
        hasNone(verdict.value) ? Effect.succeed(0n) : Effect.fail(error)
      )
    })

  const count = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    unlocated: Read<bigint | null>
  ): Effect.fn.Return<Verdict<bigint | null>, Failure> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const way: Way = { byNumber: false }
    const block = located.verdict as Verified<Block.WithHashes>
    const both = Effect.all([countOf(located, way), all(block, askOf(eth, located.hash, block.value, way))], {
      concurrency: 2
    })
    const verdict = Effect.flatMap(both, ([counted, uncles]): Read<Verified<bigint | null>> => {
      const proven = BigInt(uncles.value.length)
      return counted === proven
        ? Effect.succeed(Proven.make({ value: counted, anchor: uncles.anchor, proven: uncles.proven, claimed: [] }))
        : Effect.fail(refute("uncle count", proven, counted))
    })
    return settle(located.link, yield* unlessAnother(verdict, located, way))
  })

  return {
    getUncleByBlockHashAndIndex: (hash, index) =>
      steady("eth_getUncleByBlockHashAndIndex", uncle(hash, index, eth.getUncleByBlockHashAndIndex(hash, index))),
    getUncleByBlockNumberAndIndex: (block, index) =>
      steady("eth_getUncleByBlockNumberAndIndex", uncle(block, index, eth.getUncleByBlockNumberAndIndex(block, index))),
    getUncleCountByBlockHash: (hash) =>
      steady("eth_getUncleCountByBlockHash", count(hash, eth.getUncleCountByBlockHash(hash))),
    getUncleCountByBlockNumber: (block) =>
      steady("eth_getUncleCountByBlockNumber", count(block, eth.getUncleCountByBlockNumber(block)))
  }
}

/** Asks about the located block: by its hash, or by its number if the node only supports that. */
export const askOf =
  (eth: EthClient.Client, hash: Hash32.Hash32, block: Block.Block, way: Way): Ask =>
  (index) =>
    ifLacking(eth.getUncleByBlockHashAndIndex(hash, index), () => {
      way.byNumber = true
      return ifLacking(eth.getUncleByBlockNumberAndIndex(block.number!, index), (error) =>
        hasNone(block) ? Effect.succeed(null) : Effect.fail(error)
      )
    })

/** Turns a refutation into `Moved` if the node was asked by number: the answer may then be about another block. */
export const unlessAnother = <A>(
  read: Read<A>,
  { hash, verdict }: Pick<Found<Block.Block>, "hash" | "verdict">,
  way: Way
): Effect.Effect<A, Failure> =>
  Effect.catchTag(read, "Refuted", (refuted): Effect.Effect<never, Failure> =>
    Effect.fail(
      way.byNumber ? moved(`block ${verdict.value.number} was ${hash}, and ${refuted.check} does not fit it`) : refuted
    )
  )

/**
 * Falls back if the node lacks the method. Some nodes support only one of the two ways to ask. Many current nodes
 * support neither.
 */
const ifLacking = <A>(read: Read<A>, instead: (error: JsonRpcError | Refuted) => Read<A>): Read<A> =>
  Effect.catch(read, (error) => (lacksMethod(error) ? instead(error) : Effect.fail(error)))

/** True if the header says that the block has no uncles, which needs no further call. */
const hasNone = (block: Block.Block): boolean => Hex.equals(block.sha3Uncles, EMPTY_UNCLES)

/**
 * Reads all uncles of a block. Their number is the length of the block's `uncles`, or follows from the first answer
 * that is null. sha3Uncles proves this number.
 */
export const all = Effect.fnUntraced(function* (
  block: Verified<Block.Block>,
  ask: Ask
): Effect.fn.Return<Verified<ReadonlyArray<Block.Uncle>>, JsonRpcError | Refuted> {
  const { uncles: hashes } = block.value
  const uncles: Array<Block.Uncle> = []
  while (uncles.length < Math.min(hashes?.length ?? MAX_UNCLES, MAX_UNCLES)) {
    const next = yield* ask(BigInt(uncles.length))
    if (next === null) break
    uncles.push(next)
  }
  return yield* Effect.fromResult(verifyUncles(uncles, block))
})
