/**
 * The values of the second chain's wire objects: felts, and numbers that are sent as JSON numbers or as hex.
 *
 * `WireObject` of codec makes objects and lists of them.
 */
import { array, type WireConversion, fail, kept, type Wire } from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Felt_ from "./Felt.ts"
import * as Uint from "./Uint.ts"

export {
  array,
  bySchema,
  fail,
  install,
  literals,
  object,
  objectIf,
  of,
  oneOf,
  optional,
  string
} from "@plumbline/codec/wire/WireObject"
export type { Wire } from "@plumbline/codec/wire/WireObject"

/** A field element. */
export const felt = /* @__PURE__ */ kept(Felt_.Felt, Felt_.isFelt)

/** A number below 2^64, in hex. */
export const u64 = /* @__PURE__ */ kept(Uint.U64, Uint.isU64)

/** A number below 2^128, in hex. */
export const u128 = /* @__PURE__ */ kept(Uint.U128, Uint.isU128)

/** A list of field elements. */
export const felts = /* @__PURE__ */ array(felt)

/** The largest exact whole number in JSON. */
const MAX_COUNT = BigInt(Number.MAX_SAFE_INTEGER)

const Count = /* @__PURE__ */ (() =>
  Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
    Schema.decodeTo(
      Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_COUNT })),
      SchemaTransformation.transform({ decode: BigInt, encode: Number })
    )
  ))()

const toJson: WireConversion = (value) =>
  typeof value === "bigint" && value >= 0n && value <= MAX_COUNT ? Number(value) : fail()

/** A whole number that is sent as a JSON number. */
export const count: Wire<typeof Count> = {
  schema: Count,
  decode: (value) => (Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : fail()),
  encode: toJson
}

const CountOrHex = /* @__PURE__ */ (() =>
  Schema.Union([
    Count,
    Uint.U64.pipe(
      Schema.decodeTo(
        Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: (1n << 64n) - 1n })),
        SchemaTransformation.transform({
          decode: BigInt,
          encode: (number) => `0x${number.toString(16)}` as Uint.U64
        })
      )
    )
  ]))()

/** A whole number that is sent as a JSON number, or by old nodes as hex. The encoder writes a JSON number. */
export const countOrHex: Wire<typeof CountOrHex> = {
  schema: CountOrHex,
  decode: (value) => (Uint.isU64(value) ? BigInt(value) : count.decode(value)),
  encode: toJson
}
