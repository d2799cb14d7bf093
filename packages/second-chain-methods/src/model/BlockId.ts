/**
 * Names the block of a call by a number, a hash or a tag.
 *
 * Source: starknet-specs, BLOCK_ID. Tags changed with 0.9: `pending` became `pre_confirmed`, and `l1_accepted` is new.
 * A node's `specVersion` determines which tags it accepts; the node refuses tags of other versions.
 */
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Felt from "./Felt.ts"
import * as SecondChainWire from "./secondChainWire.ts"

/**
 * A tag: `latest` is the newest block with a hash; `pending` (up to 0.8) and `pre_confirmed` (since 0.9) are the
 * unfinished block; `l1_accepted` (since 0.9) is the newest block that the chain below (L1) has accepted.
 */
export const Tag = Schema.Literals(["latest", "pending", "pre_confirmed", "l1_accepted"]).annotate({
  identifier: "BlockTag"
})
/** See the Schema of the same name. */
export type Tag = typeof Tag.Type

const ByHash = Schema.Struct({ block_hash: Felt.Felt }).pipe(
  Schema.decodeTo(
    Schema.toType(Felt.Felt),
    SchemaTransformation.transform({
      decode: ({ block_hash }) => block_hash,
      encode: (block_hash) => ({ block_hash })
    })
  )
)

const ByNumber = Schema.Struct({ block_number: SecondChainWire.count.schema }).pipe(
  Schema.decodeTo(
    Schema.toType(SecondChainWire.count.schema),
    SchemaTransformation.transform({
      decode: ({ block_number }) => block_number,
      encode: (block_number) => ({ block_number })
    })
  )
)

const tag = SecondChainWire.literals(...Tag.literals)
const byHash = SecondChainWire.bySchema(ByHash)
const byNumber = SecondChainWire.bySchema(ByNumber)

/**
 * A number as `bigint`, a hash, or a tag. On the wire, a number or a hash is an object with one field.
 *
 * ```ts import.meta.vitest
 * import { BlockId, Felt } from "@plumbline/second-chain-methods"
 * import { Schema } from "effect"
 *
 * const encode = Schema.encodeSync(BlockId.BlockId)
 * encode(7n) // => { block_number: 7 }
 * encode(Felt.fromHexUnsafe("0x7")) // => { block_hash: "0x7" }
 * encode("pre_confirmed") // => "pre_confirmed"
 * ```
 */
export const BlockId = SecondChainWire.oneOf(Schema.Union([Tag, ByHash, ByNumber]), (value) => {
  if (typeof value === "string") return value.startsWith("0x") ? byHash : tag
  return typeof value === "bigint" || value?.block_number !== undefined ? byNumber : byHash
}).schema
/** See the Schema of the same name. */
export type BlockId = typeof BlockId.Type
