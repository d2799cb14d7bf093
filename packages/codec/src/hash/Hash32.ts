/**
 * Hashes, roots and words: 32 bytes as branded text.
 */
import type * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as explainHex from "../hex/explain.ts"
import * as Hex from "../hex/Hex.ts"
import * as hexCodec from "../hex/hexConversion.ts"
import { HexError } from "../hex/HexError.ts"
import * as HexSchema from "../hex/hexSchema.ts"
import * as byHand from "../wire/byHand.ts"

/**
 * `0x` text of 32 bytes. Its case is kept.
 */
export type Hash32 = Hex.Hex & Brand.Brand<"Hash32">

/**
 * Schema of `0x` text of 32 bytes. Its case is kept.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Schema.decodeUnknownOption(Hash32.Hash32)
 * decode(`0x${"ab".repeat(32)}`)._tag // => "Some"
 * decode(`0x${"ab".repeat(33)}`)._tag // => "None"
 * ```
 */
export const Hash32: Schema.Codec<Hash32, string> = /* @__PURE__ */ byHand.checked(
  () => HexSchema.data(32, "Hash32").pipe(Schema.brand("Hash32")),
  (value) => isHash32(value)
)

/**
 * True if the value is `0x` text of 32 bytes, in either case of letters.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 *
 * Hash32.isHash32(Hash32.ZERO) // => true
 * Hash32.isHash32("0x00") // => false
 * ```
 */
export const isHash32 = (value: unknown): value is Hash32 => typeof value === "string" && hexCodec.isData(value, 32)

/**
 * Checks that the text is 32 bytes, and returns it unchanged. Fails with {@link HexError}.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 *
 * Hash32.fromHex(`0x${"ab".repeat(32)}`)._tag // => "Success"
 * Hash32.fromHex("0x1234")._tag // => "Failure"
 * ```
 */
export const fromHex = (hex: string): Result.Result<Hash32, HexError> =>
  isHash32(hex) ? Result.succeed(hex) : Result.fail(explainHex.explain(hex, 32))

/**
 * Does the same as {@link fromHex}, but throws {@link HexError}.
 */
export const fromHexUnsafe = (hex: string): Hash32 => {
  if (isHash32(hex)) return hex
  throw explainHex.explain(hex, 32)
}

/**
 * Returns the lower-case text of exactly 32 bytes. Fails with {@link HexError} `WrongSize`.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import * as Result from "effect/Result"
 *
 * Hash32.fromBytes(new Uint8Array(32)) // => Result.succeed(Hash32.ZERO)
 * Hash32.fromBytes(new Uint8Array(20))._tag // => "Failure"
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Result.Result<Hash32, HexError> =>
  bytes.length === 32
    ? Result.succeed(Hex.fromBytes(bytes) as Hash32)
    : Result.fail(new HexError({ reason: "WrongSize", index: 0, size: bytes.length, expectedSize: 32 }))

/**
 * Does the same as {@link fromBytes}, but throws {@link HexError}.
 */
export const fromBytesUnsafe = (bytes: Uint8Array): Hash32 => Result.getOrThrow(fromBytes(bytes))

/**
 * Returns the 32 bytes.
 */
export const toBytes = (value: Hash32): Uint8Array<ArrayBuffer> => Hex.toBytesUnsafe(value)

/**
 * True if both hashes are the same bytes, in either case of letters.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 *
 * const hash = Hash32.fromHexUnsafe(`0x${"AB".repeat(32)}`)
 * Hash32.equals(hash, Hash32.fromHexUnsafe(`0x${"ab".repeat(32)}`)) // => true
 * ```
 */
export const equals = (a: Hash32, b: Hash32): boolean => Hex.equals(a, b)

/**
 * 32 zero bytes.
 */
export const ZERO: Hash32 = `0x${"0".repeat(64)}` as Hash32
