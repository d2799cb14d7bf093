/** Methods about the chain and the node. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/PlainAddress"
import * as Schema from "effect/Schema"

import * as Capabilities from "../model/Capabilities.ts"
import * as ChainConfig from "../model/ChainConfig.ts"
import * as SyncStatus from "../model/SyncStatus.ts"
import { Count, Decimal, Quantity256 } from "../model/wireNumbers.ts"
import * as EthMethod from "./EthMethod.ts"
import { FEW } from "./ethParams.ts"

/** The number of the newest block. */
export const eth_blockNumber = /* @__PURE__ */ EthMethod.make("eth_blockNumber", {
  read: "blockNumber",
  trust: "proven",
  params: [],
  result: Quantity256,
  doc: "The number of the newest block.",
  cost: 80,
  verification: "claimed",
  cache: "block"
})

/** The chain id that signatures are bound to (EIP-155). */
export const eth_chainId = /* @__PURE__ */ EthMethod.make("eth_chainId", {
  read: "chainId",
  trust: "fact",
  params: [],
  result: Quantity256,
  doc: "The chain id that signatures are bound to.",
  cost: 5,
  cache: "immutable"
})

/** The sync progress of a node that is behind its network; false if the node is not behind. */
export const eth_syncing = /* @__PURE__ */ EthMethod.make("eth_syncing", {
  read: "syncing",
  trust: "advice",
  params: [],
  result: SyncStatus.SyncStatus,
  doc: "The sync progress of the node, or false if it is not syncing.",
  cost: 5,
  cache: "none"
})

/** The id of the peer-to-peer network, which mostly equals the chain id. */
export const net_version = /* @__PURE__ */ EthMethod.make("net_version", {
  read: "networkId",
  trust: "fact",
  params: [],
  result: Decimal,
  doc: "The id of the peer-to-peer network, mostly the chain id.",
  cost: 5,
  cache: "immutable"
})

/** The name and version of the node's software. */
export const web3_clientVersion = /* @__PURE__ */ EthMethod.make("web3_clientVersion", {
  read: "clientVersion",
  trust: "advice",
  params: [],
  result: Schema.String,
  doc: "The name and version of the node's software.",
  cost: 80,
  cache: "none"
})

/** The data that the node has, by kind, and its head. */
export const eth_capabilities = /* @__PURE__ */ EthMethod.make("eth_capabilities", {
  read: "capabilities",
  trust: "advice",
  params: [],
  result: Capabilities.Capabilities,
  doc: "The data that the node has: for each kind, the oldest block.",
  cost: 80,
  cache: "block"
})

/** The forks of the chain, as the node is configured (EIP-7910). */
export const eth_config = /* @__PURE__ */ EthMethod.make("eth_config", {
  read: "config",
  trust: "advice",
  params: [],
  result: ChainConfig.ChainConfig,
  doc: "The present and the next fork of the chain, as the node is configured.",
  cost: 80,
  cache: "block"
})

/** The accounts whose keys the node holds. */
export const eth_accounts = /* @__PURE__ */ EthMethod.make("eth_accounts", {
  read: "accounts",
  trust: "advice",
  params: [],
  result: /* @__PURE__ */ Schema.Array(Address.Address),
  doc: "The accounts whose keys the node holds.",
  cost: 80,
  cache: "none"
})

/** True if the node accepts connections of peers. */
export const net_listening = /* @__PURE__ */ EthMethod.make("net_listening", {
  read: "isListening",
  trust: "advice",
  params: [],
  result: Schema.Boolean,
  doc: "True if the node accepts connections of peers.",
  cost: 5,
  cache: "none"
})

/** The number of the node's peers. */
export const net_peerCount = /* @__PURE__ */ EthMethod.make("net_peerCount", {
  read: "peerCount",
  trust: "advice",
  params: [],
  result: Count,
  doc: "The number of the node's peers.",
  cost: 80,
  cache: "none"
})

/** The Keccak-256 of bytes, which a program can compute itself. */
export const web3_sha3 = /* @__PURE__ */ EthMethod.make("web3_sha3", {
  read: "sha3",
  trust: "proven",
  params: [
    /* @__PURE__ */ EthMethod.param("data", Hex.Hex, {
      names: "nothing",
      doc: "the bytes to hash",
      values: FEW
    })
  ],
  result: Hash32.Hash32,
  doc: "The Keccak-256 of the bytes.",
  cost: 80,
  verification: "claimed",
  cache: "none"
})
