/** Applies the same change in every answer that holds a block, a transaction, a receipt or an account. */
import type { Asked, Changes } from "../lie/Lie.ts"

/** Returns the change for each method that answers with a block. */
export const blocks = (change: (block: any, asked: Asked) => unknown): Changes => ({
  eth_getBlockByHash: change,
  eth_getBlockByNumber: change
})

/** Returns the changes for transactions, also in blocks that hold them whole. */
export const transactions = (change: (transaction: any) => any): Changes => ({
  eth_getTransactionByHash: change,
  eth_getTransactionByBlockHashAndIndex: change,
  eth_getTransactionByBlockNumberAndIndex: change,
  ...blocks((block) =>
    typeof block.transactions[0] === "object" ? { ...block, transactions: block.transactions.map(change) } : block
  )
})

/** Returns the changes for receipts, alone and of a block. */
export const receipts = (change: (receipt: any) => any): Changes => ({
  eth_getTransactionReceipt: change,
  eth_getBlockReceipts: (all: ReadonlyArray<any>) => all.map(change)
})

/** Returns the changes for logs, in the answer to a filter and in receipts. */
export const logs = (change: (logs: ReadonlyArray<any>) => ReadonlyArray<any>): Changes => ({
  eth_getLogs: change,
  ...receipts((receipt) => ({ ...receipt, logs: change(receipt.logs) }))
})

/** Returns the changes for a member of an account: in the method that reads it alone, and in the account's proof. */
export const account = (method: string, member: string, value: string): Changes => ({
  [method]: () => value,
  eth_getProof: (proof) => ({ ...proof, [member]: value })
})
