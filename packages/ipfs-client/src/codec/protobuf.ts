/** The part of protobuf that dag-pb and UnixFS need: numbers and byte strings. No result is larger than its input. */
import * as Bytes from "@plumbline/codec/hex/Bytes"

import { MAX_LINKS } from "./blockBounds.ts"

/** The value of a field: a varint as a number, any other value as bytes. */
export type ProtobufValue = bigint | Uint8Array

/** The encoding of a value: 0 is a varint, 1 is eight bytes, 2 is a length and that many bytes, 5 is four bytes. */
export type WireType = 0 | 1 | 2 | 5

/**
 * Reads fields in order. Stops at the first problem, in the encoding or from the visitor, and returns that problem.
 */
export const read = (
  message: Uint8Array,
  visit: (field: number, value: ProtobufValue, wire: WireType) => string | undefined
): string | undefined => {
  let at = 0
  /** Reads a varint of up to 64 bits. Returns `undefined` if it is longer or cut off. */
  const varint = (): bigint | undefined => {
    const read = varintAt(message, at)
    if (read === undefined) return undefined
    at = read.end
    return read.value
  }
  for (let fields = 0; at < message.length; fields++) {
    if (fields === MAX_FIELDS) return `more than ${MAX_FIELDS} fields`
    const key = varint()
    if (key === undefined || key < 8n || key >= 1n << 32n) return "not protobuf: a key that is none"
    const wire = Number(key & 7n)
    let value: ProtobufValue | undefined
    if (wire === 0) value = varint()
    else {
      const size = wire === 1 ? 8n : wire === 5 ? 4n : wire === 2 ? varint() : undefined
      if (size !== undefined && size <= BigInt(message.length - at)) {
        value = message.subarray(at, at + Number(size))
        at += Number(size)
      }
    }
    if (value === undefined) return "not protobuf: a field that is cut, or of a kind that there is not"
    const problem = visit(Number(key >> 3n), value, wire as WireType)
    if (problem !== undefined) return problem
  }
  return undefined
}

/**
 * Maximum number of fields of a message, and of packed numbers. A part of a file has a field for each of its links, and
 * a few others.
 */
const MAX_FIELDS = MAX_LINKS + 64

/** Reads packed numbers, which follow each other without keys. */
export const packed = (bytes: Uint8Array): ReadonlyArray<bigint> | undefined => {
  const numbers: Array<bigint> = []
  for (let at = 0; at < bytes.length;) {
    if (numbers.length === MAX_FIELDS) return undefined
    const read = varintAt(bytes, at)
    if (read === undefined) return undefined
    numbers.push(read.value)
    at = read.end
  }
  return numbers
}

const varintAt = (bytes: Uint8Array, from: number): { readonly value: bigint; readonly end: number } | undefined => {
  let low = 0
  for (let i = 0; i < 4; i++) {
    const byte = bytes[from + i]
    if (byte === undefined) return undefined
    low |= (byte & 0x7f) << (7 * i)
    if (byte < 0x80) return { value: BigInt(low), end: from + i + 1 }
  }
  let value = BigInt(low)
  for (let i = 4; i < 10; i++) {
    const byte = bytes[from + i]
    if (byte === undefined) return undefined
    value |= BigInt(byte & 0x7f) << BigInt(7 * i)
    if (byte < 0x80) return value < 1n << 64n ? { value, end: from + i + 1 } : undefined
  }
  return undefined
}

/** Writes a varint. */
export const varint = (value: number | bigint): Uint8Array => {
  const out: Array<number> = []
  let rest = BigInt(value)
  for (; rest > 0x7fn; rest >>= 7n) out.push(Number(rest & 0x7fn) | 0x80)
  out.push(Number(rest))
  return Uint8Array.from(out)
}

/** Writes a field with a number. */
export const number = (field: number, value: number | bigint): Uint8Array =>
  Bytes.join([varint(field << 3), varint(value)])

/** Writes a field of bytes in parts, so that the bytes are copied only once. */
export const bytes = (field: number, value: Uint8Array): ReadonlyArray<Uint8Array> => bytesOf(field, [value])

/** Writes a field as `bytes` does, for a value that is already in parts. */
export const bytesOf = (field: number, value: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> => [
  varint((field << 3) | 2),
  varint(value.reduce((sum, { length }) => sum + length, 0)),
  ...value
]
