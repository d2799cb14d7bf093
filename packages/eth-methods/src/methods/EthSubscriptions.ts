/**
 * The Ethereum subscriptions as values, for transports that stay open.
 *
 * Source: https://geth.ethereum.org/docs/interacting-with-geth/rpc/pubsub
 */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Subscription from "@plumbline/jsonrpc-core/method/Subscription"
import * as Schema from "effect/Schema"

import * as AddressChecksums from "../model/addressChecksums.ts"
import * as Block from "../model/Block.ts"
import * as EthWire from "../model/ethWire.ts"
import * as Log from "../model/Log.ts"
import * as LogFilter from "../model/LogFilter.ts"
import * as Transaction from "../model/Transaction.ts"

/**
 * The header of each new head of the chain. After a reorganisation, the headers of all blocks that are new on the
 * chain.
 *
 * ```ts import.meta.vitest
 * import { EthSubscriptions } from "@plumbline/eth-methods"
 *
 * EthSubscriptions.newHeads.wire.prefix // => ["newHeads"]
 * ```
 */
export const newHeads = Subscription.make("eth", "newHeads", {
  params: [],
  item: Block.Header,
  doc: "The header of each new head of the chain."
})

/** The logs of new blocks that a filter selects. The logs of a removed block are sent once more, with `removed`. */
export const logs = Subscription.make("eth", "logs", {
  params: [
    Method.param("filter", LogFilter.Selection, {
      doc: "addresses and topics; {} for all logs",
      values: LogFilter.MAX_VALUES,
      check: AddressChecksums.fault
    })
  ],
  item: Log.Log,
  doc: "The logs of new blocks that a filter selects."
})

const hash = EthWire.hash32
const transaction = EthWire.of(Transaction.Transaction)
const pending = EthWire.oneOf(Schema.Union([hash.schema, transaction.schema]), (value) =>
  typeof value === "string" ? hash : transaction
)

/** The hash of each transaction that the node takes into its pool; the whole transaction when `full` is true. */
export const newPendingTransactions = Subscription.make("eth", "newPendingTransactions", {
  params: [
    Method.param("full", Schema.Boolean, {
      optional: true,
      doc: "true for whole transactions",
      values: 16
    })
  ],
  item: pending.schema,
  doc: "The hash of each new pending transaction, or the whole transaction."
})
