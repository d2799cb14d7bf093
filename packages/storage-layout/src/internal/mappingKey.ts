/** Keys of mappings: from what stands in a path to the bytes that are hashed. */
import * as Address from "@plumbline/codec/Address"
import * as Hex from "@plumbline/codec/Hex"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as Result from "effect/Result"

import type { Layout } from "../Layout.ts"
import type { Key } from "../Path.ts"
import * as Slot from "../Slot.ts"
import type { StorageType } from "../StorageType.ts"
import { number } from "./keyNumber.ts"

/** Why a key is refused. */
export interface Refusal {
  readonly reason: "BadKey" | "OpaqueKey"
  readonly detail: string
}

/** The slot of the entry with this key. */
export const entry = (
  layout: Layout,
  type: StorageType,
  key: Key,
  mapping: Slot.Slot
): Result.Result<Slot.Slot, Refusal> =>
  Result.map(keyBytes(type, key), (bytes) => {
    if (layout.dialect === "solidity") return Slot.mappingEntry(bytes, mapping)
    return Slot.vyperEntry(type._tag === "BoundedBytes" ? Keccak256.hash(bytes) : bytes, mapping)
  })

const keyBytes = (type: StorageType, key: Key): Result.Result<Uint8Array, Refusal> => {
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
      return Result.fail({ reason: "OpaqueKey", detail: type.reason })
    default:
      return Result.fail({ reason: "OpaqueKey", detail: `${type.label} is no key of a mapping` })
  }
}

const bad = (detail: string): Result.Result<never, Refusal> => Result.fail({ reason: "BadKey", detail })
