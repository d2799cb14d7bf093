/** Methods about the outcome of transactions: receipts and logs. */
import * as Schema from "effect/Schema"

import * as AddressChecksums from "../model/addressChecksums.ts"
import * as Log from "../model/Log.ts"
import * as LogFilter from "../model/LogFilter.ts"
import * as Receipt from "../model/Receipt.ts"
import * as EthMethod from "./EthMethod.ts"
import { anyBlock, transactionHash } from "./ethParams.ts"

/** The receipt of the transaction with this hash, or null. */
export const eth_getTransactionReceipt = /* @__PURE__ */ EthMethod.make("eth_getTransactionReceipt", {
  read: "getTransactionReceipt",
  trust: "proven",
  params: [transactionHash],
  result: /* @__PURE__ */ Schema.NullOr(Receipt.Receipt),
  doc: "The receipt of the transaction with this hash, or null if it is not in a block.",
  cost: 80,
  verification: "partial",
  cache: "block"
})

/** All receipts of a block, or null. */
export const eth_getBlockReceipts = /* @__PURE__ */ EthMethod.make("eth_getBlockReceipts", {
  read: "getBlockReceipts",
  trust: "proven",
  params: [anyBlock],
  result: /* @__PURE__ */ Schema.NullOr(/* @__PURE__ */ Schema.Array(Receipt.Receipt)),
  doc: "The receipts of all transactions of a block, in order, or null.",
  cost: 1000,
  verification: "partial",
  cache: "block"
})

/** The logs that a filter selects. */
export const eth_getLogs = /* @__PURE__ */ EthMethod.make("eth_getLogs", {
  read: "getLogs",
  trust: "proven",
  params: [
    /* @__PURE__ */ EthMethod.param("filter", LogFilter.LogFilter, {
      names: "logs",
      doc: "a block or a range of blocks, addresses, topics",
      values: LogFilter.MAX_VALUES,
      byNull: {},
      check: AddressChecksums.fault
    })
  ],
  result: /* @__PURE__ */ Schema.Array(Log.Log),
  doc: "The logs that a filter selects, in the order of the chain.",
  cost: 255,
  verification: "proven",
  cache: "block"
})
