/**
 * Methods about blocks and uncles. The methods about uncles were never part of execution-apis, and new nodes drop them.
 */
import * as Schema from "effect/Schema"

import * as Block from "../model/Block.ts"
import * as BlockAccessList from "../model/BlockAccessList.ts"
import { count } from "../model/ethWire.ts"
import * as EthMethod from "./EthMethod.ts"
import { anyBlock, blockHash, FEW, numberOrTag, uncleIndex } from "./ethParams.ts"

const details = /* @__PURE__ */ EthMethod.param("transactionDetails", Schema.Boolean, {
  names: "nothing",
  doc: "true for whole transactions, false for their hashes",
  values: FEW,
  byNull: false
})

/** A count of items in a block; null if the block does not exist. `@ethereumjs/client` sends it as a JSON number. */
const Total = /* @__PURE__ */ (() => Schema.NullOr(count.schema))()

/** The block with this hash, or null. */
export const eth_getBlockByHash = /* @__PURE__ */ EthMethod.make("eth_getBlockByHash", {
  read: "getBlockByHash",
  trust: "proven",
  params: [blockHash, details],
  result: /* @__PURE__ */ Schema.NullOr(Block.Block),
  doc: "The block with this hash, or null.",
  cost: 80,
  verification: "proven",
  cache: "immutable"
})

/** The block with this number or tag, or null. */
export const eth_getBlockByNumber = /* @__PURE__ */ EthMethod.make("eth_getBlockByNumber", {
  read: "getBlockByNumber",
  trust: "proven",
  params: [numberOrTag, details],
  result: /* @__PURE__ */ Schema.NullOr(Block.Block),
  doc: "The block with this number or tag, or null.",
  cost: 80,
  verification: "partial",
  cache: "block"
})

/** The number of transactions of the block with this hash, or null. */
export const eth_getBlockTransactionCountByHash = /* @__PURE__ */ EthMethod.make("eth_getBlockTransactionCountByHash", {
  read: "getBlockTransactionCountByHash",
  trust: "proven",
  params: [blockHash],
  result: Total,
  doc: "The number of transactions of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** The number of transactions of the block with this number or tag, or null. */
export const eth_getBlockTransactionCountByNumber = /* @__PURE__ */ EthMethod.make(
  "eth_getBlockTransactionCountByNumber",
  {
    read: "getBlockTransactionCountByNumber",
    trust: "proven",
    params: [numberOrTag],
    result: Total,
    doc: "The number of transactions of the block with this number or tag, or null.",
    cost: 150,
    verification: "proven",
    cache: "block"
  }
)

/** The access list of a block, or null. Nodes have it since Amsterdam (EIP-7928), and delete old ones. */
export const eth_getBlockAccessList = /* @__PURE__ */ EthMethod.make("eth_getBlockAccessList", {
  read: "getBlockAccessList",
  trust: "proven",
  params: [anyBlock],
  result: /* @__PURE__ */ Schema.NullOr(BlockAccessList.BlockAccessList),
  doc: "The accounts and slots that a block touched, with the values after each change (EIP-7928), or null.",
  cost: 1000,
  verification: "proven",
  cache: "block"
})

/** An uncle of the block with this hash, or null. */
export const eth_getUncleByBlockHashAndIndex = /* @__PURE__ */ EthMethod.make("eth_getUncleByBlockHashAndIndex", {
  read: "getUncleByBlockHashAndIndex",
  trust: "proven",
  params: [blockHash, uncleIndex],
  result: /* @__PURE__ */ Schema.NullOr(Block.Uncle),
  doc: "The uncle at this position of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** An uncle of the block with this number or tag, or null. */
export const eth_getUncleByBlockNumberAndIndex = /* @__PURE__ */ EthMethod.make("eth_getUncleByBlockNumberAndIndex", {
  read: "getUncleByBlockNumberAndIndex",
  trust: "proven",
  params: [numberOrTag, uncleIndex],
  result: /* @__PURE__ */ Schema.NullOr(Block.Uncle),
  doc: "The uncle at this position of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

/** The number of uncles of the block with this hash, or null. */
export const eth_getUncleCountByBlockHash = /* @__PURE__ */ EthMethod.make("eth_getUncleCountByBlockHash", {
  read: "getUncleCountByBlockHash",
  trust: "proven",
  params: [blockHash],
  result: Total,
  doc: "The number of uncles of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** The number of uncles of the block with this number or tag, or null. */
export const eth_getUncleCountByBlockNumber = /* @__PURE__ */ EthMethod.make("eth_getUncleCountByBlockNumber", {
  read: "getUncleCountByBlockNumber",
  trust: "proven",
  params: [numberOrTag],
  result: Total,
  doc: "The number of uncles of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})
