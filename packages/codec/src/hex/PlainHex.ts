/**
 * `0x` text of whole bytes in plain JavaScript, for small bundles: 1.5 kB compressed, half of `Hex`.
 *
 * The functions accept the same texts and return the same values as those of `Hex`, which convert long text several
 * times as fast. Use `Hex` unless the size of the bundle matters more.
 */
import type * as Schema from "effect/Schema"

import * as explainHex from "./explain.ts"
import type { Hex } from "./Hex.ts"
import * as HexDigits from "./hexDigits.ts"
import * as HexSchema from "./hexSchema.ts"
import { plain } from "./inJavaScript.ts"

/**
 * Returns the Schema of wire data kept as text, of exactly `size` bytes if a size is given. `identifier` names it in
 * errors.
 *
 * ```ts import.meta.vitest
 * import { PlainHex } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * const decode = Schema.decodeUnknownOption(PlainHex.schema(2))
 * decode("0xC0ff")._tag // => "Some"
 * decode("0xc0ffee")._tag // => "None"
 * ```
 */
export const schema = (size?: number, identifier: string = `Data${size ?? ""}`): Schema.Codec<Hex, string> =>
  HexSchema.dataBy(isData, size, identifier)

/**
 * Returns the lower-case `0x` text of the bytes.
 *
 * ```ts import.meta.vitest
 * import { PlainHex } from "@plumbline/codec"
 *
 * PlainHex.fromBytes(new Uint8Array([192, 255, 238])) // => "0xc0ffee"
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Hex => plain.encode(bytes)

/**
 * Returns the bytes of `0x` text, in either case of letters. Throws `HexError`, as `Hex.toBytesUnsafe` does.
 *
 * ```ts import.meta.vitest
 * import { PlainHex } from "@plumbline/codec"
 *
 * PlainHex.toBytesUnsafe("0xC0ffee") // => new Uint8Array([192, 255, 238])
 * ```
 */
export const toBytesUnsafe = (hex: string): Uint8Array<ArrayBuffer> => {
  const bytes = HexDigits.isWhole(hex, undefined) ? plain.decode(hex) : undefined
  if (bytes === undefined) throw explainHex.explain(hex)
  return bytes
}

/**
 * True if the value is `0x` text of whole bytes, of `size` bytes if a size is given.
 *
 * ```ts import.meta.vitest
 * import { PlainHex } from "@plumbline/codec"
 *
 * PlainHex.isHex("0x00") // => true
 * PlainHex.isHex("0x00", 2) // => false
 * ```
 */
export const isHex = (value: unknown, size?: number): value is Hex => typeof value === "string" && isData(value, size)

/**
 * Checks that the text is `0x` and `size` bytes, and returns it unchanged. Throws `HexError`.
 *
 * ```ts import.meta.vitest
 * import { PlainHex } from "@plumbline/codec"
 *
 * PlainHex.checkUnsafe("0xC0ff", 2) // => "0xC0ff"
 * ```
 */
export const checkUnsafe = (hex: string, size: number): Hex => {
  if (isHex(hex, size)) return hex
  throw explainHex.explain(hex, size)
}

const isData = (text: string, size?: number): boolean => HexDigits.isWhole(text, size) && HexDigits.allDigits(text, 2)
