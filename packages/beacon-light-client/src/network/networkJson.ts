/** The file form of a network's values: numbers as JSON numbers or as decimal text. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

const decimal = /* @__PURE__ */ (() =>
  Schema.Union([
    Schema.Natural,
    Schema.String.check(Schema.isPattern(/^(?:0|[1-9][0-9]{0,19})$/u, { expected: "a decimal number" }))
  ]))()

/** A number that may be large. It is written as decimal text. */
export const large: Schema.Codec<bigint, number | string> = /* @__PURE__ */ (() =>
  decimal.pipe(
    Schema.decodeTo(
      Schema.BigInt,
      SchemaTransformation.transform<bigint, number | string>({
        decode: (value) => BigInt(value),
        encode: (value) => value.toString()
      })
    )
  ))()

/** A count from 1 to 2^32 - 1. It is written as a JSON number. */
export const count: Schema.Codec<number, number | string> = /* @__PURE__ */ (() =>
  decimal.pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 0xffff_ffff })),
      SchemaTransformation.transform<number, number | string>({ decode: Number, encode: (value) => value })
    )
  ))()

/** The version of a fork: 4 bytes. */
export const version: Schema.Codec<Hex.Hex, string> = /* @__PURE__ */ PlainHex.schema(4)

/** A root or hash: 32 bytes. */
export const root: Schema.Codec<Hash32.Hash32, string> = /* @__PURE__ */ (() =>
  PlainHex.schema(32, "Hash32").pipe(Schema.brand("Hash32")))()
