/** Proves whole blocks of the fixtures, with all their content. */
import { assert } from "@effect/vitest"
import type { Hex } from "@plumbline/codec"
import { Ancestry, type Block, type BlockRlp, Verify } from "@plumbline/eth-methods"
import { RefutedError, type Verdict } from "@plumbline/verdict"
import { Effect, Result } from "effect"

import { bytes } from "./fixtures.ts"

/** Reads consecutive blocks. Each block is an RLP list, and the head of the list holds the length of the list. */
export const blocksIn = (file: string): ReadonlyArray<Uint8Array> => {
  const all = bytes(file)
  const out: Array<Uint8Array> = []
  for (let at = 0; at < all.length;) {
    const width = all[at]! - 0xf7
    const size = all.subarray(at + 1, at + 1 + width).reduce((sum, byte) => sum * 256 + byte, 0)
    out.push(all.subarray(at, at + 1 + width + size))
    at += 1 + width + size
  }
  return out
}

/** Asserts that a result is proven. Only fields of these names may be claimed. */
export const verified = <A>(
  result: Result.Result<Verdict.Verdict<A>, RefutedError>,
  claimable: ReadonlyArray<string> = []
): Verdict.Verified<A> => {
  const verdict = Result.getOrThrow(result)
  assert.deepStrictEqual(
    verdict.claimed.filter(({ field }) => !claimable.includes(field)),
    []
  )
  return verdict._tag === "VERIFIED" ? verdict : assert.fail("a claim")
}

/** The fields that a transaction alone cannot prove: its place, and the values that follow from its place. */
export const ofPlace = ["blockHash", "blockNumber", "transactionIndex", "blockTimestamp", "gasPrice"]

/**
 * Proves a block from RLP. The hash of the header's bytes proves the header, and the roots in the header prove the
 * bodies. Also proves the uncles, each transaction by its own hash, and that a block without transactions has no
 * receipts.
 */
export const proveWhole = ({
  block,
  uncles
}: BlockRlp.WholeBlock): Result.Result<Verdict.Verified<Block.WithTransactions>, RefutedError> => {
  // the blocks are of Ethereum, so nothing is excused as another chain's form
  const whole = Verify.block(block, block.hash!, { uncles, chainId: 1n })
  if (Result.isFailure(whole)) return Result.fail(whole.failure)
  const proven = verified(whole)
  verified(Verify.uncles(uncles, proven), ["uncles[].uncles"])
  for (const transaction of block.transactions) {
    verified(Verify.transaction(transaction, transaction.hash), ofPlace)
  }
  if (block.transactions.length > 0) return Result.succeed(proven)
  return Result.map(Verify.receipts([], proven), () => proven)
}

/** Returns a node that answers with these blocks by their hashes. */
export const nodeOf = (blocks: ReadonlyArray<Block.WithTransactions>): Ancestry.AncestryNode => {
  const byHash = new Map<string, Block.WithTransactions>(blocks.map((block) => [block.hash!, block]))
  return {
    // a walk asks only for blocks with hashes of transactions
    getBlockByHash: ((hash: Hex.Hex) => {
      const block = byHash.get(hash)
      return Effect.succeed(
        block === undefined ? null : { ...block, transactions: block.transactions.map((one) => one.hash) }
      )
    }) as Ancestry.AncestryNode["getBlockByHash"],
    getProof: () => assert.fail("a step to a parent needs no proof")
  }
}

/** Proves that the node has the parent of a proven block. Otherwise fails with `RefutedError`, check `parentHash`. */
export const proveParent = (
  block: Verdict.Verified<Block.WithTransactions>,
  node: Ancestry.AncestryNode
): Result.Result<void, RefutedError> => {
  const reached = Effect.runSync(Effect.result(Ancestry.reach(node, block, block.value.number! - 1n)))
  if (Result.isFailure(reached)) {
    return reached.failure instanceof RefutedError ? Result.fail(reached.failure) : assert.fail(reached.failure.message)
  }
  return reached.success._tag === "Reached"
    ? Result.succeed(undefined)
    : Result.fail(
        new RefutedError({
          check: "parentHash",
          expected: "the hash of a block of the chain",
          got: reached.success.reason.sentence
        })
      )
}
