/**
 * The Ethereum methods as values: from this table come the typed client, the service's checks, the costs and the docs.
 *
 * Sources: the interface's table of methods; execution-apis; EIP-1186 for eth_getProof. Costs are in credits, as
 * Infura counts them.
 */
import * as Address from "@plumbline/codec/Address"
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Quantity from "@plumbline/codec/Quantity"
import * as Method from "@plumbline/jsonrpc-core/Method"
import * as MethodGroup from "@plumbline/jsonrpc-core/MethodGroup"
import * as Schema from "effect/Schema"

import * as AccountProof from "./AccountProof.ts"
import * as Block from "./Block.ts"
import * as BlockParameter from "./BlockParameter.ts"
import * as StorageKey from "./StorageKey.ts"
import * as Transaction from "./Transaction.ts"

const blockHash = Method.param("blockHash", Hash32.Hash32, { doc: "hash of the block" })
const block = Method.param("block", BlockParameter.BlockParameter, { doc: "number, tag, hash or EIP-1898 object" })
const numberOrTag = Method.param("block", BlockParameter.NumberOrTag, { doc: "number or tag" })
const details = Method.param("transactionDetails", Schema.Boolean, {
  doc: "true for whole transactions, false for their hashes"
})
const index = Method.param("index", Quantity.Quantity, { doc: "position in the block, from 0" })
const address = Method.param("address", Address.Address, { doc: "address of the account" })

/** The most storage keys of one eth_getProof, as in geth. */
export const MAX_PROOF_KEYS = 1024

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

/** The transaction with this hash, mined or pending, or null. */
export const eth_getTransactionByHash = Method.make("eth_getTransactionByHash", {
  params: [Method.param("transactionHash", Hash32.Hash32, { doc: "hash of the transaction" })],
  result: Schema.NullOr(Transaction.Transaction),
  doc: "The transaction with this hash, mined or pending, or null.",
  cost: 80,
  verification: "proven",
  cache: "block"
})

/** The transaction at a position of the block with this hash, or null. */
export const eth_getTransactionByBlockHashAndIndex = Method.make("eth_getTransactionByBlockHashAndIndex", {
  params: [blockHash, index],
  result: Schema.NullOr(Transaction.Transaction),
  doc: "The transaction at this position of the block with this hash, or null.",
  cost: 150,
  verification: "proven",
  cache: "immutable"
})

/** An uncle of a block, or null. */
export const eth_getUncleByBlockNumberAndIndex = Method.make("eth_getUncleByBlockNumberAndIndex", {
  params: [numberOrTag, Method.param("index", Quantity.Quantity, { doc: "position among the uncles, 0 or 1" })],
  result: Schema.NullOr(Block.Uncle),
  doc: "The uncle at this position of the block with this number or tag, or null.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

/** A 32-byte word of an account's storage. */
export const eth_getStorageAt = Method.make("eth_getStorageAt", {
  params: [address, Method.param("position", StorageKey.StorageKey, { doc: "slot, at most 32 bytes" }), block],
  result: Hex.Hex,
  doc: "The word at this position of the account's storage.",
  cost: 80,
  verification: "partial",
  cache: "block"
})

/** An account and slots of its storage, with their Merkle proofs. */
export const eth_getProof = Method.make("eth_getProof", {
  params: [
    address,
    Method.param("storageKeys", Schema.Array(StorageKey.StorageKey).check(Schema.isMaxLength(MAX_PROOF_KEYS)), {
      doc: "slots to prove, at most 1024 of 32 bytes"
    }),
    Method.param("block", BlockParameter.BlockParameter, {
      optional: true,
      doc: "number, tag, hash or EIP-1898 object; latest when left out"
    })
  ],
  result: AccountProof.AccountProof,
  doc: "The account and these slots of its storage, with their Merkle proofs.",
  cost: 150,
  verification: "proven",
  cache: "block"
})

/** The number of the newest block. */
export const eth_blockNumber = Method.make("eth_blockNumber", {
  params: [],
  result: Quantity.Quantity,
  doc: "The number of the newest block.",
  cost: 80,
  verification: "claimed",
  cache: "block"
})

/** The chain id that signatures are bound to (EIP-155). */
export const eth_chainId = Method.make("eth_chainId", {
  params: [],
  result: Quantity.Quantity,
  doc: "The chain id that signatures are bound to.",
  cost: 5,
  verification: "claimed",
  cache: "immutable"
})

/**
 * The methods of this package.
 *
 * ```ts import.meta.vitest
 * import { EthMethods } from "@plumbline/eth-methods"
 *
 * EthMethods.group.methods.eth_getProof.params.map((param) => param.name) // => ["address", "storageKeys", "block"]
 * ```
 */
export const group = MethodGroup.make(
  eth_getBlockByHash,
  eth_getBlockByNumber,
  eth_getTransactionByHash,
  eth_getTransactionByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getStorageAt,
  eth_getProof,
  eth_blockNumber,
  eth_chainId
)
