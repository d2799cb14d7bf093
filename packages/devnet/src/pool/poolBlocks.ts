/**
 * Blocks of the pool, and their form in each version of the specification.
 *
 * The pool has its own hash of blocks: Poseidon over the text `PLUMBLINE_POOL_BLOCK` as a felt, the number, the time,
 * the parent's hash, and the hashes of the transactions in order. The hash of a Starknet block covers the text
 * `STARKNET_BLOCK_HASH0` or `STARKNET_BLOCK_HASH1`, and a state that the pool does not have, so a block of the pool
 * cannot be mistaken for a Starknet block.
 */
import type * as Block from "@plumbline/second-chain-methods/model/Block"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import type * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import { poseidonHashMany } from "@scure/starknet"

import type { SpecDialect } from "./specDialects.ts"

/** A sealed block, with its hash. */
export interface SealedBlock {
  readonly hash: Felt.Felt
  readonly parentHash: Felt.Felt
  readonly number: bigint
  /** The time in seconds since 1970. */
  readonly timestamp: bigint
  readonly transactions: ReadonlyArray<Transaction.KnownTransaction>
  /** The number of transactions in this block from each account. */
  readonly sent: ReadonlyMap<Felt.Felt, bigint>
}

/** The fields of a block that its hash covers. */
export type PoolHeader = Pick<SealedBlock, "number" | "timestamp" | "parentHash" | "transactions">

/** Returns a sealed block, with its hash. */
export const seal = (header: PoolHeader, sent: SealedBlock["sent"]): SealedBlock => ({
  ...header,
  hash: hashOf(header),
  sent
})

const hashOf = ({ number, parentHash, timestamp, transactions }: PoolHeader): Felt.Felt =>
  Felt.fromBigIntUnsafe(
    poseidonHashMany([
      PREFIX,
      number,
      timestamp,
      Felt.toBigInt(parentHash),
      ...transactions.map((transaction) => Felt.toBigInt(transaction.transaction_hash))
    ])
  )

/** `PLUMBLINE_POOL_BLOCK` in ASCII, big-endian. */
const PREFIX = 0x504c554d424c494e455f504f4f4c5f424c4f434bn

export const ZERO = Felt.fromBigIntUnsafe(0n)

/** Returns a sealed block in the form of the version, without its transactions. */
export const written = (dialect: SpecDialect, block: SealedBlock): Omit<Block.WithTransactions, "transactions"> => ({
  block_hash: block.hash,
  parent_hash: block.parentHash,
  block_number: block.number,
  // the pool has no state
  new_root: ZERO,
  timestamp: block.timestamp,
  sequencer_address: ZERO,
  // the specification has no status for a block that only the pool accepts
  status: "ACCEPTED_ON_L2",
  ...pricesOf(dialect),
  ...(dialect.commitments ? commitmentsOf(block) : {})
})

/**
 * Returns the time of the next block. It is never earlier than the time of the parent, even if the clock was set back.
 */
export const timeAfter = (parent: SealedBlock, now: bigint): bigint => (now > parent.timestamp ? now : parent.timestamp)

/** Returns the unfinished block that follows `parent`, without its transactions, as if it were sealed now. */
export const unfinished = (
  dialect: SpecDialect,
  parent: SealedBlock,
  now: bigint
): Omit<Block.UnfinishedWithTransactions, "transactions"> => ({
  ...(dialect.tag === "pending" ? { parent_hash: parent.hash } : { block_number: parent.number + 1n }),
  timestamp: timeAfter(parent, now),
  sequencer_address: ZERO,
  ...pricesOf(dialect)
})

/** Returns prices of zero, and no published data. The version is a semver that names the pool. */
const pricesOf = (dialect: SpecDialect) =>
  dialect.prices
    ? {
        l1_gas_price: FREE,
        ...(dialect.l2Gas ? { l2_gas_price: FREE } : {}),
        l1_data_gas_price: FREE,
        l1_da_mode: "CALLDATA",
        starknet_version: "0.0.0-plumbline-pool"
      }
    : {}

const FREE = { price_in_wei: ZERO, price_in_fri: ZERO }

/** Returns zero commitments, which mean "not available" in the specification. */
const commitmentsOf = ({ transactions }: SealedBlock) => ({
  transaction_commitment: ZERO,
  event_commitment: ZERO,
  receipt_commitment: ZERO,
  state_diff_commitment: ZERO,
  transaction_count: transactions.length,
  event_count: 0,
  state_diff_length: 0
})
