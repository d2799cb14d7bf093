/** Methods about the outcome of transactions: receipts and logs. */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Schema from "effect/Schema"

import * as Checksums from "../model/checksums.ts"
import * as Log from "../model/Log.ts"
import * as LogFilter from "../model/LogFilter.ts"
import * as Receipt from "../model/Receipt.ts"
import { anyBlock, transactionHash } from "./params.ts"

/** The receipt of the transaction with this hash, or null. */
export const eth_getTransactionReceipt = Method.make("eth_getTransactionReceipt", {
  params: [transactionHash],
  result: Schema.NullOr(Receipt.Receipt),
  doc: "The receipt of the transaction with this hash, or null if it is not in a block.",
  cost: 80,
  verification: "partial",
  cache: "block"
})

/** All receipts of a block, or null. */
export const eth_getBlockReceipts = Method.make("eth_getBlockReceipts", {
  params: [anyBlock],
  result: Schema.NullOr(Schema.Array(Receipt.Receipt)),
  doc: "The receipts of all transactions of a block, in order, or null.",
  cost: 1000,
  verification: "partial",
  cache: "block"
})

/** The logs that a filter selects. */
export const eth_getLogs = Method.make("eth_getLogs", {
  params: [
    Method.param("filter", LogFilter.LogFilter, {
      doc: "a block or a range of blocks, addresses, topics",
      values: LogFilter.MAX_VALUES,
      byNull: {},
      check: Checksums.fault
    })
  ],
  result: Schema.Array(Log.Log),
  doc: "The logs that a filter selects, in the order of the chain.",
  cost: 255,
  verification: "proven",
  cache: "block"
})
