/**
 * Names the block that a read is about, by a number, a tag or a hash.
 *
 * Sources: the interface's block parameter; EIP-1898 for the objects. geth also accepts a bare 32-byte hash.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as WireObject from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"

import * as EthWire from "./ethWire.ts"
import * as Input from "./Input.ts"

/**
 * A tag: `latest` is the head, `earliest` the genesis block or the oldest block that the node has, `pending` the possible
 * next block, `safe` the newest block that consensus is unlikely to revert, and `finalized` the newest block that
 * consensus cannot revert.
 */
export const Tag = Schema.Literals(["latest", "earliest", "pending", "safe", "finalized"]).annotate({
  identifier: "BlockTag"
})
/** See the Schema of the same name. */
export type Tag = typeof Tag.Type

/** A block by its hash. With `requireCanonical`, the node refuses a block that is not on its main chain (EIP-1898). */
export const ByHash = Schema.Struct({
  blockHash: Input.Hash32,
  requireCanonical: EthWire.missable(EthWire.boolean).schema
}).annotate({ identifier: "BlockByHash" })

const MAX_NUMBER = 2n ** 64n - 1n

/** A number below 2^64, as in geth. The bound keeps a hash from passing as a number where only numbers are allowed. */
const BlockNumber = Quantity.Quantity.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_NUMBER }))

/** Describes the fault of a value that has the form of no block. */
const Formless = Schema.Literals(Tag.literals).annotate({
  expected: "a number in hex, or a tag: latest, earliest, pending, safe or finalized"
})

const tags: ReadonlySet<unknown> = new Set(Tag.literals)

const isTag = (value: unknown): boolean => tags.has(value)

/**
 * Installs the conversion by hand for numbers and for texts that stay unchanged. The Schema converts objects. `formOf`
 * returns the form that describes the fault of a text or an object.
 */
const installed = <S extends Schema.Top>(
  schema: S,
  isKept: (value: unknown) => boolean,
  formOf: (value: string | object) => Schema.Top
): S => {
  const wire: WireObject.Wire<S> = {
    schema,
    decode: (value) => {
      if (isKept(value)) return value
      // 2^64 - 1 has 16 digits
      return typeof value === "string" && value.length <= 18 ? Quantity.fromHexUnsafe(value) : WireObject.fail()
    },
    encode: (value) => {
      if (typeof value !== "bigint") return isKept(value) ? value : WireObject.fail()
      return value <= MAX_NUMBER ? Quantity.toHex(value) : WireObject.fail()
    }
  }
  return WireObject.install(wire, (value) =>
    typeof value === "bigint"
      ? BlockNumber
      : typeof value === "string" || (typeof value === "object" && value !== null)
        ? formOf(value)
        : Formless
  ).schema
}

const isHex = (value: unknown): value is string => typeof value === "string" && value.startsWith("0x")

/** Length of the text of a hash. */
const HASH = 66

/** A number or a tag, for methods that accept only blocks of the main chain. */
export const NumberOrTag = /* @__PURE__ */ installed(Schema.Union([Tag, BlockNumber]), isTag, (value) =>
  isHex(value) ? BlockNumber : Formless
)
/** See the Schema of the same name. */
export type NumberOrTag = typeof NumberOrTag.Type

/** A block by its number, as an object (EIP-1898). As geth does, it also takes a tag. */
export const ByNumber = Schema.Struct({ blockNumber: NumberOrTag }).annotate({ identifier: "BlockByNumber" })

const [byHash, byNumber, byBoth] = [
  EthWire.bySchema(ByHash),
  EthWire.bySchema(ByNumber),
  EthWire.bySchema(Schema.Struct({ blockNumber: EthWire.excluded("blockHash") }))
]

/** One of the objects of EIP-1898: a block by hash or by number, not both. A member that is null is missing. */
const ByObject = /* @__PURE__ */ (() =>
  EthWire.oneOf(Schema.Union([ByHash, ByNumber], { mode: "oneOf" }), (value) =>
    value?.blockHash == null ? byNumber : value.blockNumber == null ? byHash : byBoth
  ).schema)()

/**
 * A number, a tag, a hash, or one of the objects of EIP-1898, for methods about state.
 *
 * ```ts import.meta.vitest
 * import { BlockParameter } from "@plumbline/eth-methods"
 * import { Schema } from "effect"
 *
 * Schema.encodeSync(BlockParameter.BlockParameter)(255n) // => "0xff"
 * Schema.decodeUnknownSync(BlockParameter.BlockParameter)("latest") // => "latest"
 * ```
 */
export const BlockParameter = /* @__PURE__ */ installed(
  Schema.Union([Tag, Input.Hash32, BlockNumber, ByObject]),
  (text) => isTag(text) || Hash32.isHash32(text),
  (value) => {
    if (typeof value !== "string") return ByObject
    if (!isHex(value)) return Formless
    return value.length === HASH ? Input.Hash32 : BlockNumber
  }
)
/** See the Schema of the same name. */
export type BlockParameter = typeof BlockParameter.Type

/**
 * True if the parameter names the pending block, as a tag or in an object. No hash proves anything about that block.
 *
 * ```ts import.meta.vitest
 * import { BlockParameter } from "@plumbline/eth-methods"
 *
 * BlockParameter.isPending({ blockNumber: "pending" }) // => true
 * ```
 */
export const isPending = (parameter: unknown): boolean =>
  parameter === "pending" ||
  (typeof parameter === "object" &&
    parameter !== null &&
    "blockNumber" in parameter &&
    parameter.blockNumber === "pending")
