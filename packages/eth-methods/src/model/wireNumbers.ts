/** Numbers in the spellings of all nodes. */
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as WireObject from "@plumbline/codec/wire/WireObject"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { SomeDigits, toNumber } from "./wordDigits.ts"

/** 2^256 - 1. */
export const MAX_WORD = (1n << 256n) - 1n

/** Length of `0x` and 64 digits. */
const MAX_TEXT = 66

const fromQuantity: WireObject.WireConversion = (value) =>
  typeof value === "string" && value.length <= MAX_TEXT ? Quantity.fromHexUnsafe(value) : WireObject.fail()

/** Encodes a number below 2^256 by hand. */
export const toQuantity: WireObject.WireConversion = (value) =>
  typeof value === "bigint" && value <= MAX_WORD ? Quantity.toHex(value) : WireObject.fail()

/** A number below 2^256. */
export const Below256 = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_WORD }))

/**
 * A quantity below 2^256. Nothing on Ethereum is larger. Without the bound, a node could make callers convert a
 * megabyte of digits.
 */
export const Quantity256 = /* @__PURE__ */ (() => {
  const make = () => Quantity.Quantity.check(Schema.isLessThanOrEqualToBigInt(MAX_WORD))
  const interpreted = make()
  return WireObject.install({ schema: make(), decode: fromQuantity, encode: toQuantity }, () => interpreted).schema
})()

/** A whole number below 2^256. Leading zeros are accepted, but not written. */
export const Integer = /* @__PURE__ */ (() =>
  SomeDigits.pipe(
    Schema.decodeTo(
      Below256,
      SchemaTransformation.transform({ decode: toNumber, encode: (number): string => Quantity.toHex(number) })
    )
  ))()

/** A whole number, sent as a quantity or, by some nodes, as a JSON number. The encoder writes a quantity. */
export const Count = /* @__PURE__ */ (() =>
  Schema.Union([
    Quantity256,
    Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)).pipe(
      Schema.decodeTo(
        Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: BigInt(Number.MAX_SAFE_INTEGER) })),
        SchemaTransformation.transform({ decode: BigInt, encode: Number })
      )
    )
  ]))()

/** A whole number that keeps its form: a `bigint` if the node sent a quantity, a `number` if it sent a JSON number. */
export const CountAsSent = /* @__PURE__ */ (() =>
  Schema.Union([Quantity256, Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))]))()

/** A whole number in decimal digits, as nodes send the network id. */
export const Decimal = /* @__PURE__ */ (() =>
  Schema.String.check(Schema.isPattern(/^[0-9]{1,78}$/u, { expected: "decimal digits" })).pipe(
    Schema.decodeTo(
      Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 78n - 1n })),
      SchemaTransformation.transform({ decode: (text) => BigInt(text), encode: (number) => number.toString() })
    )
  ))()

/** A whole number as a quantity, as a JSON number or in decimal digits. The encoder writes a quantity. */
export const AnyCount = /* @__PURE__ */ (() => {
  const quantity = { schema: Quantity256, decode: fromQuantity, encode: toQuantity }
  const decimal = Decimal.check(Schema.isLessThanOrEqualToBigInt(MAX_WORD))
  const [number, digits] = [WireObject.bySchema(Count), WireObject.bySchema(decimal)]
  return WireObject.oneOf(Schema.Union([Count, decimal]), (value) =>
    typeof value === "number" ? number : typeof value === "string" && !value.startsWith("0x") ? digits : quantity
  ).schema
})()
