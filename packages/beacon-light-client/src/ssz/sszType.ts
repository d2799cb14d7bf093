/**
 * The SSZ types that the containers of a light client need.
 *
 * A type reads and writes bytes and the beacon API's JSON, and computes the hash tree root. Reading is strict: every
 * length is exact. Readers throw `RefutedError` of the check `shape` or `bounds`; the public modules return it.
 *
 * Source: consensus-specs `ssz/simple-serialize.md`.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"
import type * as Address from "@plumbline/codec/value/Address"

import { refuse } from "../refusal/LightClientCheck.ts"
import * as Merkle from "./merkle.ts"

/** One SSZ type with the domain value `A`. `path` names the value in errors. */
export interface SszType<A> {
  /** Number of bytes of every value, or undefined if values differ in length. */
  readonly size: number | undefined
  /** Number of bytes of the longest value. */
  readonly limit: number
  /** The value whose encoding has only zero bytes. */
  readonly zero: A
  readonly decode: (bytes: Uint8Array, path: string) => A
  readonly encode: (value: A) => Uint8Array
  readonly root: (value: A) => Uint8Array
  readonly fromJson: (json: unknown, path: string) => A
  readonly toJson: (value: A) => unknown
}

/** Fails unless there are exactly `size` bytes. */
export const exactly = (size: number, bytes: Uint8Array, path: string): void => {
  if (bytes.length !== size) throw refuse("shape", `${size} bytes`, `${bytes.length} bytes`, path)
}

const unsigned = (size: number): SszType<bigint> => {
  const max = 2n ** BigInt(8 * size) - 1n
  const digits = max.toString().length
  const encode = (value: bigint): Uint8Array => {
    const bytes = new Uint8Array(size)
    for (let at = 0, rest = value; at < size; at++, rest >>= 8n) bytes[at] = Number(rest & 0xffn)
    return bytes
  }
  return {
    size,
    limit: size,
    zero: 0n,
    decode: (bytes, path) => {
      exactly(size, bytes, path)
      let value = 0n
      for (let at = size - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]!)
      return value
    },
    encode,
    root: (value) => Merkle.chunksOf(encode(value))[0]!,
    fromJson: (json, path) => {
      if (typeof json !== "string" || !/^(?:0|[1-9][0-9]*)$/u.test(json.slice(0, digits + 1))) {
        throw refuse("shape", "a decimal number as text", shown(json), path)
      }
      if (json.length > digits || BigInt(json) > max) throw refuse("bounds", `at most ${max}`, json, path)
      return BigInt(json)
    },
    toJson: (value) => value.toString()
  }
}

/** A number of 64 bits. */
export const uint64: SszType<bigint> = /* @__PURE__ */ unsigned(8)

/** A number of 256 bits. */
export const uint256: SszType<bigint> = /* @__PURE__ */ unsigned(32)

/** Returns the bytes of JSON's hex text, which must be of `size` bytes. */
const hexOf = (size: number, json: unknown, path: string): Uint8Array => {
  if (typeof json !== "string" || !PlainHex.isHex(json, size)) {
    throw refuse("shape", `0x hex data of ${size} bytes`, shown(json), path)
  }
  return PlainHex.toBytesUnsafe(json)
}

/** Returns JSON's value as text for an error. */
const shown = (json: unknown): string | null | undefined =>
  json === null || json === undefined || typeof json === "string" ? json : typeof json

/** Makes the type of `size` bytes whose values are lower-case `0x` text. */
const text = <A extends Hex.Hex>(size: number): SszType<A> => {
  const read = (bytes: Uint8Array): A => PlainHex.fromBytes(bytes) as A
  const depth = Merkle.depthOf(Math.ceil(size / Merkle.CHUNK))
  return {
    size,
    limit: size,
    zero: read(new Uint8Array(size)),
    decode: (bytes, path) => {
      exactly(size, bytes, path)
      return read(bytes)
    },
    encode: (value) => PlainHex.toBytesUnsafe(value),
    root: (value) => Merkle.merkleize(Merkle.chunksOf(PlainHex.toBytesUnsafe(value)), depth),
    fromJson: (json, path) => read(hexOf(size, json, path)),
    toJson: (value) => value
  }
}

/** A hash or root: 32 bytes. */
export const hash32: SszType<Hash32.Hash32> = /* @__PURE__ */ text(32)

/** An address: 20 bytes. */
export const address: SszType<Address.Address> = /* @__PURE__ */ text(20)

/** Makes the type of `size` bytes, as lower-case `0x` text. */
export const bytes = (size: number): SszType<Hex.Hex> => text(size)

/** Makes the type of a list of at most `limit` bytes, as lower-case `0x` text. */
export const byteList = (limit: number): SszType<Hex.Hex> => {
  const depth = Merkle.depthOf(Math.ceil(limit / Merkle.CHUNK))
  const bounded = (size: number, path: string): void => {
    if (size > limit) throw refuse("bounds", `at most ${limit} bytes`, `${size} bytes`, path)
  }
  return {
    size: undefined,
    limit,
    zero: "0x",
    decode: (bytes, path) => {
      bounded(bytes.length, path)
      return PlainHex.fromBytes(bytes)
    },
    encode: (value) => PlainHex.toBytesUnsafe(value),
    root: (value) => {
      const content = PlainHex.toBytesUnsafe(value)
      const length = uint64.root(BigInt(content.length))
      return Merkle.hashPair(Merkle.merkleize(Merkle.chunksOf(content), depth), length)
    },
    fromJson: (json, path) => {
      if (!PlainHex.isHex(json)) throw refuse("shape", "0x hex data", shown(json), path)
      bounded(Hex.size(json), path)
      return PlainHex.fromBytes(PlainHex.toBytesUnsafe(json))
    },
    toJson: (value) => value
  }
}

/** Returns JSON's list, which must have `count` items. */
const listOf = (count: number, json: unknown, path: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(json)) throw refuse("shape", `a list of ${count}`, shown(json), path)
  if (json.length !== count) throw refuse("shape", `a list of ${count}`, `a list of ${json.length}`, path)
  return json
}

/** Makes the type of a Merkle branch: `depth` hashes, the leaf's sibling first. */
export const branch = (depth: number): SszType<ReadonlyArray<Hash32.Hash32>> => {
  const size = depth * Merkle.CHUNK
  const treeDepth = Merkle.depthOf(depth)
  const encode = (value: ReadonlyArray<Hash32.Hash32>): Uint8Array => Bytes.join(value.map(hash32.encode))
  return {
    size,
    limit: size,
    zero: Array.from({ length: depth }, () => hash32.zero),
    decode: (bytes, path) => {
      exactly(size, bytes, path)
      return Merkle.chunksOf(bytes).map((chunk) => hash32.decode(chunk, path))
    },
    encode,
    root: (value) => Merkle.merkleize(Merkle.chunksOf(encode(value)), treeDepth),
    fromJson: (json, path) => listOf(depth, json, path).map((item, at) => hash32.fromJson(item, `${path}[${at}]`)),
    toJson: (value) => value
  }
}

/** Number of bytes of a compressed public key. */
export const KEY = 48

/** Makes the type of `count` public keys. The value holds a copy of their bytes, one key after the other. */
export const keys = (count: number): SszType<Uint8Array> => {
  const size = count * KEY
  const depth = Merkle.depthOf(count)
  return {
    size,
    limit: size,
    zero: new Uint8Array(size),
    decode: (bytes, path) => {
      exactly(size, bytes, path)
      return bytes.slice()
    },
    encode: (value) => value,
    root: (value) => {
      const roots: Array<Uint8Array> = []
      for (let at = 0; at < size; at += KEY)
        roots.push(Merkle.merkleize(Merkle.chunksOf(value.subarray(at, at + KEY)), 1))
      return Merkle.merkleize(roots, depth)
    },
    fromJson: (json, path) =>
      Bytes.join(listOf(count, json, path).map((item, at) => hexOf(KEY, item, `${path}[${at}]`))),
    toJson: (value) =>
      Array.from({ length: count }, (_, at) => PlainHex.fromBytes(value.subarray(at * KEY, (at + 1) * KEY)))
  }
}
