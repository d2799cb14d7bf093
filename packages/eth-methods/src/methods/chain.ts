/** Methods about the chain and the node. */
import * as Method from "@plumbline/jsonrpc-core/method/Method"
import * as Schema from "effect/Schema"

import { Decimal, Quantity256 } from "../model/numbers.ts"
import * as SyncStatus from "../model/SyncStatus.ts"

/** The number of the newest block. */
export const eth_blockNumber = Method.make("eth_blockNumber", {
  params: [],
  result: Quantity256,
  doc: "The number of the newest block.",
  cost: 80,
  verification: "claimed",
  cache: "block"
})

/** The chain id that signatures are bound to (EIP-155). */
export const eth_chainId = Method.make("eth_chainId", {
  params: [],
  result: Quantity256,
  doc: "The chain id that signatures are bound to.",
  cost: 5,
  verification: "claimed",
  cache: "immutable"
})

/** The sync progress of a node that is behind its network; false if the node is not behind. */
export const eth_syncing = Method.make("eth_syncing", {
  params: [],
  result: SyncStatus.SyncStatus,
  doc: "The sync progress of the node, or false if it is not syncing.",
  cost: 5,
  verification: "claimed",
  cache: "none"
})

/** The id of the peer-to-peer network, which mostly equals the chain id. */
export const net_version = Method.make("net_version", {
  params: [],
  result: Decimal,
  doc: "The id of the peer-to-peer network, mostly the chain id.",
  cost: 5,
  verification: "claimed",
  cache: "immutable"
})

/** The name and version of the node's software. */
export const web3_clientVersion = Method.make("web3_clientVersion", {
  params: [],
  result: Schema.String,
  doc: "The name and version of the node's software.",
  cost: 80,
  verification: "claimed",
  cache: "none"
})
