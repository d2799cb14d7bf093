/**
 * Which block a question is about: a number, a tag, or a hash.
 *
 * Source: the interface's block parameter; EIP-1898 for the objects. A bare 32-byte hash is what geth also takes.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Schema from "effect/Schema"

/**
 * `latest` the head; `earliest` the genesis; `pending` the possible next block; `safe` the newest block that consensus
 * is unlikely to revert; `finalized` the newest one that it cannot revert.
 */
export const Tag = Schema.Literals(["latest", "earliest", "pending", "safe", "finalized"]).annotate({
  identifier: "BlockTag"
})
/** See the Schema of the same name. */
export type Tag = typeof Tag.Type

/** A block by its hash; with `requireCanonical` a node refuses one that is not on its main chain (EIP-1898). */
export const ByHash = Schema.Struct({
  blockHash: Hash32.Hash32,
  requireCanonical: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "BlockByHash" })

/** Below 2^64, as in geth: a hash is not taken for a number where only numbers are. */
const BlockNumber = Quantity.Quantity.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 64n - 1n }))

/** A block by its number, as an object (EIP-1898). */
export const ByNumber = Schema.Struct({ blockNumber: BlockNumber }).annotate({ identifier: "BlockByNumber" })

/** One of the objects of EIP-1898: a block by hash or by number, not both. */
const ByObject = Schema.Union([ByHash, ByNumber], { mode: "oneOf" })

/** A number or a tag: where only the main chain can be meant. */
export const NumberOrTag = Schema.Union([Tag, BlockNumber])
/** See the Schema of the same name. */
export type NumberOrTag = typeof NumberOrTag.Type

/**
 * A number, a tag, a hash, or one of the objects of EIP-1898: where state is asked for.
 *
 * ```ts import.meta.vitest
 * import { BlockParameter } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * Schema.encodeSync(BlockParameter.BlockParameter)(255n) // => "0xff"
 * Schema.decodeUnknownSync(BlockParameter.BlockParameter)("latest") // => "latest"
 * ```
 */
export const BlockParameter = Schema.Union([Tag, Hash32.Hash32, BlockNumber, ByObject])
/** See the Schema of the same name. */
export type BlockParameter = typeof BlockParameter.Type
