/**
 * Reads dag-cbor strictly, and writes its only canonical form.
 *
 * The tests compare this module with `@ipld/dag-cbor`. That library turns whole floats into integers, drops a byte
 * order mark from long strings, and replaces bytes that are not UTF-8. So its blocks would have other CIDs than Kubo's.
 *
 * Source: the specification of dag-cbor, and go-ipld-prime for questions that it leaves open: shorter floats are
 * accepted, `undefined` is read as null, and the order of keys is not checked.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import * as Names from "./names.ts"
import * as Value from "./value.ts"

/**
 * Options for callers that read only the links of a block. `anyKeys` accepts keys that are not text or that occur
 * twice.
 */
export interface Options {
  readonly anyKeys?: boolean | undefined
}

/** Reads the value of a block; `value.ts` has its types. Fails with a sentence. */
export const decode = (bytes: Uint8Array, { anyKeys = false }: Options = {}): Result.Result<unknown, string> => {
  const reader = new Reader(bytes, anyKeys)
  try {
    const value = reader.value(0)
    return reader.at === bytes.length ? Result.succeed(value) : Result.fail("not dag-cbor")
  } catch (error) {
    if (error === malformed) return Result.fail("not dag-cbor")
    throw error
  }
}

/** Thrown inside nested values, and caught by `decode`. */
const malformed = new Error("not dag-cbor")

const LINK_TAG = 42

class Reader {
  at = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #anyKeys: boolean

  constructor(bytes: Uint8Array, anyKeys: boolean) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#anyKeys = anyKeys
  }

  value(depth: number): unknown {
    const first = this.#byte()
    const minor = first & 0x1f
    switch (first >> 5) {
      case 0:
        return this.#number(minor)
      case 1: {
        const number = this.#number(minor)
        return Value.integer(-1n - BigInt(number))
      }
      case 2:
        return this.#take(minor)
      case 3:
        return Value.text(this.#take(minor))
      case 4: {
        const count = this.#count(minor, depth)
        const list: Array<unknown> = []
        for (let i = 0; i < count; i++) list.push(this.value(depth + 1))
        return list
      }
      case 5: {
        const count = this.#count(minor, depth)
        const map: Record<string, unknown> = {}
        const keys = new Set<string>()
        for (let i = 0; i < count; i++) {
          const first = this.#byte()
          if (first >> 5 !== 3) throw malformed
          let key = Names.strict(this.#take(first & 0x1f))
          if (key === undefined || keys.has(key)) {
            if (!this.#anyKeys) throw malformed
            key = `${i} `
          }
          keys.add(key)
          Value.set(map, key, this.value(depth + 1))
        }
        return map
      }
      case 6: {
        if (this.#number(minor) !== LINK_TAG) throw malformed
        const first = this.#byte()
        if (first >> 5 !== 2) throw malformed
        return linkOf(this.#take(first & 0x1f))
      }
      default:
        return this.#simple(minor)
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw malformed
    return byte
  }

  /** Skips this number of bytes, and returns the position of the first skipped byte. */
  #skip(length: number): number {
    const from = this.at
    if (length > this.#bytes.length - from) throw malformed
    this.at = from + length
    return from
  }

  /** Reads a number, which must have its shortest form. */
  #number(minor: number): number | bigint {
    if (minor < 24) return minor
    switch (minor) {
      case 24:
        return atLeast(this.#byte(), 24)
      case 25:
        return atLeast(this.#view.getUint16(this.#skip(2)), 0x100)
      case 26:
        return atLeast(this.#view.getUint32(this.#skip(4)), 0x1_0000)
      case 27: {
        const wide = this.#view.getBigUint64(this.#skip(8))
        if (wide < 0x1_0000_0000n) throw malformed
        return Value.integer(wide)
      }
      default:
        throw malformed
    }
  }

  #length(minor: number): number {
    const length = this.#number(minor)
    // Each counted item takes at least one byte.
    if (typeof length === "bigint" || length > this.#bytes.length - this.at) throw malformed
    return length
  }

  #count(minor: number, depth: number): number {
    if (depth >= Value.MAX_DEPTH) throw malformed
    return this.#length(minor)
  }

  #take(minor: number): Uint8Array {
    const length = this.#length(minor)
    const from = this.#skip(length)
    return this.#bytes.subarray(from, from + length)
  }

  #simple(minor: number): unknown {
    switch (minor) {
      case 20:
        return false
      case 21:
        return true
      case 22:
      case 23:
        return null
      case 25:
        return finite(halfOf(this.#view.getUint16(this.#skip(2))))
      case 26:
        return finite(this.#view.getFloat32(this.#skip(4)))
      case 27:
        return finite(this.#view.getFloat64(this.#skip(8)))
      default:
        throw malformed
    }
  }
}

const atLeast = (value: number, least: number): number => {
  if (value < least) throw malformed
  return value
}

const finite = (value: number): number | Value.Float => {
  if (!Number.isFinite(value)) throw malformed
  return Value.float(value)
}

/** Reads a float of 16 bits: one sign bit, five exponent bits, ten fraction bits. */
const halfOf = (bits: number): number => {
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  const size =
    exponent === 0
      ? fraction * 2 ** -24
      : exponent === 0x1f
        ? fraction === 0
          ? Number.POSITIVE_INFINITY
          : Number.NaN
        : (fraction + 0x400) * 2 ** (exponent - 25)
  return bits & 0x8000 ? -size : size
}

/** Reads a CID, which follows a zero byte (the code of the base "bytes"). */
const linkOf = (bytes: Uint8Array): Cid.Cid => {
  const cid = bytes[0] === 0 ? Cid.fromBytes(bytes.subarray(1)) : undefined
  if (cid === undefined || Result.isFailure(cid)) throw malformed
  return cid.success
}

/** Writes a value. Fails with a sentence if the codec cannot represent it. */
export const encode = (value: unknown): Result.Result<Uint8Array, string> => {
  const parts: Array<Uint8Array> = []
  const problem = write(value, parts, 0)
  return problem === undefined ? Result.succeed(Bytes.join(parts)) : Result.fail(problem)
}

const encoder = /* @__PURE__ */ new TextEncoder()

const write = (value: unknown, parts: Array<Uint8Array>, depth: number): string | undefined => {
  switch (typeof value) {
    case "boolean":
      parts.push(Uint8Array.of(value ? 0xf5 : 0xf4))
      return undefined
    case "string":
      if (!value.isWellFormed()) return "a string that is not UTF-8"
      return writeBytes(3, encoder.encode(value), parts)
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0)
        ? writeInteger(BigInt(value), parts)
        : writeFloat(value, parts)
    case "bigint":
      return writeInteger(value, parts)
    case "object":
      break
    default:
      return "a value that the data model does not have"
  }
  if (value === null) parts.push(Uint8Array.of(0xf6))
  else if (value instanceof Value.Float) return writeFloat(value.value, parts)
  else if (value instanceof Value.Text) return writeBytes(3, value.bytes, parts)
  else if (value instanceof Uint8Array) return writeBytes(2, value, parts)
  else {
    const cid = Cid.asCid(value)
    if (cid !== undefined) {
      parts.push(Uint8Array.of(0xd8, LINK_TAG))
      return writeBytes(2, Bytes.join([Uint8Array.of(0), cid.bytes]), parts)
    }
    if (depth >= Value.MAX_DEPTH) return "a value that is nested too deep"
    if (Array.isArray(value)) {
      parts.push(head(4, BigInt(value.length)))
      for (const item of value) {
        const problem = write(item, parts, depth + 1)
        if (problem !== undefined) return problem
      }
      return undefined
    }
    const entries: Array<readonly [key: Uint8Array, value: unknown]> = []
    for (const [key, inner] of Object.entries(value)) {
      if (!key.isWellFormed()) return "a key that is not UTF-8"
      entries.push([encoder.encode(key), inner])
    }
    entries.sort(byKey)
    parts.push(head(5, BigInt(entries.length)))
    for (const [key, inner] of entries) {
      writeBytes(3, key, parts)
      const problem = write(inner, parts, depth + 1)
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

/** Orders keys: shorter ones first, and keys of the same length by their bytes. */
const byKey = ([a]: readonly [Uint8Array, unknown], [b]: readonly [Uint8Array, unknown]): number => {
  if (a.length !== b.length) return a.length - b.length
  const i = a.findIndex((byte, i) => byte !== b[i])
  return i < 0 ? 0 : a[i]! - b[i]!
}

const writeBytes = (major: number, bytes: Uint8Array, parts: Array<Uint8Array>): undefined => {
  parts.push(head(major, BigInt(bytes.length)), bytes)
}

const writeInteger = (value: bigint, parts: Array<Uint8Array>): string | undefined => {
  const size = value < 0n ? -1n - value : value
  if (size >= 1n << 64n) return "an integer of more than 64 bits"
  parts.push(head(value < 0n ? 1 : 0, size))
  return undefined
}

const writeFloat = (value: number, parts: Array<Uint8Array>): string | undefined => {
  if (!Number.isFinite(value)) return "a float that is not a number"
  const bytes = new Uint8Array(9)
  bytes[0] = 0xfb
  new DataView(bytes.buffer).setFloat64(1, value)
  parts.push(bytes)
  return undefined
}

const head = (major: number, value: bigint): Uint8Array => {
  const first = major << 5
  if (value < 24n) return Uint8Array.of(first | Number(value))
  const size = value < 0x100n ? 1 : value < 0x1_0000n ? 2 : value < 0x1_0000_0000n ? 4 : 8
  const bytes = new Uint8Array(1 + size)
  bytes[0] = first | (24 + Math.log2(size))
  for (let i = size, rest = value; i > 0; i--, rest >>= 8n) bytes[i] = Number(rest & 0xffn)
  return bytes
}
