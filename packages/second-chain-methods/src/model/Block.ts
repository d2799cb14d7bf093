/**
 * Blocks in nodes' answers: blocks with a hash, and the unfinished block, which has no hash yet.
 *
 * A field that a later version of the specification added is optional here. Field names are those of the wire. JSON
 * numbers become `bigint`, all other numbers stay text as sent, and unknown fields are kept.
 *
 * Source: starknet-specs 0.1 to 0.10.2.
 */
import * as Schema from "effect/Schema"

import * as SecondChainWire from "./secondChainWire.ts"
import * as Transaction from "./Transaction.ts"

const transaction = SecondChainWire.of(Transaction.Transaction)

const price = SecondChainWire.object("ResourcePrice", {
  price_in_wei: SecondChainWire.felt,
  /** The price in fri, the 10^-18th part of a STRK. Version 0.5 calls it `price_in_strk`. */
  price_in_fri: SecondChainWire.optional(SecondChainWire.felt)
})
/** The price of one unit of a resource. */
export const ResourcePrice: Schema.Codec<ResourcePrice, typeof price.schema.Encoded> = price.schema
/** See the Schema of the same name. */
export interface ResourcePrice extends Schema.Schema.Type<typeof price.schema> {}

/** Fields that later versions of the specification added to every block. */
const later = {
  l1_gas_price: SecondChainWire.optional(price),
  l2_gas_price: SecondChainWire.optional(price),
  l1_data_gas_price: SecondChainWire.optional(price),
  /** The way in which the data is published on the chain below (L1): `BLOB` or `CALLDATA`. */
  l1_da_mode: SecondChainWire.optional(SecondChainWire.string),
  starknet_version: SecondChainWire.optional(SecondChainWire.string)
}

const header = {
  block_hash: SecondChainWire.felt,
  parent_hash: SecondChainWire.felt,
  block_number: SecondChainWire.count,
  /** The root of the state after the block. */
  new_root: SecondChainWire.felt,
  /** Unix time in seconds. */
  timestamp: SecondChainWire.count,
  sequencer_address: SecondChainWire.felt,
  status: SecondChainWire.literals("PENDING", "PRE_CONFIRMED", "ACCEPTED_ON_L2", "ACCEPTED_ON_L1", "REJECTED"),
  ...later
}

/** The unfinished block: `pending` with a parent up to 0.8, `pre_confirmed` with a number since 0.9. */
const unfinished = {
  parent_hash: SecondChainWire.optional(SecondChainWire.felt),
  block_number: SecondChainWire.optional(SecondChainWire.count),
  timestamp: SecondChainWire.optional(SecondChainWire.count),
  sequencer_address: SecondChainWire.optional(SecondChainWire.felt),
  ...later
}

const hashes = { transactions: SecondChainWire.felts }
const whole = { transactions: SecondChainWire.array(transaction) }

const hasHash = (value: unknown): boolean => {
  const { block_hash }: { readonly block_hash?: unknown } = typeof value === "object" && value !== null ? value : {}
  return block_hash !== undefined && block_hash !== null
}
const hasNone = (value: unknown): boolean => !hasHash(value)

const sealedWithHashes = SecondChainWire.object("BlockWithHashes", { ...header, ...hashes })
const sealedWithTransactions = SecondChainWire.object("BlockWithTransactions", { ...header, ...whole })
const unfinishedWithHashes = SecondChainWire.objectIf(
  "UnfinishedBlockWithHashes",
  { ...unfinished, ...hashes },
  hasNone,
  "no block_hash"
)
const unfinishedWithTransactions = SecondChainWire.objectIf(
  "UnfinishedBlockWithTransactions",
  { ...unfinished, ...whole },
  hasNone,
  "no block_hash"
)

/** A block with the hashes of its transactions. */
export const WithHashes: Schema.Codec<WithHashes, typeof sealedWithHashes.schema.Encoded> = sealedWithHashes.schema
/** See the Schema of the same name. */
export interface WithHashes extends Schema.Schema.Type<typeof sealedWithHashes.schema> {}

/** A block with its transactions. */
export const WithTransactions: Schema.Codec<WithTransactions, typeof sealedWithTransactions.schema.Encoded> =
  sealedWithTransactions.schema
/** See the Schema of the same name. */
export interface WithTransactions extends Schema.Schema.Type<typeof sealedWithTransactions.schema> {}

/** The unfinished block, with the hashes of its transactions. It has no hash yet, and may never get one. */
export const UnfinishedWithHashes: Schema.Codec<UnfinishedWithHashes, typeof unfinishedWithHashes.schema.Encoded> =
  unfinishedWithHashes.schema
/** See the Schema of the same name. */
export interface UnfinishedWithHashes extends Schema.Schema.Type<typeof unfinishedWithHashes.schema> {}

/** The unfinished block, with its transactions. It has no hash yet, and may never get one. */
export const UnfinishedWithTransactions: Schema.Codec<
  UnfinishedWithTransactions,
  typeof unfinishedWithTransactions.schema.Encoded
> = unfinishedWithTransactions.schema
/** See the Schema of the same name. */
export interface UnfinishedWithTransactions extends Schema.Schema.Type<typeof unfinishedWithTransactions.schema> {}

/** A block with a hash or the unfinished block, with the hashes of its transactions. */
export const AnyWithHashes = SecondChainWire.oneOf(Schema.Union([WithHashes, UnfinishedWithHashes]), (value) =>
  hasHash(value) ? sealedWithHashes : unfinishedWithHashes
).schema
/** See the Schema of the same name. */
export type AnyWithHashes = typeof AnyWithHashes.Type

/** A block with a hash or the unfinished block, with its transactions. */
export const AnyWithTransactions = SecondChainWire.oneOf(
  Schema.Union([WithTransactions, UnfinishedWithTransactions]),
  (value) => (hasHash(value) ? sealedWithTransactions : unfinishedWithTransactions)
).schema
/** See the Schema of the same name. */
export type AnyWithTransactions = typeof AnyWithTransactions.Type

/**
 * True if a block has a hash, which the unfinished block lacks.
 *
 * ```ts import.meta.vitest
 * import { Block } from "@plumbline/second-chain-methods"
 *
 * Block.isSealed({ transactions: [] }) // => false
 * ```
 */
export const isSealed = <B extends AnyWithHashes | AnyWithTransactions>(
  block: B
): block is Extract<B, WithHashes | WithTransactions> => hasHash(block)

const place = SecondChainWire.object("BlockHashAndNumber", {
  block_hash: SecondChainWire.felt,
  block_number: SecondChainWire.count
})
/** The hash and number of a block. */
export const HashAndNumber: Schema.Codec<HashAndNumber, typeof place.schema.Encoded> = place.schema
/** See the Schema of the same name. */
export interface HashAndNumber extends Schema.Schema.Type<typeof place.schema> {}
