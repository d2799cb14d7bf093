/**
 * The content of the history chain, for tests and screens that refer to it.
 *
 * Everything here was recorded when the chain was made: 70 blocks across every fork from Frontier to Osaka, some of the
 * mined blocks with uncles, transactions of the types 0 to 4, withdrawals, contracts at known addresses.
 * `history/README.md` explains how the chain is made, and how it differs from a real chain. Addresses and hashes are
 * lower-case `0x` text.
 */
import * as PreparedState from "../anvil/PreparedState.ts"
import { record } from "./chainRecord.ts"
import type { RecordedBlock, RecordedFork, RecordedTransaction } from "./chainRecord.ts"

type Hex = `0x${string}`

export type { RecordedBlock, RecordedFork, RecordedTransaction } from "./chainRecord.ts"

export const chainId: number = record.chainId

/** The forks, from Frontier to Osaka. */
export const forks: ReadonlyArray<RecordedFork> = record.forks

/** Blocks 0 to the head, by number. */
export const blocks: ReadonlyArray<RecordedBlock> = record.blocks

/** The last block, which is latest, safe and finalized. */
export const head: RecordedBlock = record.blocks[record.blocks.length - 1]!

/**
 * The contracts: those of the prepared state, each compiled for the EVM of its time. Their storage has the same layout,
 * so `PreparedState.layoutFile` is right for them.
 *
 * - `elder`: a `Counter` that existed before the first block, with a count of 41.
 * - `token`: from Frontier. `counter`: from Homestead. `proxy`: from Byzantium, in front of `counter`, and of
 *   `counterV2` since Shanghai. `cabinet`: from Istanbul.
 *
 * ```ts import.meta.vitest
 * import { HistoryChain } from "@plumbline/devnet"
 *
 * const { token } = HistoryChain.contracts
 * [token.name, token.block] // => ["Token", 1]
 * ```
 */
export const contracts: {
  readonly [id in "elder" | "token" | "counter" | "counterV2" | "proxy" | "cabinet"]: PreparedState.PreparedContract
} = record.contracts

/** The accounts with ether, the same as in the prepared state. PUBLIC TEST KEYS. */
export const accounts: ReadonlyArray<PreparedState.PreparedAccount> = PreparedState.accounts

/**
 * Returns the transactions of one type, oldest first.
 *
 * ```ts import.meta.vitest
 * import { HistoryChain } from "@plumbline/devnet"
 *
 * HistoryChain.transactions("0x3").map((transaction) => transaction.title)[0] // => "Two blobs"
 * ```
 */
export const transactions = (type: Hex): ReadonlyArray<RecordedTransaction> =>
  blocks.flatMap((block) => block.transactions.filter((transaction) => transaction.type === type))

/** Blocks with uncles, oldest first. */
export const withUncles: ReadonlyArray<RecordedBlock> = blocks.filter((block) => block.uncles.length > 0)
