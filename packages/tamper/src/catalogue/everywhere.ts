/** Applies the same change to every answer that contains a block, a transaction, a receipt or an account. */
import type { AskedCall, AnswerChanges } from "../lie/Lie.ts"

/** Returns the change for each method that answers with a block. */
export const blocks = (change: (block: any, asked: AskedCall) => unknown): AnswerChanges => ({
  eth_getBlockByHash: change,
  eth_getBlockByNumber: change
})

/** Returns the changes for transactions, also inside blocks with full transactions. */
export const transactions = (change: (transaction: any) => any): AnswerChanges => ({
  eth_getTransactionByHash: change,
  eth_getTransactionByBlockHashAndIndex: change,
  eth_getTransactionByBlockNumberAndIndex: change,
  ...blocks((block) =>
    typeof block.transactions[0] === "object" ? { ...block, transactions: block.transactions.map(change) } : block
  )
})

/** Returns the changes for single receipts and for all receipts of a block. */
export const receipts = (change: (receipt: any) => any): AnswerChanges => ({
  eth_getTransactionReceipt: change,
  eth_getBlockReceipts: (all: ReadonlyArray<any>) => all.map(change)
})

/** Returns the changes for every answer that has logs: the answers of eth_getLogs, and receipts. */
export const logs = (change: (logs: ReadonlyArray<any>) => ReadonlyArray<any>): AnswerChanges => ({
  eth_getLogs: change,
  ...receipts((receipt) => ({ ...receipt, logs: change(receipt.logs) }))
})

/**
 * Returns the changes for a member of an account: in the method that reads only this member, and in the account's
 * proof.
 */
export const account = (method: string, member: string, value: string): AnswerChanges => ({
  [method]: () => value,
  eth_getProof: (proof) => ({ ...proof, [member]: value })
})
