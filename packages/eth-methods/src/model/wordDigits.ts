/** Reads words and keys as different nodes spell them: `0x` and up to 64 hex digits. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"

/** True if the value is `0x` and up to 64 hex digits. Their number may be odd. */
export const isDigits = (value: unknown): value is Hex.Hex =>
  typeof value === "string" &&
  value.length <= 66 &&
  value.startsWith("0x") &&
  Hex.isHex(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`)

/** `0x` and up to 64 hex digits, as nodes write a word or a key. */
export const Digits = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-fA-F]{0,64}$/u, { expected: "0x and up to 64 hex digits" })
)

/** `0x` and 1 to 64 hex digits. */
export const SomeDigits = Schema.String.check(
  Schema.isPattern(/^0x[0-9a-fA-F]{1,64}$/u, { expected: "0x and 1 to 64 hex digits" })
)

const KEY = /^0x[0-9a-fA-F]{0,64}$|^(?:0X)?[0-9a-fA-F]{1,64}$/u

/** True if the value is a key as geth reads it: like `isDigits`, also with `0X` or without a prefix. */
export const isKey = (value: unknown): value is string =>
  isDigits(value) || (typeof value === "string" && KEY.test(value))

/** Returns a key with the prefix `0x`. */
export const prefixed = (key: string): Hex.Hex =>
  key.startsWith("0x") ? (key as Hex.Hex) : `0x${key.startsWith("0X") ? key.slice(2) : key}`

/** A key as geth reads it, and as some nodes write it. The decoded key has the prefix `0x`. */
export const Key = Schema.String.check(Schema.isPattern(KEY, { expected: "0x and up to 64 hex digits" })).pipe(
  Schema.decodeTo(
    Digits,
    SchemaTransformation.transform({ decode: (key): string => prefixed(key), encode: (key) => key })
  )
)

/** Returns the number that the digits encode; no digits mean zero. */
export const toNumber = (digits: string): bigint => (digits === "0x" ? 0n : BigInt(digits))

/** Pads the digits with leading zeros to 32 bytes. Text that has 64 digits is returned unchanged. */
export const toWord = (digits: string): string =>
  digits.length === WORD ? digits : `0x${digits.slice(2).padStart(64, "0")}`

/** `0x` and 64 digits. */
const WORD = 66
