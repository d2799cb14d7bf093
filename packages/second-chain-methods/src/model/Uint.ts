/**
 * Bounded whole numbers other than field elements: amounts, prices and tips. They are kept as sent, like felts.
 *
 * Source: starknet-specs, u64 and u128.
 */
import * as CheckedText from "@plumbline/codec/hex/CheckedText"
import type * as Brand from "effect/Brand"
import type * as Schema from "effect/Schema"

import * as FeltDigits from "./feltDigits.ts"

/** `0x` text of a number below 2^64, as sent. */
export type U64 = `0x${string}` & Brand.Brand<"U64">

/** `0x` text of a number below 2^128, as sent. */
export type U128 = `0x${string}` & Brand.Brand<"U128">

const BOUND_64 = 1n << 64n
const BOUND_128 = 1n << 128n

/** True if the value is the text of a number below 2^64. */
export const isU64 = (value: unknown): value is U64 => FeltDigits.isBelow(value, BOUND_64, 16)

/** True if the value is the text of a number below 2^128. */
export const isU128 = (value: unknown): value is U128 => FeltDigits.isBelow(value, BOUND_128, 32)

/**
 * Schema of a number below 2^64, whose text is kept as sent.
 *
 * ```ts import.meta.vitest
 * import { Uint } from "@plumbline/second-chain-methods"
 * import { Schema } from "effect"
 *
 * Schema.is(Uint.U64)("0xffffffffffffffff") // => true
 * Schema.is(Uint.U64)("0x10000000000000000") // => false
 * ```
 */
export const U64: Schema.Codec<U64, string> = /* @__PURE__ */ CheckedText.schema(
  isU64,
  "^0x0*[0-9a-fA-F]{1,16}$",
  "0x and hex digits of a number below 2^64",
  "U64"
)

/** Schema of a number below 2^128, whose text is kept as sent. */
export const U128: Schema.Codec<U128, string> = /* @__PURE__ */ CheckedText.schema(
  isU128,
  "^0x0*[0-9a-fA-F]{1,32}$",
  "0x and hex digits of a number below 2^128",
  "U128"
)

/** Returns the number that the text stands for. */
export const toBigInt = (number: U64 | U128): bigint => BigInt(number)
