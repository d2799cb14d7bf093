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
import * as Protobuf from "./protobuf.ts"

/** A link. A field that the block omits is `undefined`. `totalSize` is a bigint if it is beyond 2^53. */
export interface Link {
  readonly cid: Cid.Cid
  readonly name: Uint8Array | undefined
  readonly totalSize: number | bigint | undefined
}

/** A node. Its bytes are views into the block. */
export interface Node {
  readonly data: Uint8Array | undefined
  readonly links: ReadonlyArray<Link>
}

/** Reads a block. Fails with a sentence about its form. */
export const decode = (bytes: Uint8Array): Result.Result<Node, string> => {
  const reader = new Reader(bytes)
  const links: Array<Link> = []
  let data: Uint8Array | undefined
  let isClosed = false
  while (reader.at < bytes.length) {
    const key = reader.varint()
    if (key === FIELD_1) {
      if (data !== undefined) return malformed
      data = reader.bytes()
      if (data === undefined) return malformed
      isClosed = links.length > 0
    } else if (key === FIELD_2) {
      const message = reader.bytes()
      const link = message === undefined || isClosed ? undefined : linkOf(message)
      if (link === undefined) return malformed
      links.push(link)
    } else return malformed
  }
  return Result.succeed({ data, links })
}

/** Reads the fields of a link in their order: the CID, then the optional name and size. */
const linkOf = (message: Uint8Array): Link | undefined => {
  const reader = new Reader(message)
  if (reader.varint() !== FIELD_1) return undefined
  const hash = reader.bytes()
  if (hash === undefined) return undefined
  let name: Uint8Array | undefined
  let totalSize: number | bigint | undefined
  while (reader.at < message.length) {
    const key = reader.varint()
    if (key === FIELD_2 && name === undefined && totalSize === undefined) {
      name = reader.bytes()
      if (name === undefined) return undefined
    } else if (key === FIELD_3 && totalSize === undefined) {
      totalSize = reader.varint()
      if (totalSize === undefined) return undefined
    } else return undefined
  }
  const cid = Cid.fromBytes(hash)
  return Result.isSuccess(cid) ? { cid: cid.success, name, totalSize } : undefined
}

/**
 * Writes a node: first its links, sorted by the bytes of their names, then the data. Links of the same name keep their
 * order.
 *
 * Source: the specification of dag-pb, section "Serialization".
 */
export const encode = ({ data, links }: Node): Uint8Array => {
  const parts: Array<Uint8Array> = []
  for (const { cid, name, totalSize } of links.toSorted(byName)) {
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

const byName = ({ name: a = NOTHING }: Link, { name: b = NOTHING }: Link): number => {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!
  }
  return a.length - b.length
}

const FIELD_1 = (1 << 3) | 2
const FIELD_2 = (2 << 3) | 2
const FIELD_3 = 3 << 3

const malformed: Result.Result<never, string> = /* @__PURE__ */ Result.fail("not dag-pb")

class Reader {
  at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads a number of up to 64 bits. Returns `undefined` if it is longer or cut off. */
  varint(): number | bigint | undefined {
    const bytes = this.#bytes
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

  /** Reads a length, and then that many bytes. */
  bytes(): Uint8Array | undefined {
    const length = this.varint()
    if (typeof length !== "number" || length > this.#bytes.length - this.at) return undefined
    const from = this.at
    this.at += length
    return this.#bytes.subarray(from, this.at)
  }
}
