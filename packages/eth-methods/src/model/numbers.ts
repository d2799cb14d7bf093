/** Numbers in the spellings of all clients. */
import * as Quantity from "@plumbline/codec/value/Quantity"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import { SomeDigits, toNumber } from "./digits.ts"

/** 2^256 - 1. */
export const MAX_WORD = (1n << 256n) - 1n

/** A number below 2^256. */
export const Below256 = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: MAX_WORD }))

/**
 * A quantity below 2^256. Nothing on Ethereum is larger, and the bound keeps a node from making callers convert a
 * megabyte of digits.
 */
export const Quantity256 = Quantity.Quantity.check(Schema.isLessThanOrEqualToBigInt(MAX_WORD))

/** A whole number below 2^256, also with leading zeros; written without. */
export const Integer = /* @__PURE__ */ (() =>
  SomeDigits.pipe(
    Schema.decodeTo(
      Below256,
      SchemaTransformation.transform({ decode: toNumber, encode: (number): string => Quantity.toHex(number) })
    )
  ))()

/** A whole number as a quantity or, from some nodes, as a JSON number; written as a quantity. */
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
