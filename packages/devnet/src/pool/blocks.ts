/**
 * Blocks of the pool, and their form in each version of the specification.
 *
 * Their hash is the pool's own: Poseidon over the text `PLUMBLINE_POOL_BLOCK` as a felt, the number, the time, the
 * parent's hash, and the hashes of the transactions in their order. The hash of a Starknet block covers
 * `STARKNET_BLOCK_HASH0` or `1` and a state that the pool does not have, so no block of the pool can be mistaken for
 * one.
 */
import type * as Block from "@plumbline/second-chain-methods/model/Block"
import * as Felt from "@plumbline/second-chain-methods/model/Felt"
import type * as Transaction from "@plumbline/second-chain-methods/model/Transaction"
import { poseidonHashMany } from "@scure/starknet"

import type { Dialect } from "./version.ts"

/** A block with a hash. */
export interface Sealed {
  readonly hash: Felt.Felt
  readonly parentHash: Felt.Felt
  readonly number: bigint
  /** The time in seconds since 1970. */
  readonly timestamp: bigint
  readonly transactions: ReadonlyArray<Transaction.Known>
  /** The number of its transactions from each account. */
  readonly sent: ReadonlyMap<Felt.Felt, bigint>
}

/** The fields of a block that its hash covers. */
export type Header = Pick<Sealed, "number" | "timestamp" | "parentHash" | "transactions">

/** Returns a block with its hash. */
export const seal = (header: Header, sent: Sealed["sent"]): Sealed => ({ ...header, hash: hashOf(header), sent })

const hashOf = ({ number, parentHash, timestamp, transactions }: Header): Felt.Felt =>
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

/** Returns a block with a hash, in the form of the version, without its transactions. */
export const written = (dialect: Dialect, block: Sealed): Omit<Block.WithTransactions, "transactions"> => ({
  block_hash: block.hash,
  parent_hash: block.parentHash,
  block_number: block.number,
  // there is no state
  new_root: ZERO,
  timestamp: block.timestamp,
  sequencer_address: ZERO,
  // the specification has no status for a block that only its maker accepts
  status: "ACCEPTED_ON_L2",
  ...pricesOf(dialect),
  ...(dialect.commitments ? commitmentsOf(block) : {})
})

/** Returns the time of the block after a block: a clock that was set back does not make it older than its parent. */
export const timeAfter = (parent: Sealed, now: bigint): bigint => (now > parent.timestamp ? now : parent.timestamp)

/** Returns the block in the making after a block, without its transactions, as if it were sealed now. */
export const unfinished = (
  dialect: Dialect,
  parent: Sealed,
  now: bigint
): Omit<Block.UnfinishedWithTransactions, "transactions"> => ({
  ...(dialect.tag === "pending" ? { parent_hash: parent.hash } : { block_number: parent.number + 1n }),
  timestamp: timeAfter(parent, now),
  sequencer_address: ZERO,
  ...pricesOf(dialect)
})

/** Returns prices of zero, and nothing published. The version is a semver that names the pool. */
const pricesOf = (dialect: Dialect) =>
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
const commitmentsOf = ({ transactions }: Sealed) => ({
  transaction_commitment: ZERO,
  event_commitment: ZERO,
  receipt_commitment: ZERO,
  state_diff_commitment: ZERO,
  transaction_count: transactions.length,
  event_count: 0,
  state_diff_length: 0
})
