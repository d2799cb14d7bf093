/**
 * Receipts, the outcomes of transactions, of every fork.
 *
 * Until Byzantium a receipt has `root`, the state after the transaction; since then `status`, 1 or 0 (EIP-658). On chains
 * of the OP stack, the receipt of a deposit has a nonce and, since Canyon, a version. Nodes of these chains also send
 * the fees for the data on L1, which no hash covers.
 *
 * Sources: execution-apis (schemas/receipt.yaml); Yellow Paper, section 4.3.1; EIP-658, EIP-2718, EIP-4844; OP-stack
 * specification (protocol/deposits, and the fork of each fee).
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import * as Log from "./Log.ts"

const isRoot = (value: unknown): value is Hex.Hex => value === "0x" || Hash32.isHash32(value)

/** The state root in a receipt. Some nodes write `0x` if there is none. */
const Root: Schema.Codec<Hex.Hex, string> = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^0x(?:[0-9a-fA-F]{64})?$/u, { expected: "0x and 32 bytes, or 0x" })),
  Schema.refine((_text): _text is Hex.Hex => true)
)

const provable = {
  /** The type of the transaction (EIP-2718). Nodes from before EIP-2718 omit it, which means type 0. */
  type: EthWire.missable(EthWire.integer),
  transactionHash: EthWire.hash32,
  transactionIndex: EthWire.quantity,
  blockHash: EthWire.hash32,
  blockNumber: EthWire.quantity,
  /**
   * Unix time in seconds. Only anvil sends it here, and as a JSON number, which stays a `number`; other nodes send it in
   * the logs.
   */
  blockTimestamp: EthWire.missable(EthWire.countAsSent),
  from: EthWire.address,
  /** Null when the transaction creates a contract. */
  to: EthWire.nullOr(EthWire.address),
  /** The contract that the transaction created, or null. */
  contractAddress: EthWire.optional(EthWire.nullOr(EthWire.address)),
  /** Gas used by this transaction and by all transactions before it in the block. */
  cumulativeGasUsed: EthWire.quantity,
  gasUsed: EthWire.quantity,
  /** Wei per unit of gas that the transaction paid; only from nodes since London. */
  effectiveGasPrice: EthWire.missable(EthWire.quantity),
  logs: EthWire.array(EthWire.of(Log.Log)),
  /** Bloom filter of the logs. */
  logsBloom: EthWire.bytes(256),
  /** Since Byzantium: 1 if the transaction succeeded, 0 if it failed. */
  status: EthWire.missable(EthWire.integer),
  /** The state root after the transaction, until Byzantium. See `rootOf`. */
  root: EthWire.missable(EthWire.kept(Root, isRoot)),
  /**
   * The blob gas used, for a transaction with blobs (EIP-4844). On chains of the OP stack since Jovian: the gas that the
   * transaction's data counts for.
   */
  blobGasUsed: EthWire.missable(EthWire.quantity),
  /** Wei per unit of blob gas (EIP-4844). */
  blobGasPrice: EthWire.missable(EthWire.quantity),
  /** OP stack: the nonce of a deposit's sender, since Regolith. The receipts' trie holds it since Canyon. */
  depositNonce: EthWire.missable(EthWire.quantity),
  /** OP stack: 1 if the receipts' trie holds the nonce and this version, as it does since Canyon. */
  depositReceiptVersion: EthWire.missable(EthWire.quantity)
}

/** The fees of the OP stack, which no hash covers. */
const ofOpStack = {
  /** Wei per unit of gas on L1. */
  l1GasPrice: EthWire.missable(EthWire.quantity),
  /** Gas that the transaction's data counts for on L1; until Fjord. */
  l1GasUsed: EthWire.missable(EthWire.quantity),
  /** Wei paid for the transaction's data on L1. */
  l1Fee: EthWire.missable(EthWire.quantity),
  /** The factor of the fee in decimal digits, such as `0.684`; until Ecotone. */
  l1FeeScalar: EthWire.missable(EthWire.string),
  /** The weight of L1's base fee in the fee, in millionths; since Ecotone. */
  l1BaseFeeScalar: EthWire.missable(EthWire.quantity),
  /** Wei per unit of blob gas on L1; since Ecotone. */
  l1BlobBaseFee: EthWire.missable(EthWire.quantity),
  /** The weight of L1's blob base fee in the fee, in millionths; since Ecotone. */
  l1BlobBaseFeeScalar: EthWire.missable(EthWire.quantity),
  /** The operator's fee for each unit of gas: in millionths of a wei since Isthmus, in hundreds of wei since Jovian. */
  operatorFeeScalar: EthWire.missable(EthWire.quantity),
  /** The operator's fee for each transaction, in wei; since Isthmus. */
  operatorFeeConstant: EthWire.missable(EthWire.quantity),
  /** Gas for each byte of compressed data, for `blobGasUsed`; since Jovian. */
  daFootprintGasScalar: EthWire.missable(EthWire.quantity)
}

const receipt = EthWire.object("Receipt", { ...provable, ...ofOpStack }, (value) => ({ ...value }))
/** A receipt. */
export const Receipt: Schema.Codec<Receipt, typeof receipt.schema.Encoded> = receipt.schema
/** See the Schema of the same name. */
export interface Receipt extends Schema.Schema.Type<typeof receipt.schema> {}

/** Names of the fields that a proof can cover. */
export const knownFields: ReadonlySet<string> = new Set(Object.keys(provable))

/** True if the receipts' trie holds `depositNonce` and `depositReceiptVersion` of this receipt (OP stack, Canyon). */
export const hasHashedNonce = (receipt: Receipt): boolean =>
  receipt.type === 0x7en && receipt.depositReceiptVersion !== undefined

/** Returns the type as a number; 0 for nodes from before EIP-2718, which omit it. */
export const typeOf = (receipt: Receipt): bigint => receipt.type ?? 0n

/** Returns the state root after the transaction, if the receipt has one. */
export const rootOf = (receipt: Receipt): Hash32.Hash32 | undefined =>
  Hash32.isHash32(receipt.root) ? receipt.root : undefined
