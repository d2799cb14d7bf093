/**
 * The filters that a program polls, as methods. A server keeps the filters: nodes do it too, but forget them, and behind
 * a balancer no two calls need reach the same node.
 *
 * Source: execution-apis (eth/filter.yaml). Costs are in credits, as Infura counts them.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/method/MethodGroup"
import * as Schema from "effect/Schema"

import * as Log from "../model/Log.ts"
import * as LogFilter from "../model/LogFilter.ts"
import * as Transaction from "../model/Transaction.ts"
import * as EthMethod from "./EthMethod.ts"
import { FEW } from "./ethParams.ts"

const filterId = EthMethod.param("filterId", Schema.String, {
  names: "nothing",
  doc: "id of the filter",
  values: FEW
})

/** Begins a filter of logs in new blocks. */
export const eth_newFilter = Method.make("eth_newFilter", {
  ...EthMethod.requests,
  params: [
    EthMethod.param("filter", LogFilter.OfRange, {
      names: "logs",
      doc: "a range of blocks, addresses, topics; the logs of new blocks are returned",
      values: LogFilter.MAX_VALUES
    })
  ],
  result: Schema.String,
  doc: "Begins a filter of logs, and returns its id.",
  cost: 80,
  idempotent: false
})

/** Begins a filter of the hashes of new blocks. */
export const eth_newBlockFilter = Method.make("eth_newBlockFilter", {
  ...EthMethod.requests,
  params: [],
  result: Schema.String,
  doc: "Begins a filter of new blocks, and returns its id.",
  cost: 80,
  idempotent: false
})

/** Begins a filter of the hashes of pending transactions; of whole transactions when `full` is true. */
export const eth_newPendingTransactionFilter = Method.make("eth_newPendingTransactionFilter", {
  ...EthMethod.requests,
  params: [
    EthMethod.param("full", Schema.Boolean, {
      names: "nothing",
      optional: true,
      doc: "true for whole transactions",
      values: FEW
    })
  ],
  result: Schema.String,
  doc: "Begins a filter of pending transactions, and returns its id.",
  cost: 80,
  idempotent: false
})

/** Returns what a filter found since the last call. */
export const eth_getFilterChanges = Method.make("eth_getFilterChanges", {
  ...EthMethod.requests,
  params: [filterId],
  result: Schema.Array(Schema.Union([Hex.Hex, Log.Log, Transaction.Transaction])),
  doc: "The logs, hashes or transactions that the filter found since the last call.",
  cost: 140,
  idempotent: false
})

/** Returns all logs that a filter of logs selects, as eth_getLogs does. */
export const eth_getFilterLogs = Method.make("eth_getFilterLogs", {
  ...EthMethod.requests,
  params: [filterId],
  result: Schema.Array(Log.Log),
  doc: "All logs that the filter selects.",
  cost: 255
})

/** Ends a filter. */
export const eth_uninstallFilter = Method.make("eth_uninstallFilter", {
  ...EthMethod.requests,
  params: [filterId],
  result: Schema.Boolean,
  doc: "Ends the filter; false if there is none.",
  cost: 80,
  idempotent: false
})

/** The methods about filters. */
export const group = MethodGroup.make(
  eth_newFilter,
  eth_newBlockFilter,
  eth_newPendingTransactionFilter,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_uninstallFilter
)
