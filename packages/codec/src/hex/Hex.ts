/**
 * `0x` text of whole bytes, called data in Ethereum's JSON-RPC.
 */
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"

import * as explainHex from "./explain.ts"
import * as hexCodec from "./hexConversion.ts"
import * as HexDigits from "./hexDigits.ts"
import type { HexError } from "./HexError.ts"
import * as HexSchema from "./hexSchema.ts"

export { HexError } from "./HexError.ts"

/**
 * `0x` text. The type guarantees only the prefix: functions that take text from outside check the rest.
 */
export type Hex = `0x${string}`

/**
 * Schema of wire data kept as text: `0x` and any whole number of bytes. The case is kept.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Schema.decodeUnknownOption(Hex.Hex)
 * decode("0xC0ffee")._tag // => "Some"
 * decode("0xc0ffe")._tag // => "None"
 * decode("c0ffee")._tag // => "None"
 * ```
 */
export const Hex: Schema.Codec<Hex, string> = /* @__PURE__ */ HexSchema.data(undefined, "Data")

/**
 * Returns the Schema of wire data of exactly `size` bytes, kept as text.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * const Nonce = Hex.sized(8)
 * Schema.decodeUnknownSync(Nonce)("0x0000000000000042") // => "0x0000000000000042"
 * ```
 */
export const sized = (size: number): Schema.Codec<Hex, string> => HexSchema.data(size, `Data${size}`)

/**
 * Returns the lower-case `0x` text of the bytes.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 *
 * Hex.fromBytes(new Uint8Array([192, 255, 238])) // => "0xc0ffee"
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Hex => hexCodec.get().encode(bytes)

/**
 * Returns the bytes of `0x` text, in either case of letters.
 *
 * Fails with {@link HexError} on a missing prefix, half a byte, or a character that is not a hex digit.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import * as Result from "effect/Result"
 *
 * Hex.toBytes("0xC0ffee") // => Result.succeed(new Uint8Array([192, 255, 238]))
 * Result.getOrUndefined(Result.flip(Hex.toBytes("0xc0ffex")))?.index // => 7
 * ```
 */
export const toBytes = (hex: string): Result.Result<Uint8Array<ArrayBuffer>, HexError> => {
  const bytes = decode(hex)
  return bytes === undefined ? Result.fail(explainHex.explain(hex)) : Result.succeed(bytes)
}

/**
 * Does the same as {@link toBytes}, but throws {@link HexError}.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 *
 * Hex.toBytesUnsafe("0x") // => new Uint8Array(0)
 * ```
 */
export const toBytesUnsafe = (hex: string): Uint8Array<ArrayBuffer> => {
  const bytes = decode(hex)
  if (bytes === undefined) throw explainHex.explain(hex)
  return bytes
}

/**
 * True if the value is `0x` text of whole bytes.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 *
 * Hex.isHex("0x00") // => true
 * Hex.isHex("0x0") // => false
 * ```
 */
export const isHex = (value: unknown): value is Hex => typeof value === "string" && hexCodec.isData(value)

/**
 * Returns the number of bytes that the text stands for.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 *
 * Hex.size("0xc0ffee") // => 3
 * ```
 */
export const size = (hex: Hex): number => (hex.length - 2) >> 1

/**
 * True if two texts stand for the same bytes, in either case of letters.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 *
 * Hex.equals("0xC0FFEE", "0xc0ffee") // => true
 * ```
 */
export const equals = (a: Hex, b: Hex): boolean =>
  a === b || (a.length === b.length && a.toLowerCase() === b.toLowerCase())

const decode = (hex: string): Uint8Array<ArrayBuffer> | undefined =>
  HexDigits.hasPrefix(hex) && hex.length % 2 === 0 ? hexCodec.get().decode(hex) : undefined
