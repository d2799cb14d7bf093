/**
 * Methods about blocks and uncles. The methods about uncles were never part of execution-apis, and new nodes drop them.
 */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Schema from "effect/Schema"

import * as Block from "../model/Block.ts"
import { count } from "../model/wire.ts"
import { blockHash, FEW, numberOrTag, uncleIndex } from "./params.ts"

const details = Method.param("transactionDetails", Schema.Boolean, {
  doc: "true for whole transactions, false for their hashes",
  values: FEW,
  byNull: false
})

/** A count of items in a block; null if the block does not exist. `@ethereumjs/client` sends it as a JSON number. */
const Total = Schema.NullOr(count.schema)

/** The block with this hash, or null. */
export const eth_getBlockByHash = Method.make("eth_getBlockByHash", {
  params: [blockHash, details],
  result: Schema.NullOr(Block.Block),
  doc: "The block with this hash, or null.",
  cost: 80,
  verification: "proven",
  cache: "immutable"
})

/** The block with this number or tag, or null. */
export const eth_getBlockByNumber = Method.make("eth_getBlockByNumber", {
  params: [numberOrTag, details],
  result: Schema.NullOr(Block.Block),
  doc: "The block with this number or tag, or null.",
  cost: 80,
  verification: "partial",
  cache: "block"
})

/** The number of transactions of the block with this hash, or null. */
export const eth_getBlockTransactionCountByHash = Method.make("eth_getBlockTransactionCountByHash", {
  params: [blockHash],
  result: Total,
  doc: "The number of transactions of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** The number of transactions of the block with this number or tag, or null. */
export const eth_getBlockTransactionCountByNumber = Method.make("eth_getBlockTransactionCountByNumber", {
  params: [numberOrTag],
  result: Total,
  doc: "The number of transactions of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

/** An uncle of the block with this hash, or null. */
export const eth_getUncleByBlockHashAndIndex = Method.make("eth_getUncleByBlockHashAndIndex", {
  params: [blockHash, uncleIndex],
  result: Schema.NullOr(Block.Uncle),
  doc: "The uncle at this position of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** An uncle of the block with this number or tag, or null. */
export const eth_getUncleByBlockNumberAndIndex = Method.make("eth_getUncleByBlockNumberAndIndex", {
  params: [numberOrTag, uncleIndex],
  result: Schema.NullOr(Block.Uncle),
  doc: "The uncle at this position of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

/** The number of uncles of the block with this hash, or null. */
export const eth_getUncleCountByBlockHash = Method.make("eth_getUncleCountByBlockHash", {
  params: [blockHash],
  result: Total,
  doc: "The number of uncles of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** The number of uncles of the block with this number or tag, or null. */
export const eth_getUncleCountByBlockNumber = Method.make("eth_getUncleCountByBlockNumber", {
  params: [numberOrTag],
  result: Total,
  doc: "The number of uncles of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})
