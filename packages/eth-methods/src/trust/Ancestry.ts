/**
 * Proves any block before a trusted block: by parent hashes, and by the block hashes in newer states (EIP-2935).
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Proven from "@plumbline/verdict/prove/Proven"
import type { Reason } from "@plumbline/verdict/Reason"
import { type RefutedError, refute } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import type * as Block from "../model/Block.ts"
import type { OfChain } from "../proof/ethereumChains.ts"
import * as EthEvidence from "../proof/EthEvidence.ts"
import * as EthReason from "../proof/EthReason.ts"
import { verifyBlock } from "../proof/verifyBlock.ts"
import * as HistoricalHash from "./historicalHash.ts"
import * as SpeculativeReads from "./speculativeReads.ts"

/** The requested block, proven from the trusted block's anchor; or the reason why no proof leads to it. */
export type ReachedBlock =
  | { readonly _tag: "Reached"; readonly block: Verified<Block.Block> }
  | { readonly _tag: "Unreached"; readonly reason: Reason }

/**
 * The methods of a node that a walk calls. With `getBlockByNumber`, a walk from parent to parent requests up to 64
 * blocks at the same time, by number. A block of another branch is not accepted, because its successor names another
 * hash; the walk then requests the block with that hash.
 */
export type AncestryNode = Pick<EthClient.Client, "getBlockByHash" | "getProof"> &
  Partial<Pick<EthClient.Client, "getBlockByNumber">> & {
    /** Blocks that are already proven. A walk does not read them again, and adds the blocks that it proves. */
    readonly headers?: AncestryHeaders | undefined
  }

/** Proven blocks by their hashes. An entry has at least the fields of the header. */
export interface AncestryHeaders {
  readonly get: (hash: Hash32.Hash32) => Verified<Block.WithHashes> | undefined
  readonly keep: (hash: Hash32.Hash32, block: Verified<Block.Block>) => void
}

/** Limits of a walk, and its chain. */
export interface AncestryOptions extends OfChain {
  /**
   * Maximum number of steps: a step to a parent counts as one, and so does a leap of up to 8191 blocks. Default: 256.
   */
  readonly maxSteps?: number | undefined
}

/** The defaults of the options. */
export const defaults: { readonly maxSteps: number } = { maxSteps: 256 }

/**
 * Returns the block with a given number, proven from a newer proven block.
 *
 * The walk skips up to 8191 blocks at a time if the newer state holds the older hash. Otherwise (before Prague, and on
 * chains without the contract) the walk goes from parent to parent. Each block on the way is checked against the hash
 * that led to it, so the node that answers need not be trusted. If a node cannot return the proof (it has pruned the
 * state, or its proof window is too small), nothing is refuted, and the walk goes from parent to parent.
 *
 * Fails with `RefutedError` if a block contradicts the hash or number that was proven for it.
 */
export const reach = Effect.fnUntraced(function* (
  node: AncestryNode,
  trusted: Verified<Block.Block>,
  number: bigint,
  options?: AncestryOptions
): Effect.fn.Return<ReachedBlock, JsonRpcError | RefutedError> {
  const maxSteps = options?.maxSteps ?? defaults.maxSteps
  let at = trusted
  let canLeap = true
  let guesses = SpeculativeReads.none
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
    const target = canLeap ? HistoricalHash.historicalTarget(here, number) : undefined
    if (target !== undefined) {
      const named = yield* HistoricalHash.readHistoricalHash(node, at, target)
      if (named === null) canLeap = false
      else {
        next = target
        hash = named
      }
    }
    let verdict = node.headers?.get(hash)
    if (verdict === undefined) {
      if (next === here - 1n && next > number && next < guesses.from) {
        const most = BigInt(Math.min(maxSteps - steps, SpeculativeReads.MOST))
        guesses = yield* SpeculativeReads.read(node, next - number < most ? number : here - most, next)
      }
      verdict = yield* Effect.fromResult(SpeculativeReads.proven(guesses, next, hash, options))
      if (verdict === undefined) {
        const block: Block.WithHashes | null = yield* node.getBlockByHash(hash)
        if (block === null) return unreached(EthReason.AncestorUnknown({ number: next, hash }))
        if (block.number !== next) return yield* refute("block.number", next, block.number)
        const own = yield* Effect.fromResult(
          verifyBlock(block, hash, { chainId: options?.chainId, engine: options?.engine, forks: options?.forks })
        )
        if (own._tag === "CLAIMED") {
          return unreached(EthReason.AncestorUnprovable({ number: next, cause: own.claimed[0]!.reason }))
        }
        verdict = own
      }
      node.headers?.keep(hash, verdict)
    }
    if (verdict.value.number !== next) return yield* refute("block.number", next, verdict.value.number)
    at = Proven.amend(verdict, {
      anchor: trusted.anchor,
      proven: [EthEvidence.AncestorOf({ number: next, trusted: trusted.anchor.hash }), ...verdict.proven]
    })
  }
  return { _tag: "Reached", block: at }
})

const unreached = (reason: Reason): ReachedBlock => ({ _tag: "Unreached", reason })
