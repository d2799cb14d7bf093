/**
 * The content of the prepared chain, for tests and screens that refer to it.
 *
 * Everything here was recorded when the state was made: contracts at known addresses, sixteen blocks (two of them
 * empty) with transactions of the types 0, 1, 2 and 4, accounts with ether. The sources are in `contracts/`, the state
 * and the layouts of the contracts' storage in `state/`; `state/README.md` describes how both are made. Addresses and
 * hashes are lower-case `0x` text.
 */
import { readFileSync } from "node:fs"

type Hex = `0x${string}`

/** The forms of transactions on the chain, without blob transactions (see `state/README.md`). */
export type TransactionForm = "legacy" | "accessList" | "dynamicFee" | "setCode"

export interface PreparedTransaction {
  readonly hash: Hex
  readonly form: TransactionForm
  /** The type by EIP-2718: legacy `0x0`, accessList `0x1`, dynamicFee `0x2`, setCode `0x4`. */
  readonly type: Hex
  readonly from: Hex
  /** Null if the transaction deploys a contract. */
  readonly to: Hex | null
  /** True if the transaction had an effect, false if it was included but reverted. */
  readonly success: boolean
  /** The purpose of the transaction, in a few words. */
  readonly title: string
}

export interface PreparedBlock {
  readonly number: number
  readonly hash: Hex
  /** The time in seconds since 1970. */
  readonly timestamp: number
  readonly title: string
  readonly transactions: ReadonlyArray<PreparedTransaction>
}

export interface PreparedContract {
  /** The name in the Solidity source. */
  readonly name: string
  /** The path of the source, relative to this package. */
  readonly source: string
  readonly address: Hex
  /** The number of the block that deployed the contract. Before that block, its address has no code. */
  readonly block: number
}

export interface PreparedAccount {
  readonly address: Hex
  /** PUBLIC TEST KEY. Every anvil and hardhat prints it. On a public chain, thieves take its ether within seconds. */
  readonly publicTestKey: Hex
}

/** The content of `state/chain.json`. */
interface ChainRecord {
  readonly chainId: number
  readonly contracts: { readonly [id in "token" | "cabinet" | "counter" | "counterV2" | "proxy"]: PreparedContract }
  readonly accounts: ReadonlyArray<PreparedAccount>
  readonly blocks: ReadonlyArray<PreparedBlock>
}

const record: ChainRecord = JSON.parse(readFileSync(new URL("../../state/chain.json", import.meta.url), "utf8"))

export const chainId: number = record.chainId

/** Blocks from 0 to the head, by number. */
export const blocks: ReadonlyArray<PreparedBlock> = record.blocks

/** The last block. */
export const head: PreparedBlock = record.blocks[record.blocks.length - 1]!

/**
 * The contracts.
 *
 * - `token`: ERC-20 with balances and allowances in mappings.
 * - `cabinet`: a variable of each kind: packed fields, an enum, short and long strings, bytes, dynamic and fixed
 *   arrays, structs with mappings, nested mappings.
 * - `counter`, `counterV2`: the implementations of the proxy, one after the other. Accounts delegate to `counter`
 *   (EIP-7702).
 * - `proxy`: by EIP-1967. Its storage has the layout of `Counter`, and of `CounterV2` after block 12.
 *
 * ```ts import.meta.vitest
 * import { PreparedState } from "@plumbline/devnet"
 *
 * const { token } = PreparedState.contracts
 * [token.name, token.address, token.block] // => ["Token", "0x5fbdb2315678afecb367f032d93f642f64180aa3", 1]
 * ```
 */
export const contracts: {
  readonly [id in "token" | "cabinet" | "counter" | "counterV2" | "proxy"]: PreparedContract
} = record.contracts

/**
 * The accounts with ether, in the order of their derivation. Number 0 deployed the contracts, number 9 receives the
 * fees.
 */
export const accounts: ReadonlyArray<PreparedAccount> = record.accounts

/**
 * Returns the transactions of one form, oldest first.
 *
 * ```ts import.meta.vitest
 * import { PreparedState } from "@plumbline/devnet"
 *
 * PreparedState.transactions("setCode").map((transaction) => transaction.type) // => ["0x4", "0x4", "0x4"]
 * ```
 */
export const transactions = (form: TransactionForm): ReadonlyArray<PreparedTransaction> =>
  blocks.flatMap((block) => block.transactions.filter((transaction) => transaction.form === form))

/** The file with the state that anvil loads. */
export const stateFile: URL = new URL("../../state/state.json", import.meta.url)

const layouts = new URL("../../state/layouts", import.meta.url)

/** Returns the file with a contract's `storageLayout`, as solc prints it. */
export const layoutFile = (contract: PreparedContract): URL => new URL(`${layouts.href}/${contract.name}.json`)
