/** Every read of a verified client, for any block. */
import { Address, Hash32 } from "@plumbline/codec"
import type { Verdict } from "@plumbline/verdict"
import type { Effect } from "effect"

import { type BlockParameter, StorageKey, type VerdictEthClient } from "../../src/index.ts"
import * as Made from "./made.ts"
import * as Receipts from "./receipts.ts"
import * as State from "./state.ts"

/** Sends a read to a client. */
export type Ask = (
  eth: VerdictEthClient.Client
) => Effect.Effect<Verdict.Verdict<unknown>, Effect.Error<ReturnType<VerdictEthClient.Client["getLogs"]>>>

export type Questions<P> = Readonly<Record<string, (block: P) => Ask>>

/** A slot that no variable uses. */
export const slot = StorageKey.fromSlot(77n)

const key = State.keys[0]!
const words = { [State.CONTRACT]: [key, State.keys[2]!], [State.NOWHERE]: [key] }
const topics = [Hash32.fromBytesUnsafe(Receipts.topic(7))]

/** Reads that accept any block parameter. They read the state after a block, or the whole block. */
export const ofAny: Questions<BlockParameter.BlockParameter> = {
  eth_getBlockReceipts: (block) => (eth) => eth.getBlockReceipts(block, { senders: false }),
  eth_getBalance: (block) => (eth) => eth.getBalance(State.CONTRACT, block),
  eth_getCode: (block) => (eth) => eth.getCode(State.BARE, block),
  eth_getTransactionCount: (block) => (eth) => eth.getTransactionCount(State.CONTRACT, block),
  eth_getStorageAt: (block) => (eth) => eth.getStorageAt(State.CONTRACT, key, block),
  eth_getStorageValues: (block) => (eth) => eth.getStorageValues(words, block),
  eth_getProof: (block) => (eth) => eth.getProof(State.CONTRACT, State.keys, block)
}

/** Reads of a block by its number or tag. */
export const ofNumber: Questions<BlockParameter.NumberOrTag> = {
  ...ofAny,
  eth_getBlockByNumber: (block) => (eth) => eth.getBlockByNumber(block, { full: true, senders: false }),
  eth_getBlockTransactionCountByNumber: (block) => (eth) => eth.getBlockTransactionCountByNumber(block),
  eth_getUncleByBlockNumberAndIndex: (block) => (eth) => eth.getUncleByBlockNumberAndIndex(block, 1n),
  eth_getUncleCountByBlockNumber: (block) => (eth) => eth.getUncleCountByBlockNumber(block),
  eth_getTransactionByBlockNumberAndIndex: (block) => (eth) => eth.getTransactionByBlockNumberAndIndex(block, 4n),
  eth_getLogs: (block) => (eth) => eth.getLogs({ fromBlock: block, toBlock: block, topics })
}

/** Reads of a block by its hash. */
export const ofHash: Questions<Hash32.Hash32> = {
  ...ofAny,
  eth_getBlockByHash: (hash) => (eth) => eth.getBlockByHash(hash, { full: true }),
  eth_getBlockTransactionCountByHash: (hash) => (eth) => eth.getBlockTransactionCountByHash(hash),
  eth_getUncleByBlockHashAndIndex: (hash) => (eth) => eth.getUncleByBlockHashAndIndex(hash, 1n),
  eth_getUncleCountByBlockHash: (hash) => (eth) => eth.getUncleCountByBlockHash(hash),
  eth_getTransactionByBlockHashAndIndex: (hash) => (eth) => eth.getTransactionByBlockHashAndIndex(hash, 4n),
  eth_getLogs: (blockHash) => (eth) => eth.getLogs({ blockHash, topics })
}

/** Reads of a transaction by its hash. */
export const ofTransaction: Questions<Hash32.Hash32> = {
  eth_getTransactionByHash: (hash) => (eth) => eth.getTransactionByHash(hash),
  eth_getTransactionReceipt: (hash) => (eth) => eth.getTransactionReceipt(hash)
}

/** Reads of accounts and slots that exist, and of some that do not. */
export const accounts: ReadonlyArray<(hash: Hash32.Hash32) => Ask> = [
  State.CONTRACT,
  State.BARE,
  State.DELEGATED,
  State.PLAIN,
  State.NOWHERE
].flatMap((address) => [
  (hash) => (eth) => eth.getProof(address, [key, slot], hash),
  (hash) => (eth) => eth.getStorageAt(address, key, hash),
  (hash) => (eth) => eth.getStorageAt(address, slot, hash),
  (hash) => (eth) => eth.getCode(address, hash)
])

/** Returns the hash in an answer. */
export const hashOf = (json: Made.Json | undefined): Hash32.Hash32 =>
  Hash32.fromHexUnsafe(Made.string(Made.object(json)["hash"]))

/** An address without an account. */
export const nobody: Address.Address = Address.fromHexUnsafe(`0x${"5e".repeat(20)}`)
