/**
 * From one trusted block back to any before it: by parent hashes, and by the hashes that newer states hold (EIP-2935).
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type Refuted, refute } from "@plumbline/verdict/Refuted"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import { isUnwilling } from "../client/unwilling.ts"
import type * as Block from "../model/Block.ts"
import { ancestorQuestion, verifyAncestor, WINDOW } from "../proof/ancestor.ts"
import { verifyBlock } from "../proof/block.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"

/** The block that was looked for, under the anchor of the trusted one, or why no proof leads to it. */
export type Reached =
  | { readonly _tag: "Reached"; readonly block: Verified<Block.Block> }
  | { readonly _tag: "Unreached"; readonly reason: Reason }

/** The methods of a node that a walk calls. */
export type Node = Pick<EthClient.Client, "getBlockByHash" | "getProof">

/** Limits of a walk. */
export interface Options {
  /**
   * The most blocks to read on the way: a step to a parent is one, a leap of up to 8191 blocks is one. Default: 256.
   */
  readonly maxSteps?: number | undefined
}

/** The defaults of the options. */
export const defaults: { readonly maxSteps: number } = { maxSteps: 256 }

/** A step to a parent asks once, a leap twice. */
const WALKED = 2n

/**
 * Returns the block with a given number, proven from a newer block that is proven already.
 *
 * Skips up to 8191 blocks at a time if the newer state names the older hash. Otherwise (before Prague, and on chains
 * without the contract) it goes from parent to parent. Each block on the way is checked against the hash that led to
 * it, so the node that answers need not be trusted. If a node cannot give the proof (it has pruned the state, or its
 * proof window is too small), nothing is refuted, and the walk goes from parent to parent.
 *
 * Fails with `Refuted` when an answer contradicts the hash or number that was proven for it.
 */
export const reach = Effect.fnUntraced(function* (
  node: Node,
  trusted: Verified<Block.Block>,
  number: bigint,
  options?: Options
): Effect.fn.Return<Reached, JsonRpcError | Refuted> {
  const maxSteps = options?.maxSteps ?? defaults.maxSteps
  let at = trusted
  let canLeap = true
  for (let steps = 0; at.value.number !== number; steps++) {
    const here = at.value.number
    if (here === null || number > here || number < 0n) {
      return unreached(EthReason.NotBefore({ number, trusted: here }))
    }
    if (steps === maxSteps) {
      return unreached(EthReason.TooFar({ number, maxSteps, trusted: trusted.value.number }))
    }
    let next = here - 1n
    let hash: Hash32.Hash32 = at.value.parentHash
    if (canLeap && here - number > WALKED) {
      const target = here - number > WINDOW ? here - WINDOW : number
      const named = yield* leap(node, at, target)
      if (named === null) canLeap = false
      else {
        next = target
        hash = named
      }
    }
    const block: Block.WithHashes | null = yield* node.getBlockByHash(hash)
    if (block === null) return unreached(EthReason.AncestorUnknown({ number: next, hash }))
    if (block.number !== next) return yield* refute("block.number", next, block.number)
    const verdict = yield* Effect.fromResult(verifyBlock(block, hash))
    if (verdict._tag === "CLAIMED") return unreached(EthReason.AncestorUnprovable({ number: next }))
    at = Proven.amend(verdict, {
      anchor: trusted.anchor,
      proven: [EthEvidence.AncestorOf({ number: next, trusted: trusted.anchor.hash }), ...verdict.proven]
    })
  }
  return { _tag: "Reached", block: at }
})

const unreached = (reason: Reason): Reached => ({ _tag: "Unreached", reason })

/**
 * The hash of an older block out of the state of a proven one; null where that state, or the node, does not give it.
 */
const leap = (
  node: Node,
  from: Verified<Block.Block>,
  number: bigint
): Effect.Effect<Hash32.Hash32 | null, JsonRpcError | Refuted> => {
  const { address, storageKeys } = ancestorQuestion(number)
  return Effect.matchEffect(node.getProof(address, storageKeys, { blockHash: hashOf(from) }), {
    onFailure: (error) => (isUnwilling(error) ? Effect.succeed(null) : Effect.fail(error)),
    onSuccess: (answer) => Effect.fromResult(verifyAncestor(answer, number, from))
  })
}

/** A proven block is not pending, so it has a hash. */
const hashOf = (block: Verified<Block.Block>): Hash32.Hash32 => block.value.hash!
