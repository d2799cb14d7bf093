/** Uncles, proven by the sha3Uncles of the blocks that name them: all of a block's, or none. */
import * as Hex from "@plumbline/codec/Hex"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Effect from "effect/Effect"

import type * as Block from "../../Block.ts"
import type * as BlockParameter from "../../BlockParameter.ts"
import type { Refuted } from "../../Refuted.ts"
import { claim, type Verdict, type Verified } from "../../Verified.ts"
import type { Client } from "../../VerifiedEthClient.ts"
import { EMPTY_UNCLES, verifyUncle, verifyUncles } from "../../verify/uncles.ts"
import { refute } from "../refute.ts"
import { lacksMethod } from "../unwilling.ts"
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

/** How one uncle of a block is asked for. */
type Ask = (index: bigint) => Read<Block.Uncle | null>

export const make = (chain: Chain): Methods => {
  const { eth } = chain

  /** Asks about the very block that was located: by its hash, or by its number where the node knows but that way. */
  const askOf =
    ({ hash, verdict }: Found<Block.WithHashes>): Ask =>
    (index) =>
      ifLacking(eth.getUncleByBlockHashAndIndex(hash, index), () =>
        ifLacking(eth.getUncleByBlockNumberAndIndex(verdict.value.number!, index), (error) =>
          hasNone(verdict.value) ? Effect.succeed(null) : Effect.fail(error)
        )
      )

  const uncle = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    index: bigint,
    unlocated: Read<Block.Uncle | null>
  ): Effect.fn.Return<Verdict<Block.Uncle | null>, JsonRpcError | Refuted> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const ask = askOf(located)
    const asked = yield* ask(index)
    const uncles = yield* all(located, (at) => (at === index ? Effect.succeed(asked) : ask(at)))
    return settle(located.tie, yield* Effect.fromResult(verifyUncle(asked, index, uncles)))
  })

  const countOf = ({ hash, verdict }: Found<Block.WithHashes>): Read<bigint | null> =>
    ifLacking(eth.getUncleCountByBlockHash(hash), () =>
      ifLacking(eth.getUncleCountByBlockNumber(verdict.value.number!), (error) =>
        hasNone(verdict.value) ? Effect.succeed(0n) : Effect.fail(error)
      )
    )

  const count = Effect.fnUntraced(function* (
    parameter: BlockParameter.BlockParameter,
    unlocated: Read<bigint | null>
  ): Effect.fn.Return<Verdict<bigint | null>, JsonRpcError | Refuted> {
    const located = yield* chain.locate(parameter)
    if (located._tag === "Missing") return claim(yield* unlocated, located.reason)
    const [counted, uncles] = yield* Effect.all([countOf(located), all(located, askOf(located))], { concurrency: 2 })
    const proven = BigInt(uncles.value.length)
    if (counted !== proven) return yield* refute("uncle count", proven, counted)
    return settle(located.tie, makeVerified({ ...uncles, value: counted, claimed: [] }))
  })

  return {
    getUncleByBlockHashAndIndex: (hash, index) => uncle(hash, index, eth.getUncleByBlockHashAndIndex(hash, index)),
    getUncleByBlockNumberAndIndex: (block, index) =>
      uncle(block, index, eth.getUncleByBlockNumberAndIndex(block, index)),
    getUncleCountByBlockHash: (hash) => count(hash, eth.getUncleCountByBlockHash(hash)),
    getUncleCountByBlockNumber: (block) => count(block, eth.getUncleCountByBlockNumber(block))
  }
}

/** What to do where the node lacks a method: some have one of the two ways to ask, many of today have none. */
const ifLacking = <A>(read: Read<A>, instead: (error: JsonRpcError | Refuted) => Read<A>): Read<A> =>
  Effect.catch(read, (error) => (lacksMethod(error) ? instead(error) : Effect.fail(error)))

/** Of a block without uncles the header says all there is to say. */
const hasNone = (block: Block.WithHashes): boolean => Hex.equals(block.sha3Uncles, EMPTY_UNCLES)

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
