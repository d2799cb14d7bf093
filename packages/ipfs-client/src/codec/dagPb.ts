/**
 * Reads and writes blocks of dag-pb: data, and links with names. Names are kept as bytes, and sizes are exact.
 *
 * The tests compare this module with `@ipld/dag-pb`. That library decodes names as text, drops a byte order mark from
 * them, replaces bytes that are not UTF-8 by U+FFFD, and rounds sizes beyond 2^53.
 *
 * Source: the specification of dag-pb; `go-codec-dagpb` for the forms that are refused.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Result from "effect/Result"

import * as Cid from "../cid/Cid.ts"
import { now, sorted, STEP, type Steps } from "../work/steps.ts"
import { Exceeded, type Flaw, MAX_LINKS } from "./blockBounds.ts"
import * as BlockLinks from "./blockLinks.ts"
import * as Protobuf from "./protobuf.ts"

/** A link. A field that the block omits is `undefined`. `totalSize` is a bigint if it is beyond 2^53. */
export interface PbLink {
  readonly cid: Cid.Cid
  readonly name: Uint8Array | undefined
  readonly totalSize: number | bigint | undefined
}

/** A node. Its bytes are views into the block. */
export interface PbNode {
  readonly data: Uint8Array | undefined
  readonly links: ReadonlyArray<PbLink>
}

/**
 * A node whose links are not objects yet. Its bytes are views into the block, and every link was checked.
 *
 * Most readers need few of the links: a look-up in a directory needs one, and a file's kind and size need none.
 */
export interface Scanned {
  readonly data: Uint8Array | undefined
  readonly count: number
  /** For each link, the place of its CID and then of its name, as the first byte and the byte after the last. */
  readonly ends: ReadonlyArray<number>
  readonly sizes: ReadonlyArray<PbLink["totalSize"]>
  readonly bytes: Uint8Array
}

/** Reads the form of a block, in steps. Fails with a sentence about its form, or beyond `MAX_LINKS`. */
export function* scan(bytes: Uint8Array): Steps<Result.Result<Scanned, Flaw>> {
  const reader = new Reader(bytes)
  const ends: Array<number> = []
  const sizes: Array<PbLink["totalSize"]> = []
  let data: Uint8Array | undefined
  let isClosed = false
  while (reader.at < bytes.length) {
    const key = reader.varint()
    if (key === FIELD_1) {
      if (data !== undefined) return malformed
      data = reader.bytes()
      if (data === undefined) return malformed
      isClosed = sizes.length > 0
    } else if (key === FIELD_2) {
      if (sizes.length === MAX_LINKS) return Result.fail(new Exceeded("maxLinks"))
      const end = reader.end()
      if (end === undefined || isClosed || !readLink(reader, end, ends, sizes)) return malformed
      if (sizes.length % STEP === 0) yield
    } else return malformed
  }
  return Result.succeed({ data, count: sizes.length, ends, sizes, bytes })
}

/** Reads the fields of a link in their order: the CID, then the optional name and size. */
const readLink = (reader: Reader, end: number, ends: Array<number>, sizes: Array<PbLink["totalSize"]>): boolean => {
  if (reader.varint() !== FIELD_1) return false
  const to = reader.end()
  if (to === undefined || to > end) return false
  const from = reader.at
  reader.at = to
  let nameFrom = NO_NAME
  let nameTo = NO_NAME
  let totalSize: PbLink["totalSize"]
  while (reader.at < end) {
    const key = reader.varint()
    if (key === FIELD_2 && nameFrom === NO_NAME && totalSize === undefined) {
      const nameEnd = reader.end()
      if (nameEnd === undefined) return false
      nameFrom = reader.at
      nameTo = nameEnd
      reader.at = nameEnd
    } else if (key === FIELD_3 && totalSize === undefined) {
      totalSize = reader.varint()
      if (totalSize === undefined) return false
    } else return false
  }
  if (reader.at !== end || !Cid.isBytes(reader.of, from, to)) return false
  ends.push(from, to, nameFrom, nameTo)
  sizes.push(totalSize)
  return true
}

/** The place of a name that the block omits. */
const NO_NAME = -1

/** Returns the name of a link; undefined if the block omits it. */
export const nameOf = ({ bytes, ends }: Scanned, index: number): Uint8Array | undefined =>
  ends[4 * index + 2] === NO_NAME ? undefined : bytes.subarray(ends[4 * index + 2], ends[4 * index + 3])

/** True if a link has a name that is not empty. */
export const hasNames = ({ count, ends }: Scanned): boolean => {
  for (let i = 0; i < count; i++) {
    if (ends[4 * i + 3]! > ends[4 * i + 2]!) return true
  }
  return false
}

/** Returns the indices of the links that have this name, at most two of them, in steps. */
export function* named(node: Scanned, name: Uint8Array): Steps<ReadonlyArray<number>> {
  const { bytes, count, ends } = node
  const found: Array<number> = []
  for (let i = 0; i < count && found.length < 2; i++) {
    if (i % (8 * STEP) === 8 * STEP - 1) yield
    const from = ends[4 * i + 2]!
    if (ends[4 * i + 3]! - from !== name.length) continue
    let same = 0
    while (same < name.length && bytes[from + same] === name[same]) same++
    if (same === name.length && from !== NO_NAME) found.push(i)
  }
  return found
}

/** Makes the CID of a link. */
export const cidOf = ({ bytes, ends }: Scanned, index: number): Cid.Cid =>
  Result.getOrThrow(Cid.fromBytes(bytes.subarray(ends[4 * index], ends[4 * index + 1])))

/** Makes a link. */
export const linkOf = (node: Scanned, index: number): PbLink => ({
  cid: cidOf(node, index),
  name: nameOf(node, index),
  totalSize: node.sizes[index]
})

/** Reads the links of a block, in steps. */
export function* links(bytes: Uint8Array): Steps<Result.Result<BlockLinks.BlockLinks, Flaw>> {
  const scanned = yield* scan(bytes)
  return Result.map(scanned, ({ count, ends }) => {
    const cids: Array<number> = []
    for (let i = 0; i < count; i++) cids.push(ends[4 * i]!, ends[4 * i + 1]!)
    return BlockLinks.ofPlaces(bytes, cids)
  })
}

/**
 * Writes a node: first its links, sorted by the bytes of their names, then the data. Links of the same name keep their
 * order.
 *
 * Source: the specification of dag-pb, section "Serialization".
 */
export const encode = (node: PbNode): Uint8Array => now(encodeSteps(node))

/** Writes a node as `encode` does, in steps. */
export function* encodeSteps({ data, links }: PbNode): Steps<Uint8Array> {
  const parts: Array<Uint8Array> = []
  const ordered = yield* sorted(links, byName)
  for (const [index, { cid, name, totalSize }] of ordered.entries()) {
    if (index % STEP === STEP - 1) yield
    const link = Protobuf.bytesOf(1, [cid.bytes]).concat(
      name === undefined ? [] : Protobuf.bytes(2, name),
      totalSize === undefined ? [] : [Protobuf.number(3, totalSize)]
    )
    parts.push(...Protobuf.bytesOf(2, link))
  }
  if (data !== undefined) parts.push(...Protobuf.bytes(1, data))
  return Bytes.join(parts)
}

const NOTHING = new Uint8Array(0)

const byName = ({ name: a = NOTHING }: PbLink, { name: b = NOTHING }: PbLink): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!
  }
  return a.length - b.length
}

const FIELD_1 = (1 << 3) | 2
const FIELD_2 = (2 << 3) | 2
const FIELD_3 = 3 << 3

const malformed: Result.Result<never, Flaw> = /* @__PURE__ */ Result.fail("not dag-pb")

class Reader {
  at = 0
  readonly of: Uint8Array

  constructor(bytes: Uint8Array) {
    this.of = bytes
  }

  /** Reads a number of up to 64 bits. Returns `undefined` if it is longer or cut off. */
  varint(): number | bigint | undefined {
    const bytes = this.of
    let value = 0
    for (let i = 0; i < 7; i++) {
      const byte = bytes[this.at + i]
      if (byte === undefined) return undefined
      value += (byte & 0x7f) * 2 ** (7 * i)
      if (byte < 0x80) {
        this.at += i + 1
        return value
      }
    }
    let wide = BigInt(value)
    for (let i = 7; i < 10; i++) {
      const byte = bytes[this.at + i]
      if (byte === undefined) return undefined
      wide |= BigInt(byte & 0x7f) << BigInt(7 * i)
      if (byte < 0x80) {
        this.at += i + 1
        if (wide >= 1n << 64n) return undefined
        return wide <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(wide) : wide
      }
    }
    return undefined
  }

  /** Reads a length, and returns the index after that many bytes. Returns `undefined` if there are fewer. */
  end(): number | undefined {
    const length = this.varint()
    return typeof length !== "number" || length > this.of.length - this.at ? undefined : this.at + length
  }

  /** Reads a length, and then that many bytes. */
  bytes(): Uint8Array | undefined {
    const end = this.end()
    if (end === undefined) return undefined
    const from = this.at
    this.at = end
    return this.of.subarray(from, end)
  }
}
