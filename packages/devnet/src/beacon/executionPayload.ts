/**
 * Converts blocks of the execution chain to payloads of beacon blocks.
 *
 * Source: consensus-specs `specs/deneb/beacon-chain.md`, `ExecutionPayloadHeader`, in which transactions are lists of
 * bytes.
 */
import type * as BeaconHeader from "@plumbline/beacon-light-client/container/BeaconHeader"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as BlockRlp from "@plumbline/eth-methods/rlp/BlockRlp"

import * as HashTree from "./hashTree.ts"

/**
 * Depths of trees for the longest transaction (2^30 bytes), for the most transactions, and for the most withdrawals.
 */
const TRANSACTION = 25
const TRANSACTIONS = 20
const WITHDRAWALS = 4

/**
 * Returns the payload of a block, or undefined if the bytes of a transaction are not known. Fields that are newer than
 * the block's fork are zero.
 */
export const of = (block: Block.WithTransactions): BeaconHeader.ExecutionPayloadHeader | undefined => {
  const transactions = block.transactions.map((transaction) => BlockRlp.encodeTransaction(transaction))
  if (block.number === null || block.hash === null || !transactions.every((bytes) => bytes !== undefined))
    return undefined
  return {
    parentHash: block.parentHash,
    feeRecipient: block.miner!,
    stateRoot: block.stateRoot,
    receiptsRoot: block.receiptsRoot,
    logsBloom: block.logsBloom!,
    prevRandao: block.mixHash ?? Hash32.ZERO,
    blockNumber: block.number,
    gasLimit: block.gasLimit,
    gasUsed: block.gasUsed,
    timestamp: block.timestamp,
    extraData: block.extraData,
    baseFeePerGas: block.baseFeePerGas ?? 0n,
    blockHash: block.hash,
    transactionsRoot: transactionsRoot(transactions),
    withdrawalsRoot: withdrawalsRoot(block.withdrawals ?? []),
    blobGasUsed: block.blobGasUsed ?? 0n,
    excessBlobGas: block.excessBlobGas ?? 0n
  }
}

const transactionsRoot = (transactions: ReadonlyArray<Uint8Array>): Hash32.Hash32 => {
  const items = transactions.map((bytes) => HashTree.list(TRANSACTION, HashTree.leaves(bytes), bytes.length))
  return Hash32.fromBytesUnsafe(HashTree.list(TRANSACTIONS, items))
}

const withdrawalsRoot = (withdrawals: ReadonlyArray<Block.Withdrawal>): Hash32.Hash32 => {
  const items = withdrawals.map(({ address, amount, index, validatorIndex }) =>
    HashTree.container([
      HashTree.uint64(index),
      HashTree.uint64(validatorIndex),
      ...HashTree.leaves(Hex.toBytesUnsafe(address)),
      HashTree.uint64(amount)
    ])
  )
  return Hash32.fromBytesUnsafe(HashTree.list(WITHDRAWALS, items))
}
