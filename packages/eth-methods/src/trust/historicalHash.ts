/** Proves an older block from a proven one in one step, by the hash that the newer state holds (EIP-2935). */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import type { Verified } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as EthClient from "../client/EthClient.ts"
import { isUnsupported } from "../client/unsupportedReads.ts"
import type * as Block from "../model/Block.ts"
import { ancestorQuestion, verifyAncestor, WINDOW } from "../proof/eip2935.ts"

/** Maximum distance in blocks that is walked from parent to parent. Each such step takes one call; a leap takes two. */
const WALKED = 2n

/**
 * Returns the number of the block to leap to from block `here` on the way to block `number`; undefined if steps to
 * parents are cheaper.
 */
export const historicalTarget = (here: bigint, number: bigint): bigint | undefined =>
  here - number > WINDOW ? here - WINDOW : here - number > WALKED ? number : undefined

/**
 * Returns the hash of an older block from the state of a proven one; null if that state does not hold it, or the node
 * does not return it.
 */
export const readHistoricalHash = (
  node: Pick<EthClient.Client, "getProof">,
  from: Verified<Block.Block>,
  number: bigint
): Effect.Effect<Hash32.Hash32 | null, JsonRpcError | RefutedError> => {
  const { address, storageKeys } = ancestorQuestion(number)
  // a proven block is not pending, so its hash is present
  return Effect.matchEffect(node.getProof(address, storageKeys, { blockHash: from.value.hash! }), {
    onFailure: (error) => (isUnsupported(error) ? Effect.succeed(null) : Effect.fail(error)),
    onSuccess: (answer) => Effect.fromResult(verifyAncestor(answer, number, from))
  })
}
