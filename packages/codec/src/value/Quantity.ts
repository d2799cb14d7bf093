/**
 * Whole numbers: `0x` text without leading zeros on the wire, `bigint` in programs, minimal big-endian bytes in RLP.
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

import * as Hex from "../hex/Hex.ts"
import * as hexCodec from "../hex/hexConversion.ts"
import * as HexDigits from "../hex/hexDigits.ts"
import * as HexSchema from "../hex/hexSchema.ts"
import * as bigEndian from "./bigEndian.ts"
import { QuantityError } from "./QuantityError.ts"

export { QuantityError } from "./QuantityError.ts"

/**
 * A whole number, zero or more.
 */
export type Quantity = bigint

/**
 * Schema of a wire quantity (`0x0`, `0x41`; never `0x` or `0x041`) as `bigint`.
 *
 * ```ts import.meta.vitest
 * import { Quantity } from "@plumbline/codec"
 * import * as Schema from "effect/Schema"
 *
 * Schema.decodeUnknownSync(Quantity.Quantity)("0x41") // => 65n
 * Schema.encodeSync(Quantity.Quantity)(65n) // => "0x41"
 * ```
 */
export const Quantity: Schema.Codec<Quantity, string> = HexSchema.text(
  (text): text is Hex.Hex => parse(text) !== undefined,
  "^0x(?:0|[1-9a-fA-F][0-9a-fA-F]*)$",
  "a 0x quantity without leading zeros",
  "Quantity"
).pipe(
  Schema.decodeTo(
    Schema.BigInt.check(Schema.isGreaterThanOrEqualToBigInt(0n)),
    SchemaTransformation.transform({ decode: (hex) => fromHexUnsafe(hex), encode: (n) => toHex(n) })
  )
)

/**
 * Returns the number that a wire quantity stands for.
 *
 * Fails with {@link QuantityError} on a missing prefix, on `0x` alone, on leading zeros and on other characters.
 *
 * ```ts import.meta.vitest
 * import { Quantity } from "@plumbline/codec"
 * import * as Result from "effect/Result"
 *
 * Quantity.fromHex("0x41") // => Result.succeed(65n)
 * Result.getOrUndefined(Result.flip(Quantity.fromHex("0x041")))?.reason // => "LeadingZero"
 * ```
 */
export const fromHex = (hex: string): Result.Result<bigint, QuantityError> => {
  const n = parse(hex)
  return n === undefined ? Result.fail(explain(hex)) : Result.succeed(n)
}

/**
 * Does the same as {@link fromHex}, but throws {@link QuantityError}.
 *
 * ```ts import.meta.vitest
 * import { Quantity } from "@plumbline/codec"
 *
 * Quantity.fromHexUnsafe("0x400") // => 1024n
 * ```
 */
export const fromHexUnsafe = (hex: string): bigint => {
  const n = parse(hex)
  if (n === undefined) throw explain(hex)
  return n
}

/**
 * Returns the wire quantity of the number, in lower case. Throws {@link QuantityError} below zero.
 *
 * ```ts import.meta.vitest
 * import { Quantity } from "@plumbline/codec"
 *
 * Quantity.toHex(1024n) // => "0x400"
 * Quantity.toHex(0n) // => "0x0"
 * ```
 */
export const toHex = (n: bigint): Hex.Hex => {
  if (n < 0n) throw negative()
  return `0x${n.toString(16)}`
}

/**
 * Returns the big-endian bytes of the number without leading zeros, and no bytes for zero. This is its RLP string.
 *
 * Throws {@link QuantityError} below zero.
 *
 * ```ts import.meta.vitest
 * import { Quantity } from "@plumbline/codec"
 *
 * Quantity.toBytes(1024n) // => new Uint8Array([4, 0])
 * Quantity.toBytes(0n) // => new Uint8Array(0)
 * ```
 */
export const toBytes = (n: bigint): Uint8Array<ArrayBuffer> => {
  if (n < 0n) throw negative()
  const size = bigEndian.write(n, scratch, scratchView, 0)
  if (size >= 0) return scratch.slice(0, size)
  const digits = n.toString(16)
  return Hex.toBytesUnsafe(digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`)
}

/**
 * Returns the number of big-endian bytes. No bytes stand for zero.
 *
 * Fails with {@link QuantityError} `LeadingZero` if the first byte is zero, as RLP requires for numbers.
 *
 * ```ts import.meta.vitest
 * import { Quantity } from "@plumbline/codec"
 * import * as Result from "effect/Result"
 *
 * Quantity.fromBytes(new Uint8Array([4, 0])) // => Result.succeed(1024n)
 * Quantity.fromBytes(new Uint8Array([0]))._tag // => "Failure"
 * ```
 */
export const fromBytes = (bytes: Uint8Array): Result.Result<bigint, QuantityError> =>
  bytes[0] === 0 ? Result.fail(leadingZero()) : Result.succeed(read(bytes))

/**
 * Does the same as {@link fromBytes}, but throws {@link QuantityError}.
 */
export const fromBytesUnsafe = (bytes: Uint8Array): bigint => {
  if (bytes[0] === 0) throw leadingZero()
  return read(bytes)
}

const scratch = new Uint8Array(bigEndian.MAX_SIZE)
const scratchView = new DataView(scratch.buffer)

const read = (bytes: Uint8Array): bigint => {
  if (bytes.length > 6) return BigInt(Hex.fromBytes(bytes))
  let n = 0
  for (let i = 0; i < bytes.length; i++) n = n * 256 + bytes[i]!
  return BigInt(n)
}

/**
 * Returns the number, or `undefined` if the text is not a quantity. Up to 16 digits are read as two halves of 32 bits.
 * `getBigUint64` turns these into a `bigint` faster than `BigInt` converts a `number`.
 */
const parse = (text: string): bigint | undefined => {
  const length = text.length
  if (length < 3 || !HexDigits.hasPrefix(text) || (length > 3 && text.charCodeAt(2) === 0x30)) return undefined
  if (length > 2 + 16) return hexCodec.get().check(text) ? BigInt(text) : undefined
  let high = 0
  let low = 0
  let wide = 0
  let bad = 0
  for (let i = 2; i < length; i++) {
    const code = text.charCodeAt(i)
    const digit = HexDigits.DIGIT[code & 0xff]!
    wide |= code
    bad |= digit
    if (length - i > 8) high = (high << 4) | digit
    else low = (low << 4) | digit
  }
  if (wide > 255 || bad > 15) return undefined
  scratchView.setInt32(0, high)
  scratchView.setInt32(4, low)
  return scratchView.getBigUint64(0)
}

const explain = (text: string): QuantityError => {
  if (!HexDigits.hasPrefix(text)) return new QuantityError({ reason: "MissingPrefix", index: 0 })
  if (text.length === 2) return new QuantityError({ reason: "Empty", index: 2 })
  const bad = HexDigits.firstBadDigit(text, 2)
  return bad >= 0
    ? new QuantityError({ reason: "BadDigit", index: bad })
    : new QuantityError({ reason: "LeadingZero", index: 2 })
}

const negative = (): QuantityError => new QuantityError({ reason: "Negative", index: 0 })

const leadingZero = (): QuantityError => new QuantityError({ reason: "LeadingZero", index: 0 })
