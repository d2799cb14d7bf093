/**
 * Field elements: hashes, addresses, signatures and nearly every other value of the second chain.
 *
 * A felt is a number below the prime 2^251 + 17 * 2^192 + 1. On the wire it is `0x` and hex digits. The text is kept as
 * sent, because the specifications disagree about leading zeros, real nodes send them, and a decoded felt must encode
 * to the same JSON.
 *
 * Source: starknet-specs, FELT. The pattern forbids leading zeros since 0.4, but required one in 0.1.
 */
import * as CheckedText from "@plumbline/codec/hex/CheckedText"
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

import * as FeltDigits from "./feltDigits.ts"
import { FeltError } from "./FeltError.ts"

export { FeltError } from "./FeltError.ts"

/** `0x` text of a number below the prime, as sent. */
export type Felt = `0x${string}` & Brand.Brand<"Felt">

/** The prime of the field: 2^251 + 17 * 2^192 + 1. */
export const PRIME: bigint = (1n << 251n) + 17n * (1n << 192n) + 1n

/**
 * True if the value is `0x` and 1 to 64 hex digits that stand for a number below the prime.
 *
 * ```ts import.meta.vitest
 * import { Felt } from "@plumbline/second-chain-methods"
 *
 * Felt.isFelt("0x0042") // => true
 * Felt.isFelt(`0x${Felt.PRIME.toString(16)}`) // => false
 * Felt.isFelt("0x") // => false
 * ```
 */
export const isFelt = (value: unknown): value is Felt => FeltDigits.isBelow(value, PRIME, 62)

/**
 * Schema of a felt, whose text is kept as sent.
 *
 * ```ts import.meta.vitest
 * import { Felt } from "@plumbline/second-chain-methods"
 * import { Schema } from "effect"
 *
 * Schema.decodeUnknownSync(Felt.Felt)("0x0aB") // => "0x0aB"
 * ```
 */
export const Felt: Schema.Codec<Felt, string> = /* @__PURE__ */ CheckedText.schema(
  isFelt,
  "^0x0?[0-8]?[0-9a-fA-F]{1,62}$",
  "0x and hex digits of a number below the field prime",
  "Felt"
)

/**
 * Checks that a text is a felt, and returns it unchanged. Fails with {@link FeltError}.
 *
 * ```ts import.meta.vitest
 * import { Felt } from "@plumbline/second-chain-methods"
 *
 * Felt.fromHex("0x534e5f4d41494e")._tag // => "Success"
 * Felt.fromHex("534e5f4d41494e")._tag // => "Failure"
 * ```
 */
export const fromHex = (hex: string): Result.Result<Felt, FeltError> =>
  isFelt(hex)
    ? Result.succeed(hex)
    : Result.fail(new FeltError({ reason: FeltDigits.isDigits(hex) ? "OutOfRange" : "NotHex" }))

/** Works as {@link fromHex}, but throws {@link FeltError}. */
export const fromHexUnsafe = (hex: string): Felt => Result.getOrThrow(fromHex(hex))

/**
 * Returns the felt of a number, without leading zeros. Fails with {@link FeltError} if the number is below 0, or not
 * below the prime.
 *
 * ```ts import.meta.vitest
 * import { Felt } from "@plumbline/second-chain-methods"
 * import { Result } from "effect"
 *
 * Felt.fromBigInt(255n) // => Result.succeed(Felt.fromHexUnsafe("0xff"))
 * Felt.fromBigInt(Felt.PRIME)._tag // => "Failure"
 * ```
 */
export const fromBigInt = (number: bigint): Result.Result<Felt, FeltError> =>
  number >= 0n && number < PRIME
    ? Result.succeed(`0x${number.toString(16)}` as Felt)
    : Result.fail(new FeltError({ reason: "OutOfRange" }))

/** Works as {@link fromBigInt}, but throws {@link FeltError}. */
export const fromBigIntUnsafe = (number: bigint): Felt => Result.getOrThrow(fromBigInt(number))

/**
 * Returns the number that a felt stands for.
 *
 * ```ts import.meta.vitest
 * import { Felt } from "@plumbline/second-chain-methods"
 *
 * Felt.toBigInt(Felt.fromHexUnsafe("0x00ff")) // => 255n
 * ```
 */
export const toBigInt = (felt: Felt): bigint => BigInt(felt)

/**
 * True if both felts are the same number, in any spelling.
 *
 * ```ts import.meta.vitest
 * import { Felt } from "@plumbline/second-chain-methods"
 *
 * Felt.equals(Felt.fromHexUnsafe("0x0A"), Felt.fromHexUnsafe("0xa")) // => true
 * ```
 */
export const equals = (a: Felt, b: Felt): boolean => a === b || toBigInt(a) === toBigInt(b)
