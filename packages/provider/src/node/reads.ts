/** Maps the name of each provable method to the read that proves the method's answer. */
import type * as Block from "@plumbline/eth-methods/model/Block"
import type { Client, Read } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as WholeBlocks from "@plumbline/eth-methods/verified/WholeBlocks"
import { JsonRpcError, MovedError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Claim from "@plumbline/verdict/Claim"
import { map, type Verdict } from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

/** A read with the arguments of its method as domain values. */
export type ProvenRead = (...args: ReadonlyArray<any>) => Read<Verdict<unknown>>

/** Returns the reads. Blocks are read whole, so that their hashes of transactions and uncles are proven. */
export const make = (client: Client): ReadonlyMap<string, ProvenRead> => {
  const whole = WholeBlocks.make(client)
  return new Map<string, ProvenRead>([
    ["eth_getBlockByHash", (hash, full) => whole.getBlockByHash(hash, { full })],
    ["eth_getBlockByNumber", (block, full) => whole.getBlockByNumber(block, { full })],
    ["eth_getBlockTransactionCountByHash", client.getBlockTransactionCountByHash],
    ["eth_getBlockTransactionCountByNumber", client.getBlockTransactionCountByNumber],
    ["eth_getUncleByBlockHashAndIndex", client.getUncleByBlockHashAndIndex],
    ["eth_getUncleByBlockNumberAndIndex", client.getUncleByBlockNumberAndIndex],
    ["eth_getUncleCountByBlockHash", client.getUncleCountByBlockHash],
    ["eth_getUncleCountByBlockNumber", client.getUncleCountByBlockNumber],
    ["eth_getTransactionByHash", client.getTransactionByHash],
    ["eth_getTransactionByBlockHashAndIndex", client.getTransactionByBlockHashAndIndex],
    ["eth_getTransactionByBlockNumberAndIndex", client.getTransactionByBlockNumberAndIndex],
    ["eth_getTransactionReceipt", client.getTransactionReceipt],
    ["eth_getBlockReceipts", (block) => client.getBlockReceipts(block)],
    ["eth_getLogs", client.getLogs],
    ["eth_getBalance", client.getBalance],
    ["eth_getCode", client.getCode],
    ["eth_getTransactionCount", client.getTransactionCount],
    ["eth_getStorageAt", client.getStorageAt],
    ["eth_getStorageValues", client.getStorageValues],
    ["eth_getProof", client.getProof],
    // this read needs only the header
    [
      "eth_blockNumber",
      () =>
        Effect.flatMap(client.getBlockByNumber("latest"), (found): Read<Verdict<unknown>> =>
          found.value === null ? Effect.fail(headless) : Effect.succeed(numberOf(found))
        )
    ]
  ])
}

/** The failure of a read without a block number: the node has no latest block, or lacks the trusted block. */
const headless = new JsonRpcError({
  method: "eth_blockNumber",
  reason: new MovedError({ detail: "the node does not have the latest block" })
})

/** The number of a block is proven by its header, even if other fields are only claimed. */
const numberOf = (verdict: Verdict<Block.WithHashes | null>): Verdict<bigint | null> =>
  map(verdict, (block) => block?.number ?? null, {
    claims: (claim) => (claim.about !== "Field" ? [claim] : claim.field === "number" ? [Claim.whole(claim.reason)] : [])
  })
