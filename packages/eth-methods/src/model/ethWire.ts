/**
 * The values of Ethereum's wire objects: hashes, addresses, data and numbers in the spellings of all nodes.
 *
 * `WireObject` of codec makes objects and lists of them.
 */
import * as Hash32_ from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address_ from "@plumbline/codec/value/PlainAddress"
import { type WireConversion, fail, kept, MISSING, of, type Wire } from "@plumbline/codec/wire/WireObject"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaGetter from "effect/SchemaGetter"

import type * as Input from "./Input.ts"
import { Count, CountAsSent, Integer, Quantity256, toQuantity } from "./wireNumbers.ts"
import { isDigits } from "./wordDigits.ts"

export {
  array,
  boolean,
  bySchema,
  fail,
  install,
  kept,
  nullOr,
  number,
  object,
  objectIf,
  of,
  oneOf,
  optional,
  string,
  struct
} from "@plumbline/codec/wire/WireObject"
export type { WireConversion, Narrow, Wire } from "@plumbline/codec/wire/WireObject"

/** Length of `0x` and 64 digits. */
const MAX_TEXT = 66

/** A 32-byte hash. */
export const hash32 = /* @__PURE__ */ kept(Hash32_.Hash32, Hash32_.isHash32)

/** A 20-byte address. */
export const address = /* @__PURE__ */ kept(Address_.Address, Address_.isAddress)

/** A 32-byte hash in a value that programs write. */
export const inputHash32: Wire<Schema.Codec<Input.Hash32, string>> = /* @__PURE__ */ kept(
  Hash32_.Hash32,
  Hash32_.isHash32
)

/** A 20-byte address in a value that programs write. */
export const inputAddress: Wire<Schema.Codec<Input.Address, string>> = /* @__PURE__ */ kept(
  Address_.Address,
  Address_.isAddress
)

/** Bytes of any length. */
export const data = /* @__PURE__ */ kept(Hex.Hex, Hex.isHex)

/** Exactly `size` bytes. */
export const bytes = (size: number): Wire<Schema.Codec<Hex.Hex, string>> => {
  const length = 2 + 2 * size
  return kept(Hex.sized(size), (value) => Hex.isHex(value) && value.length === length)
}

/** A whole number below 2^256. */
export const quantity: Wire<typeof Quantity256> = /* @__PURE__ */ of(Quantity256)

/** A whole number below 2^256, with or without leading zeros. Some nodes write it as one byte, others as 32. */
export const integer: Wire<typeof Integer> = {
  schema: Integer,
  decode: (value) => {
    // most of these values are parities, 0 or 1
    if (value === "0x0") return 0n
    if (value === "0x1") return 1n
    return isDigits(value) && value.length > 2 ? BigInt(value) : fail()
  },
  encode: toQuantity
}

/** A whole number that some nodes write as a JSON number. */
export const count: Wire<typeof Count> = {
  schema: Count,
  decode: (value) => (Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : quantity.decode(value)),
  encode: toQuantity
}

/** A whole number that keeps the form in which the node wrote it: a quantity, or a JSON number. */
export const countAsSent: Wire<typeof CountAsSent> = {
  schema: CountAsSent,
  decode: (value) => (isCount(value) ? value : quantity.decode(value)),
  encode: (value) => (isCount(value) ? value : toQuantity(value))
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

/** A wire value that is always this one number, as a literal type. */
export const literal = <S extends Schema.Top>(schema: S, wire: string, number: bigint): Wire<S> => ({
  schema,
  decode: (value) => (value === wire ? number : fail()),
  encode: (value) => (value === number ? wire : fail())
})

/**
 * A field that often has the same text in many consecutive objects, such as the block hash in each transaction of a
 * block. The conversion of the last text is kept, so a repeated text is converted once.
 */
export const repeated = <W extends Wire>(wire: W): W => ({ ...wire, decode: keepingLast(wire.decode) })

/** Maximum length of a kept text. Longer texts are converted each time, because keeping them would hold memory. */
const MAX_KEPT = MAX_TEXT

const keepingLast = (convert: WireConversion): WireConversion => {
  let text: string | undefined
  let converted: unknown
  return (value) => {
    if (value === text && value !== undefined) return converted
    const after = convert(value)
    if (typeof value === "string" && value.length <= MAX_KEPT) {
      text = value
      converted = after
    }
    return after
  }
}

/**
 * A field that an object may lack, and that some nodes then send as null. The decoded object lacks it in both cases.
 * For example, a block from before London has no `baseFeePerGas`, even if the node sends null for it.
 */
export const missable = <S extends Schema.Top>({ decode, encode, schema }: Wire<S>): Wire<Missable<S>> => ({
  schema: Schema.optionalKey(Schema.NullOr(schema)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.toType(schema)), {
      decode: SchemaGetter.transformOptional((found: Option.Option<S["Type"] | null>) =>
        Option.filter(found, (value): value is S["Type"] => value !== null)
      ),
      encode: SchemaGetter.passthrough()
    })
  ) as Missable<S>,
  decode: (value) => (value === null ? MISSING : decode(value)),
  encode,
  optional: true
})

/** The Schema of a `missable` field. It is not exported, so that declarations write out the type. */
type Missable<S extends Schema.Top> = Schema.decodeTo<
  Schema.optionalKey<Schema.toType<S>>,
  Schema.optionalKey<Schema.NullOr<S>>
>

/** Returns the Schema of a member that another member excludes. As in geth, it may be null, and is then left out. */
export const excluded = (by: string): Excluded => {
  const isNull = Schema.makeFilter((value: unknown) => value === null, { expected: `no value beside ${by}` })
  return Schema.optionalKey(Schema.Unknown.check(isNull)).pipe(
    Schema.decodeTo(Schema.optionalKey(Schema.Never), {
      decode: SchemaGetter.transformOptional((): Option.Option<never> => Option.none()),
      encode: SchemaGetter.passthrough()
    })
  ) as Schema.Top as Excluded
}

/** The Schema of an `excluded` member. It is not exported, so that declarations write out the type. */
type Excluded = Schema.decodeTo<Schema.optionalKey<Schema.Never>, Schema.optionalKey<Schema.Null>>
