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
import { now, sorted, STEP, type Steps } from "../work/steps.ts"
import { Exceeded, type Flaw, MAX_KEYS, MAX_LINKS, MAX_NESTING, MAX_VALUES, sentenceOf } from "./blockBounds.ts"
import * as BlockLinks from "./blockLinks.ts"
import * as EntryNames from "./entryNames.ts"
import * as IpldValue from "./ipldValue.ts"

/** The links of a block, and the number of its values. */
interface Scanned {
  readonly links: BlockLinks.BlockLinks
  readonly values: number
}

/** Reads the value of a block in one piece; `ipldValue.ts` has its types. Fails with a sentence. */
export const decode = (bytes: Uint8Array): Result.Result<unknown, string> =>
  Result.mapError(now(decodeSteps(bytes)), sentenceOf)

/**
 * Reads the value of a block, in steps. The form of the whole block is checked first, so that a block beyond a bound is
 * refused before any of its values is made.
 */
export function* decodeSteps(bytes: Uint8Array): Steps<Result.Result<unknown, Flaw>> {
  const scanned = yield* scan(bytes, DECODED)
  if (Result.isFailure(scanned)) return Result.fail(scanned.failure)
  const reader = new Reader(bytes)
  try {
    return Result.succeed(yield* reader.value())
  } catch (error) {
    if (error === malformed) return Result.fail("not dag-cbor")
    throw error
  }
}

/** Finds the links of a block, in steps. Accepts keys that are not UTF-8, or that occur twice. */
export function* links(bytes: Uint8Array): Steps<Result.Result<BlockLinks.BlockLinks, Flaw>> {
  return Result.map(yield* scan(bytes, UNBOUND), ({ links }) => links)
}

/** The bounds of a block whose values are made. */
const DECODED = { maxKeys: MAX_KEYS, maxValues: MAX_VALUES }

/** The bounds of a block whose links are found. */
const UNBOUND = { maxKeys: Number.POSITIVE_INFINITY, maxValues: Number.POSITIVE_INFINITY }

/** Reads the form of a block without making its values. */
function* scan(bytes: Uint8Array, { maxKeys, maxValues }: typeof DECODED): Steps<Result.Result<Scanned, Flaw>> {
  const reader = new Reader(bytes)
  const ends: Array<number> = []
  // The open lists and maps: the number of items that are left in each. A map has two items for each key, and its
  // number is negative.
  const open: Array<number> = []
  let left = 1
  let values = 0
  try {
    for (let count = 1; ; count++) {
      while (left === 0) {
        const parent = open.pop()
        if (parent === undefined) {
          if (reader.at !== bytes.length) return Result.fail("not dag-cbor")
          return Result.succeed({ links: BlockLinks.ofPlaces(bytes, ends), values })
        }
        left = parent
      }
      if (count % SCAN_STEP === 0) yield
      const isKey = left < 0 && left % 2 === 0
      left += left < 0 ? 1 : -1
      const children = reader.skip(isKey, ends)
      if (isKey) continue
      if (++values > maxValues) return Result.fail(new Exceeded("maxValues"))
      if (ends.length > 2 * MAX_LINKS) return Result.fail(new Exceeded("maxLinks"))
      if (children === undefined) continue
      if (children < -2 * maxKeys) return Result.fail(new Exceeded("maxKeys"))
      if (open.length >= MAX_NESTING) return Result.fail(new Exceeded("maxNesting"))
      open.push(left)
      left = children
    }
  } catch (error) {
    if (error === malformed) return Result.fail("not dag-cbor")
    throw error
  }
}

/** Number of items that one step of a scan passes. An item takes a few nanoseconds. */
const SCAN_STEP = 16 * STEP

/** Thrown inside nested values, and caught by `decode`. */
const malformed = new Error("not dag-cbor")

const LINK_TAG = 42

/** Major types of CBOR. */
const TEXT = 3
const LIST = 4
const MAP = 5
const TAG = 6

class Reader {
  at = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #count = 0

  constructor(bytes: Uint8Array) {
    // Each value of a block is a part of these bytes, and a part of a `Buffer` takes ten times as long to make.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** Reads a value and everything in it. */
  *value(): Steps<unknown> {
    const first = this.#byte()
    const isNested = first >> 5 === LIST || first >> 5 === MAP
    return isNested ? yield* this.#nested(first) : this.#leaf(first)
  }

  *#nested(first: number): Steps<unknown> {
    const count = this.#length(first & 0x1f)
    const isList = first >> 5 === LIST
    const list: Array<unknown> | undefined = isList ? [] : undefined
    const map: Record<string, unknown> | undefined = isList ? undefined : {}
    for (let i = 0; i < count; i++) {
      if (++this.#count % STEP === 0) yield
      const key = map === undefined ? "" : this.#key(map)
      const next = this.#byte()
      const isNested = next >> 5 === LIST || next >> 5 === MAP
      const value = isNested ? yield* this.#nested(next) : this.#leaf(next)
      list?.push(value)
      if (map !== undefined) IpldValue.set(map, key, value)
    }
    return list ?? map
  }

  /** Reads a key, which must be new in the map. */
  #key(map: Readonly<Record<string, unknown>>): string {
    const first = this.#byte()
    const key = first >> 5 === TEXT ? EntryNames.strict(this.#take(first & 0x1f)) : undefined
    if (key === undefined || Object.hasOwn(map, key)) throw malformed
    return key
  }

  #leaf(first: number): unknown {
    const minor = first & 0x1f
    switch (first >> 5) {
      case 0:
        return this.#number(minor)
      case 1:
        return IpldValue.integer(-1n - BigInt(this.#number(minor)))
      case 2:
        return this.#take(minor)
      case TEXT:
        return IpldValue.text(this.#take(minor))
      case TAG:
        return Result.getOrThrow(Cid.fromBytes(this.#link(minor)))
      default:
        return this.#simple(minor)
    }
  }

  /**
   * Passes the head of a value, and its bytes if it has any. Returns the number of items of a list, and minus twice the
   * number of keys of a map. Adds the place of a link to `links`.
   */
  skip(isKey: boolean, links: Array<number>): number | undefined {
    const first = this.#byte()
    const minor = first & 0x1f
    const major = first >> 5
    if (isKey && major !== TEXT) throw malformed
    switch (major) {
      case 0:
      case 1:
        this.#number(minor)
        return undefined
      case 2:
      case TEXT:
        this.#skip(this.#length(minor))
        return undefined
      case LIST:
        return this.#length(minor)
      case MAP:
        return -2 * this.#length(minor)
      case TAG: {
        const { byteOffset, length } = this.#link(minor)
        const from = byteOffset - this.#bytes.byteOffset
        if (!Cid.isBytes(this.#bytes, from, from + length)) throw malformed
        links.push(from, from + length)
        return undefined
      }
      default:
        this.#simple(minor)
        return undefined
    }
  }

  /** Reads the bytes of a CID, which follow a zero byte (the code of the base "bytes"). */
  #link(minor: number): Uint8Array {
    if (this.#number(minor) !== LINK_TAG) throw malformed
    const first = this.#byte()
    if (first >> 5 !== 2) throw malformed
    const bytes = this.#take(first & 0x1f)
    if (bytes[0] !== 0) throw malformed
    return bytes.subarray(1)
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
        return IpldValue.integer(wide)
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

const finite = (value: number): number | IpldValue.Float => {
  if (!Number.isFinite(value)) throw malformed
  return IpldValue.float(value)
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

/** Writes a value in one piece. Fails with a sentence if the codec cannot represent it. */
export const encode = (value: unknown): Result.Result<Uint8Array, string> => now(encodeSteps(value))

/** Writes a value as `encode` does, in steps. */
export function* encodeSteps(value: unknown): Steps<Result.Result<Uint8Array, string>> {
  const writer: Writer = { chunks: [], parts: [], work: 0 }
  const problem = IpldValue.isNested(value) ? yield* writeNested(value, writer, 0) : writeLeaf(value, writer.parts)
  if (problem !== undefined) return Result.fail(problem)
  flush(writer)
  return Result.succeed(Bytes.join(writer.chunks))
}

const encoder = /* @__PURE__ */ new TextEncoder()

interface Writer {
  /** The bytes before `parts`. Joining all parts at the end would be one long step. */
  readonly chunks: Array<Uint8Array>
  readonly parts: Array<Uint8Array>
  /** Number of values since the last step. */
  work: number
}

const flush = (writer: Writer): void => {
  writer.chunks.push(Bytes.join(writer.parts))
  writer.parts.length = 0
  writer.work = 0
}

/** Writes a list or a map. Returns a sentence if it cannot be written. */
function* writeNested(value: object, writer: Writer, depth: number): Steps<string | undefined> {
  if (depth >= IpldValue.MAX_DEPTH) return "a value that is nested too deep"
  const { parts } = writer
  const isList = Array.isArray(value)
  let keys: ReadonlyArray<Key> = []
  if (!isList) {
    const unsorted: Array<Key> = []
    for (const [key, inner] of yield* IpldValue.entriesOf(value)) {
      if (unsorted.length % (2 * STEP) === 2 * STEP - 1) yield
      if (!key.isWellFormed()) return "a key that is not UTF-8"
      unsorted.push([encoder.encode(key), inner])
    }
    keys = yield* sorted(unsorted, byKey)
  }
  const count = isList ? value.length : keys.length
  parts.push(head(isList ? LIST : MAP, BigInt(count)))
  for (let i = 0; i < count; i++) {
    if (++writer.work >= STEP) {
      flush(writer)
      yield
    }
    if (!isList) writeBytes(TEXT, keys[i]![0], parts)
    const inner: unknown = isList ? value[i] : keys[i]![1]
    const problem = IpldValue.isNested(inner) ? yield* writeNested(inner, writer, depth + 1) : writeLeaf(inner, parts)
    if (problem !== undefined) return problem
  }
  return undefined
}

type Key = readonly [key: Uint8Array, value: unknown]

const writeLeaf = (value: unknown, parts: Array<Uint8Array>): string | undefined => {
  switch (typeof value) {
    case "boolean":
      parts.push(Uint8Array.of(value ? 0xf5 : 0xf4))
      return undefined
    case "string":
      if (!value.isWellFormed()) return "a string that is not UTF-8"
      return writeBytes(TEXT, encoder.encode(value), parts)
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
  else if (value instanceof IpldValue.Float) return writeFloat(value.value, parts)
  else if (value instanceof IpldValue.Text) return writeBytes(TEXT, value.bytes, parts)
  else if (value instanceof Uint8Array) return writeBytes(2, value, parts)
  else {
    const cid = Cid.asCid(value)
    if (cid === undefined) return "a value that the data model does not have"
    parts.push(Uint8Array.of(0xd8, LINK_TAG))
    return writeBytes(2, Bytes.join([Uint8Array.of(0), cid.bytes]), parts)
  }
  return undefined
}

/** Orders keys: shorter ones first, and keys of the same length by their bytes. */
const byKey = ([a]: Key, [b]: Key): number => {
  if (a.length !== b.length) return a.length - b.length
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!
  }
  return 0
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
