/**
 * Receipts, the outcomes of transactions, of every fork.
 *
 * Until Byzantium a receipt has `root`, the state after the transaction; since then `status`, 1 or 0 (EIP-658).
 *
 * Sources: execution-apis (schemas/receipt.yaml); Yellow Paper, section 4.3.1; EIP-658, EIP-2718, EIP-4844.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"

import * as Log from "./Log.ts"
import * as Wire from "./wire.ts"

const isRoot = (value: unknown): value is Hex.Hex => value === "0x" || Hash32.isHash32(value)

/** The state root in a receipt. Some nodes write `0x` if there is none. */
const Root: Schema.Codec<Hex.Hex, string> = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^0x(?:[0-9a-fA-F]{64})?$/u, { expected: "0x and 32 bytes, or 0x" })),
  Schema.refine((_text): _text is Hex.Hex => true)
)

const fields = {
  /** The type of the transaction (EIP-2718). Nodes from before EIP-2718 omit it, which means type 0. */
  type: Wire.missable(Wire.integer),
  transactionHash: Wire.hash32,
  transactionIndex: Wire.quantity,
  blockHash: Wire.hash32,
  blockNumber: Wire.quantity,
  /**
   * Unix time in seconds. Only anvil sends it here, and as a JSON number, which stays a `number`; other nodes send it in
   * the logs.
   */
  blockTimestamp: Wire.missable(Wire.countAsSent),
  from: Wire.address,
  /** Null when the transaction creates a contract. */
  to: Wire.nullOr(Wire.address),
  /** The contract that the transaction created, or null. */
  contractAddress: Wire.optional(Wire.nullOr(Wire.address)),
  /** Gas used by this transaction and by all transactions before it in the block. */
  cumulativeGasUsed: Wire.quantity,
  gasUsed: Wire.quantity,
  /** Wei per unit of gas that the transaction paid; only from nodes since London. */
  effectiveGasPrice: Wire.missable(Wire.quantity),
  logs: Wire.array(Wire.of(Log.Log)),
  /** Bloom filter of the logs. */
  logsBloom: Wire.bytes(256),
  /** Since Byzantium: 1 if the transaction succeeded, 0 if it failed. */
  status: Wire.missable(Wire.integer),
  /** The state root after the transaction, until Byzantium. See `rootOf`. */
  root: Wire.missable(Wire.kept(Root, isRoot)),
  /** The blob gas used, for a transaction with blobs (EIP-4844). */
  blobGasUsed: Wire.missable(Wire.quantity),
  /** Wei per unit of blob gas (EIP-4844). */
  blobGasPrice: Wire.missable(Wire.quantity)
}

const receipt = Wire.object("Receipt", fields, (value) => ({ ...value }))
/** A receipt. */
export const Receipt: Schema.Codec<Receipt, typeof receipt.schema.Encoded> = receipt.schema
/** See the Schema of the same name. */
export interface Receipt extends Schema.Schema.Type<typeof receipt.schema> {}

/** Names of the fields that are described here. */
export const knownFields: ReadonlySet<string> = new Set(Object.keys(fields))

/** Returns the type as a number; 0 for nodes from before EIP-2718, which omit it. */
export const typeOf = (receipt: Receipt): bigint => receipt.type ?? 0n

/** Returns the state root after the transaction, if the receipt has one. */
export const rootOf = (receipt: Receipt): Hash32.Hash32 | undefined =>
  Hash32.isHash32(receipt.root) ? receipt.root : undefined
