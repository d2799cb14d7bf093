/** Lies about transactions, receipts, logs and calls. */
import * as Lie from "../lie/Lie.ts"
import * as Everywhere from "./everywhere.ts"

const SOMEBODY = "0x4242424242424242424242424242424242424242"

const more = (quantity: string): string => `0x${(BigInt(quantity) + 1n).toString(16)}`

export const lies: ReadonlyArray<Lie.Lie> = [
  Lie.make("tx-value", {
    about: "a transaction moves another amount",
    expected: "REFUTED",
    changes: Everywhere.transactions((transaction) => ({ ...transaction, value: more(transaction.value) }))
  }),
  Lie.make("tx-from", {
    about: "a transaction has another sender, in its receipt too",
    expected: "REFUTED",
    changes: {
      ...Everywhere.transactions((transaction) => ({ ...transaction, from: SOMEBODY })),
      ...Everywhere.receipts((receipt) => ({ ...receipt, from: SOMEBODY }))
    }
  }),
  Lie.make("tx-to", {
    about: "a transaction has another recipient, in its receipt too",
    expected: "REFUTED",
    changes: {
      ...Everywhere.transactions((transaction) => ({ ...transaction, to: SOMEBODY })),
      ...Everywhere.receipts((receipt) => ({ ...receipt, to: SOMEBODY }))
    }
  }),
  Lie.make("tx-input", {
    about: "a transaction called something else",
    expected: "REFUTED",
    changes: Everywhere.transactions((transaction) => ({ ...transaction, input: "0xdeadbeef" }))
  }),
  Lie.make("tx-index", {
    about: "a transaction stands at another place of its block, in its receipt too",
    expected: "REFUTED",
    changes: {
      eth_getTransactionByHash: (transaction) => ({
        ...transaction,
        transactionIndex: more(transaction.transactionIndex ?? "0x0")
      }),
      eth_getTransactionReceipt: (receipt) => ({ ...receipt, transactionIndex: more(receipt.transactionIndex) })
    }
  }),
  Lie.make("tx-block", {
    about: "a transaction stands in a later block",
    expected: "REFUTED",
    changes: {
      eth_getTransactionByHash: (transaction) => ({
        ...transaction,
        blockNumber: more(transaction.blockNumber ?? "0x0")
      }),
      eth_getTransactionReceipt: (receipt) => ({ ...receipt, blockNumber: more(receipt.blockNumber) })
    }
  }),
  Lie.make("access-list-extra", {
    about: "the access list of a transaction has an entry more",
    expected: "REFUTED",
    changes: Everywhere.transactions((transaction) =>
      Array.isArray(transaction.accessList)
        ? { ...transaction, accessList: [...transaction.accessList, { address: SOMEBODY, storageKeys: [] }] }
        : transaction
    )
  }),
  Lie.make("sent-hash", {
    about: "a sent transaction is said to have another hash",
    expected: "REFUTED",
    changes: { eth_sendRawTransaction: () => `0x${"42".repeat(32)}` }
  }),
  Lie.make("receipt-status", {
    about: "what succeeded has failed, and the other way round, in every receipt",
    expected: "REFUTED",
    changes: Everywhere.receipts((receipt) =>
      receipt.status === undefined ? receipt : { ...receipt, status: receipt.status === "0x1" ? "0x0" : "0x1" }
    )
  }),
  Lie.make("receipt-gas", {
    about: "a transaction used more gas",
    expected: "REFUTED",
    changes: Everywhere.receipts((receipt) => ({ ...receipt, gasUsed: more(receipt.gasUsed) }))
  }),
  Lie.make("receipt-contract", {
    about: "a transaction made a contract that it did not make",
    expected: "REFUTED",
    changes: Everywhere.receipts((receipt) => ({ ...receipt, contractAddress: SOMEBODY }))
  }),
  Lie.make("receipt-drop", {
    about: "a block has a receipt less",
    expected: "REFUTED",
    changes: { eth_getBlockReceipts: (receipts) => receipts.slice(0, -1) }
  }),
  Lie.make("log-drop", {
    about: "the first log is missing",
    expected: "REPAIRED",
    changes: { eth_getLogs: (logs) => logs.slice(1) }
  }),
  Lie.make("log-drop-everywhere", {
    about: "there are no logs, in receipts neither",
    expected: "REFUTED",
    changes: Everywhere.logs(() => [])
  }),
  Lie.make("log-add", {
    about: "a log comes twice",
    expected: "REPAIRED",
    changes: { eth_getLogs: (logs) => (logs.length === 0 ? logs : [...logs, logs.at(-1)]) }
  }),
  Lie.make("log-data", {
    about: "a log says something else, in its receipt too",
    expected: "REFUTED",
    changes: Everywhere.logs((logs) => logs.map((log) => ({ ...log, data: `0x${"42".repeat(32)}` })))
  }),
  Lie.make("log-address", {
    about: "another contract wrote a log",
    expected: "REPAIRED",
    changes: { eth_getLogs: (logs) => logs.map((log: any) => ({ ...log, address: SOMEBODY })) }
  }),
  Lie.make("log-order", {
    about: "logs come in the other order",
    expected: "REPAIRED",
    changes: { eth_getLogs: (logs) => logs.toReversed() }
  }),
  Lie.make("logs-range-short", {
    about: "the last blocks of a range are left out",
    expected: "REPAIRED",
    changes: {
      eth_getLogs: (logs) => logs.filter((log: any) => log.blockNumber !== logs.at(-1).blockNumber)
    }
  }),
  Lie.make("call-result", {
    about: "a call returns another word",
    expected: "CLAIMED",
    changes: { eth_call: () => `0x${"42".repeat(32)}` }
  })
]
