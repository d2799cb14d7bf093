/** Decodes values that fit into one word. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"

import type { Layout } from "../layout/Layout.ts"
import type { ValueType } from "../layout/StorageType.ts"
import * as VyperDecimalText from "../layout/vyperDecimal.ts"
import * as Word from "../slot/word.ts"
import type { ExternalFunction, FlawReason } from "./Value.ts"

/** A part of a word that does not fit its type. */
interface FlawedPart {
  readonly flaw: FlawReason
  readonly bytes: Hex.Hex
}

/** Decodes the value at `offset` bytes from the low-order end of the word. */
export const decode = (
  type: ValueType,
  word: bigint,
  offset: number,
  dialect: Layout["dialect"]
): boolean | bigint | string | ExternalFunction | FlawedPart => {
  const part = Word.part(word, offset, type.size)
  if (dialect === "vyper" && word !== padded(type, part, offset)) {
    return { flaw: "NotPadded", bytes: Word.toHex(word, 32) }
  }
  switch (type._tag) {
    case "Bool":
      return part > 1n ? { flaw: "NotABool", bytes: Word.toHex(part, type.size) } : part === 1n
    case "Uint":
      return part
    case "Int":
      return BigInt.asIntN(type.size * 8, part)
    case "Decimal":
      return VyperDecimalText.toText(BigInt.asIntN(type.size * 8, part))
    case "Enum":
      if (type.members === undefined) return part
      return type.members[Number(part)] ?? { flaw: "NotAMember", bytes: Word.toHex(part, type.size) }
    case "ExternalFunction":
      return {
        address: Word.toHex(part >> 32n, 20) as Address.Address,
        selector: Word.toHex(part & 0xffffffffn, 4)
      }
    case "Address":
    case "FixedBytes":
    case "InternalFunction":
    case "Opaque":
      return Word.toHex(part, type.size)
  }
}

/**
 * Decodes the length in the first word of a `string` or `bytes`. Up to a length of 31 bytes, the word's last byte is
 * twice the length. Above it, the whole word is twice the length plus one. Returns undefined for any other word (in
 * Solidity, reading it panics with 0x22).
 */
export const bytesLength = (word: bigint): bigint | undefined => {
  const long = (word & 1n) === 1n
  const length = (long ? word : word & 0xffn) >> 1n
  return long === length >= 32n ? length : undefined
}

/** Returns the whole word that Vyper writes for a value. */
const padded = (type: ValueType, part: bigint, offset: number): bigint =>
  type._tag === "Int" || type._tag === "Decimal"
    ? BigInt.asUintN(256, BigInt.asIntN(type.size * 8, part))
    : part << BigInt(offset * 8)
