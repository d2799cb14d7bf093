/** Converts keys of mappings from their text in a path to the bytes that are hashed. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Address from "@plumbline/codec/value/Address"
import * as Result from "effect/Result"

import type { Layout } from "../layout/Layout.ts"
import type * as StorageType from "../layout/StorageType.ts"
import * as VyperDecimalText from "../layout/vyperDecimal.ts"
import { number } from "../path/keyNumber.ts"
import type { PathKey } from "../path/Path.ts"
import * as Slot from "../slot/Slot.ts"
import * as Word from "../slot/word.ts"

/** The reason why a key is refused. */
export interface Refusal {
  readonly reason: "BadKey" | "OpaqueKey"
  readonly detail: string
}

/** Returns the slot of the entry with this key. */
export const entry = (
  layout: Layout,
  type: StorageType.StorageType,
  key: PathKey,
  mapping: Slot.Slot
): Result.Result<Slot.Slot, Refusal> =>
  Result.map(keyBytes(layout, type, key), (bytes) => {
    if (layout.dialect === "solidity") return Slot.mappingEntry(bytes, mapping)
    return Slot.vyperEntry(isHashed(type) ? Keccak256.hash(bytes) : bytes, mapping)
  })

/** The bytes that are hashed for a key. */
export interface HashedKey {
  /** The bytes whose hash is the entry's slot: the key and the mapping's slot, in the order of the dialect. */
  readonly preimage: Uint8Array
  /** The key in the preimage. */
  readonly key: Uint8Array
  /** The bytes whose hash is the key, for texts in Vyper. */
  readonly text: Uint8Array | undefined
}

/** Works like `entry`, but returns the bytes instead of their hash. */
export const hashed = (
  layout: Layout,
  type: StorageType.StorageType,
  key: PathKey,
  mapping: Slot.Slot
): Result.Result<HashedKey, Refusal> =>
  Result.map(keyBytes(layout, type, key), (bytes) => {
    const at = Slot.numberKey(mapping)
    if (layout.dialect === "solidity") return { preimage: Bytes.concat(bytes, at), key: bytes, text: undefined }
    const key = isHashed(type) ? Keccak256.hash(bytes) : bytes
    return { preimage: Bytes.concat(at, key), key, text: isHashed(type) ? bytes : undefined }
  })

/** True for texts in Vyper. The hash of such a text is the key, and this key is hashed with the slot. */
const isHashed = (type: StorageType.StorageType): boolean => type._tag === "BoundedBytes"

const keyBytes = (layout: Layout, type: StorageType.StorageType, key: PathKey): Result.Result<Uint8Array, Refusal> => {
  switch (type._tag) {
    case "Uint":
    case "Int": {
      const value = number(key)
      const bits = type.size * 8
      const fits =
        value !== undefined &&
        value === (type._tag === "Int" ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value))
      return fits ? Result.succeed(Slot.numberKey(value)) : bad(`expected a number that fits into ${type.label}`)
    }
    case "Decimal": {
      const text = key._tag === "Text" ? key.value : key._tag === "Number" ? String(key.value) : ""
      const units = VyperDecimalText.fromText(text)
      return units === undefined
        ? bad('expected a number with at most ten decimal places, in double quotes as "1.5"')
        : Result.succeed(Slot.numberKey(units))
    }
    case "Bool":
      return key._tag === "Name" && (key.name === "true" || key.name === "false")
        ? Result.succeed(Slot.numberKey(key.name === "true" ? 1n : 0n))
        : bad("expected true or false")
    case "Address": {
      if (key._tag !== "Hex" || !Address.isAddress(key.digits)) return bad("expected an address, 0x and 40 hex digits")
      return Address.isChecksumValid(key.digits)
        ? Result.succeed(Slot.numberKey(BigInt(key.digits)))
        : bad("the upper and lower case of this address is not its checksum: a digit is wrong")
    }
    case "FixedBytes":
      return key._tag === "Hex" && Hex.isHex(key.digits) && Hex.size(key.digits) === type.size
        ? Result.succeed(Slot.fixedBytesKey(Hex.toBytesUnsafe(key.digits)))
        : bad(`expected ${type.label}, 0x and ${type.size * 2} hex digits`)
    case "Enum": {
      const { members } = type
      const value = key._tag === "Name" ? BigInt(members?.indexOf(key.name) ?? -1) : number(key)
      const count = BigInt(members?.length ?? 2 ** (type.size * 8))
      if (value !== undefined && value >= 0n && value < count) return Result.succeed(Slot.numberKey(value))
      return bad(`expected a member of ${type.label}, ${members?.slice(0, 16).join(", ") ?? "as a number"}`)
    }
    case "DynamicBytes":
    case "BoundedBytes":
      if (key._tag === "Text") return Result.succeed(new TextEncoder().encode(key.value))
      return key._tag === "Hex" && Hex.isHex(key.digits)
        ? Result.succeed(Hex.toBytesUnsafe(key.digits))
        : bad("expected text in double quotes, or 0x hex of whole bytes")
    case "Opaque":
      return layout.dialect === "vyper"
        ? userDefined(layout, type, key)
        : Result.fail({ reason: "OpaqueKey", detail: type.reason })
    default:
      return Result.fail({ reason: "OpaqueKey", detail: `${type.label} is not a key of a mapping` })
  }
}

/**
 * Encodes a key of a Vyper type that the layout does not describe. Among such types only interfaces and flags can be
 * keys, and both are numbers in a word.
 */
const userDefined = (layout: Layout, type: StorageType.Opaque, key: PathKey): Result.Result<Uint8Array, Refusal> => {
  if (key._tag === "Hex") return keyBytes(layout, { _tag: "Address", label: type.label, size: 20 }, key)
  return key._tag === "Number" && key.value === BigInt.asUintN(256, key.value)
    ? Result.succeed(Slot.numberKey(key.value))
    : bad(`expected an address if ${type.label} is an interface, or a number if it is a flag`)
}

const bad = (detail: string): Result.Result<never, Refusal> => Result.fail({ reason: "BadKey", detail })

/**
 * Decodes a key, in the form of a path, from the bytes before the slot; undefined for bytes that are not a key of the
 * type. If the bytes are not exactly the encoding of a key, the returned key has another encoding. The caller detects
 * this, because it hashes the returned key again.
 */
export const keyOf = (type: StorageType.StorageType, bytes: Uint8Array): PathKey | undefined => {
  if (type._tag === "DynamicBytes" || type._tag === "BoundedBytes") return textOf(type.text, bytes)
  if (bytes.length !== 32) return undefined
  const value = Word.fromBytes(bytes)
  switch (type._tag) {
    case "Uint":
      return { _tag: "Number", value }
    case "Int":
      return { _tag: "Number", value: BigInt.asIntN(256, value) }
    case "Decimal":
      return { _tag: "Text", value: VyperDecimalText.toText(BigInt.asIntN(256, value)) }
    case "Bool":
      return { _tag: "Name", name: value === 1n ? "true" : "false" }
    case "Address":
      return { _tag: "Hex", digits: Address.fromBytesUnsafe(bytes.subarray(12)) }
    case "FixedBytes":
      return { _tag: "Hex", digits: Hex.fromBytes(bytes.subarray(0, type.size)) }
    case "Enum": {
      const name = type.members?.[Number(value)]
      return name === undefined ? { _tag: "Number", value } : { _tag: "Name", name }
    }
    case "Opaque":
      // 2^80 or more is the address of an interface, because no real flag has more than 80 members
      return value >= 2n ** 80n && value < 2n ** 160n
        ? { _tag: "Hex", digits: Hex.fromBytes(bytes.subarray(12)) }
        : { _tag: "Number", value }
    default:
      return undefined
  }
}

/** Returns valid text, and other bytes as hex. */
const textOf = (isText: boolean, bytes: Uint8Array): PathKey => {
  try {
    if (isText) return { _tag: "Text", value: utf8.decode(bytes) }
  } catch {}
  return { _tag: "Hex", digits: Hex.fromBytes(bytes) }
}

// keep a byte order mark, because it is a part of the key
const utf8 = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
