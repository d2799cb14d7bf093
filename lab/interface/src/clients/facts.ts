/** The blocks, transactions and accounts that the suites of popular clients read, on both chains of devnet. */
import { HistoryChain, PreparedState } from "@plumbline/devnet"

type Hex = `0x${string}`

/** The facts of one chain. Block numbers are of type `number`, as ethers and web3.js accept them. */
export interface Facts {
  readonly chainId: number
  readonly head: number
  /** The hash of the head. The provider and the proxy trust only this block. */
  readonly trust: Hex
  /** Blocks by number, one of each kind. */
  readonly kinds: ReadonlyArray<{ readonly name: string; readonly number: number }>
  /** A block with transactions. */
  readonly block: { readonly number: number; readonly hash: Hex }
  /** The number of a block with withdrawals, or of the head if the chain has no such block. */
  readonly withdrawals: number
  /** Transactions, one of each type. The last one sets its own fee. */
  readonly transactions: ReadonlyArray<Hex>
  /** A transaction with an access list. */
  readonly listed: Hex
  /** An account that holds wei and has sent transactions. */
  readonly who: Hex
  readonly token: Hex
  /** A contract with a word in its slot 0. */
  readonly counter: Hex
}

const who = PreparedState.accounts[0]!.address

/** The history chain: 70 blocks under the rules of eighteen forks. */
export const history: Facts = {
  chainId: HistoryChain.chainId,
  head: HistoryChain.head.number,
  trust: HistoryChain.head.hash,
  kinds: HistoryChain.forks.map(({ block, name }) => ({ name, number: block })),
  block: HistoryChain.blocks.findLast(({ transactions }) => transactions.length > 1)!,
  withdrawals: HistoryChain.blocks.findLast(({ fork }) => fork === "Shanghai")!.number,
  transactions: (["0x0", "0x1", "0x3", "0x4", "0x2"] as const).map(
    (type) => HistoryChain.transactions(type).at(-1)!.hash
  ),
  listed: HistoryChain.transactions("0x1").at(-1)!.hash,
  who,
  token: HistoryChain.contracts.token.address,
  counter: HistoryChain.contracts.counter.address
}

/** The chain of anvil in its prepared state. */
export const prepared: Facts = {
  chainId: PreparedState.chainId,
  head: PreparedState.head.number,
  trust: PreparedState.head.hash,
  kinds: PreparedState.blocks.slice(1).map(({ number, title }) => ({ name: title, number })),
  block: PreparedState.blocks.findLast(({ transactions }) => transactions.length > 0)!,
  withdrawals: PreparedState.head.number,
  transactions: (["legacy", "accessList", "setCode", "dynamicFee"] as const).map(
    (form) => PreparedState.transactions(form).at(-1)!.hash
  ),
  listed: PreparedState.transactions("accessList").at(-1)!.hash,
  who,
  token: PreparedState.contracts.token.address,
  counter: PreparedState.contracts.proxy.address
}

/** A transaction for chain 1, signed by account 0, to be sent. A node answers with its hash. */
export const raw: Hex =
  "0x02f868018203e801843b9aca008252089411111111111111111111111111111111111111110180c001a0714d1cd98e82914853920319c3d446015dba8bd02a4f6102a9a9688cebf07fb7a04126426c7cead4f63fbdffdfef8d3893c75ddd6e82c6e7de6639b6ae7bd52cb5"
