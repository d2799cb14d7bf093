/** Uncles, proven by the sha3Uncles of the blocks that name them: all of a block's, or none. */
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Effect from "effect/Effect"

import type * as Block from "../../Block.ts"
import type * as BlockParameter from "../../BlockParameter.ts"
import type { Refuted } from "../../Refuted.ts"
import { claim, type Verdict, type Verified } from "../../Verified.ts"
import type { Client } from "../../VerifiedEthClient.ts"
import { verifyUncle, verifyUncles } from "../../verify/uncles.ts"
import { refute } from "../refute.ts"
import { makeVerified } from "../verified.ts"
import { type Chain, type Found, type Read, settle } from "./chain.ts"

type Methods = Pick<
  Client,
  | "getUncleByBlockHashAndIndex"
  | "getUncleByBlockNumberAndIndex"
  | "getUncleCountByBlockHash"
  | "getUncleCountByBlockNumber"
>

/** The most uncles of a block (Yellow Paper, section 11.1). */
const MAX_UNCLES = 2

/** How the caller's kind of method asks for one uncle of a block. */
type Ask = (index: bigint) => Read<Block.Uncle | null>

export const make = (chain: Chain): Methods => {
  const { eth } = chain
  const byHash =
    (hash: Parameters<Client["getUncleByBlockHashAndIndex"]>[0]): Ask =>
    (index) =>
      eth.getUncleByBlockHashAndIndex(hash, index)
  // a tag has become a number by then: two questions about a tag could be about two blocks
  const byNumber =
    (located: Found<Block.WithHashes>): Ask =>
    (index) =>
      eth.getUncleByBlockNumberAndIndex(located.verdict.value.number!, index)

  const uncle = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    index: bigint,
    asking: (located: Found<Block.WithHashes>) => Ask,
    unlocated: Read<Block.Uncle | null>
  ): Effect.fn.Return<Verdict<Block.Uncle | null>, JsonRpcError | Refuted> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const ask = asking(located)
    const asked = yield* ask(index)
    const uncles = yield* all(located, (at) => (at === index ? Effect.succeed(asked) : ask(at)))
    return settle(located.tie, yield* Effect.fromResult(verifyUncle(asked, index, uncles)))
  })

  const count = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    asking: (located: Found<Block.WithHashes>) => Ask,
    ask: Read<bigint | null>
  ): Effect.fn.Return<Verdict<bigint | null>, JsonRpcError | Refuted> {
    const [counted, located] = yield* Effect.all([ask, chain.locate(parameter)], { concurrency: 2 })
    if (located._tag === "Missing") return claim(counted, located.reason)
    const uncles = yield* all(located, asking(located))
    const proven = BigInt(uncles.value.length)
    if (counted !== proven) return yield* refute("uncle count", proven, counted)
    return settle(located.tie, makeVerified({ ...uncles, value: counted, claimed: [] }))
  })

  return {
    getUncleByBlockHashAndIndex: (hash, index) =>
      uncle(hash, index, () => byHash(hash), eth.getUncleByBlockHashAndIndex(hash, index)),
    getUncleByBlockNumberAndIndex: (block, index) =>
      uncle(block, index, byNumber, eth.getUncleByBlockNumberAndIndex(block, index)),
    getUncleCountByBlockHash: (hash) => count(hash, () => byHash(hash), eth.getUncleCountByBlockHash(hash)),
    getUncleCountByBlockNumber: (block) => count(block, byNumber, eth.getUncleCountByBlockNumber(block))
  }
}

/** All uncles of a block. How many, the node says in the block or shows by an answer of null; sha3Uncles proves it. */
const all = Effect.fnUntraced(function* (
  located: Found<Block.WithHashes>,
  ask: Ask
): Effect.fn.Return<Verified<ReadonlyArray<Block.Uncle>>, JsonRpcError | Refuted> {
  const block = located.verdict as Verified<Block.WithHashes>
  const { uncles: hashes } = block.value
  const uncles: Array<Block.Uncle> = []
  while (uncles.length < Math.min(hashes?.length ?? MAX_UNCLES, MAX_UNCLES)) {
    const next = yield* ask(BigInt(uncles.length))
    if (next === null) break
    uncles.push(next)
  }
  return yield* Effect.fromResult(verifyUncles(uncles, block))
})
