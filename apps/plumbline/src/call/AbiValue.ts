/** Decodes the bytes that a call returned. A contract may return anything, so all offsets and lengths are checked. */
import * as Hex from "@plumbline/codec/hex/Hex"

import type { AbiType } from "./AbiType.ts"

/** A decoded value: a tuple is a list. Text that is not UTF-8 is `0x` hex. */
export type AbiValue = bigint | boolean | string | ReadonlyArray<AbiValue>

/**
 * Decodes values; undefined if the bytes are not values of these types.
 *
 * Values that share bytes would let a small input decode to a huge output. So all values together have at most as many
 * bytes as the input.
 */
export const decode = (types: ReadonlyArray<AbiType>, data: Hex.Hex): ReadonlyArray<AbiValue> | undefined => {
  const bytes = Hex.toBytesUnsafe(data)
  return sequence({ bytes, left: bytes.length }, types, 0)
}

/** Returns the form of `--json`: integers as decimal text, because JSON's numbers are exact only up to 2^53. */
export const wire = (value: AbiValue): unknown =>
  typeof value === "bigint" ? value.toString() : typeof value === "object" ? value.map(wire) : value

/** The input, and the number of bytes that further values may have. */
interface Source {
  readonly bytes: Uint8Array
  left: number
}

/** Takes bytes; undefined if there are not as many. */
const take = (source: Source, at: number, size: number): Uint8Array | undefined => {
  if (at + size > source.bytes.length || size > source.left) return undefined
  source.left -= size
  return source.bytes.subarray(at, at + size)
}

const takeWord = (source: Source, at: number): bigint | undefined => {
  const word = take(source, at, 32)
  return word === undefined ? undefined : BigInt(Hex.fromBytes(word))
}

/** Takes an offset or a length; undefined if it is larger than the input. */
const takeSize = (source: Source, at: number): number | undefined => {
  const size = takeWord(source, at)
  return size === undefined || size > BigInt(source.bytes.length) ? undefined : Number(size)
}

const sequence = (
  source: Source,
  types: ReadonlyArray<AbiType>,
  start: number
): ReadonlyArray<AbiValue> | undefined => {
  const values: Array<AbiValue> = []
  let head = start
  for (const type of types) {
    const offset = type.words === undefined ? takeSize(source, head) : head - start
    const value = offset === undefined ? undefined : valueAt(source, type, start + offset)
    if (value === undefined) return undefined
    values.push(value)
    head += 32 * (type.words ?? 1)
  }
  return values
}

const valueAt = (source: Source, type: AbiType, at: number): AbiValue | undefined => {
  switch (type._tag) {
    case "Bytes":
    case "Text": {
      const size = takeSize(source, at)
      const bytes = size === undefined ? undefined : take(source, at + 32, size)
      return bytes === undefined ? undefined : type._tag === "Bytes" ? Hex.fromBytes(bytes) : textOf(bytes)
    }
    case "Array": {
      const length = type.length ?? takeSize(source, at)
      // each item has a word at least
      if (length === undefined || 32 * length > source.left) return undefined
      const items = Array.from({ length }, () => type.item)
      return sequence(source, items, type.length === undefined ? at + 32 : at)
    }
    case "Tuple":
      return sequence(source, type.members, at)
    default: {
      const word = takeWord(source, at)
      return word === undefined ? undefined : wordOf(type, word)
    }
  }
}

/** Reads a word; undefined if bytes outside the type are set. */
const wordOf = (type: Extract<AbiType, { words: 1 }>, word: bigint): AbiValue | undefined => {
  switch (type._tag) {
    case "Integer": {
      const n = type.isSigned ? BigInt.asIntN(type.bits, word) : BigInt.asUintN(type.bits, word)
      return BigInt.asUintN(256, n) === word ? n : undefined
    }
    case "Address":
      return word >> 160n === 0n ? hex(word, 20) : undefined
    case "Bool":
      return word > 1n ? undefined : word === 1n
    case "FixedBytes": {
      const rest = BigInt(8 * (32 - type.size))
      return BigInt.asUintN(Number(rest), word) === 0n ? hex(word >> rest, type.size) : undefined
    }
  }
}

const hex = (n: bigint, size: number): string => `0x${n.toString(16).padStart(2 * size, "0")}`

const textOf = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Hex.fromBytes(bytes)
  }
}
