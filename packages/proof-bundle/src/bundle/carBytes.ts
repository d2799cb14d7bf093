/**
 * Writes and reads bundles as bytes: a CAR of version 1 whose only root is the CID of a block.
 *
 * A reader that knows the trusted block knows every byte of the header, so the header is compared, not parsed. A
 * section has only one valid form. So every byte of a file has a meaning, and every change is detected.
 *
 * Sources: the specification of CARv1; dag-cbor, for the header.
 */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import type * as Cid from "@plumbline/ipfs-client/cid/Cid"
import * as Multihash from "@plumbline/ipfs-client/cid/Multihash"
import * as Result from "effect/Result"

import * as BundleCodecs from "./bundleCodecs.ts"
import { BundleError } from "./BundleError.ts"

/** A block in the file. Only its form is checked. */
export interface CarSection {
  readonly codec: number
  /** The digest in the block's CID. */
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  /** Position of the section's first byte. */
  readonly offset: number
}

export interface CarLimits {
  /** Maximum number of bytes of a block. */
  readonly maxBlockSize: number
  readonly maxBlocks: number
}

/** Returns the file. */
export const write = (
  root: Cid.Cid,
  blocks: ReadonlyArray<{ readonly cid: Cid.Cid; readonly bytes: Uint8Array }>
): Uint8Array<ArrayBuffer> =>
  Bytes.join([
    headerOf(root.multihash.digest),
    ...blocks.map(({ bytes, cid }) => Bytes.concat(varint(cid.bytes.length + bytes.length), cid.bytes, bytes))
  ])

/** Returns the hash of the block that the header of a file names. */
export const rootOf = (file: Uint8Array): Result.Result<Uint8Array, BundleError> => {
  const hash = file.subarray(HASH_AT, HASH_AT + BundleCodecs.DIGEST_SIZE)
  const isHeader = file.length >= HEADER_SIZE && headerOf(hash).every((byte, i) => byte === file[i])
  return isHeader
    ? Result.succeed(hash)
    : fail("BadHeader", 0, "it does not begin as a CAR of version 1 with the CID of one block as its root")
}

/** Returns the sections after the header. The blocks are views of the file. */
export const sections = (
  file: Uint8Array,
  limits: CarLimits
): Result.Result<ReadonlyArray<CarSection>, BundleError> => {
  const found: Array<CarSection> = []
  let at = HEADER_SIZE
  while (at < file.length) {
    const offset = at
    let size = 0
    let shift = 0
    for (;;) {
      if (at === file.length) return fail("Cut", offset, "it ends within a length")
      const byte = file[at++]!
      size += (byte & 0x7f) * 2 ** shift
      shift += 7
      if (byte < 0x80) {
        if (byte === 0 && shift > 7) return fail("BadSection", offset, "a length is not written in its shortest form")
        break
      }
      if (shift === MAX_VARINT_BITS) return fail("TooLarge", offset, `a section has ${2 ** shift} bytes or more`)
    }
    if (found.length === limits.maxBlocks)
      return fail("TooLarge", offset, `it has more than ${limits.maxBlocks} blocks`)
    if (size > limits.maxBlockSize + MAX_CID_SIZE) {
      return fail("TooLarge", offset, `a section has ${size} bytes, more than a block of ${limits.maxBlockSize}`)
    }
    const end = at + size
    if (end > file.length) return fail("Cut", offset, `a section of ${size} bytes is not whole`)
    const codec = codecAt(file, at, end)
    if (codec === undefined) return fail("BadCid", at, "not a CID of Ethereum's data or of code, under Keccak-256")
    const hashAt = at + (codec === BundleCodecs.RAW ? 1 : 2) + 3
    const from = hashAt + BundleCodecs.DIGEST_SIZE
    if (from >= end) return fail("BadSection", offset, "a block has no bytes")
    found.push({ codec, hash: file.subarray(hashAt, from), bytes: file.subarray(from, end), offset })
    at = end
  }
  return Result.succeed(found)
}

/** Returns the codec of the CID at this place, if a bundle uses it. */
const codecAt = (file: Uint8Array, at: number, end: number): number | undefined => {
  if (file[at] !== 1) return undefined
  const codec = file[at + 1] === BundleCodecs.RAW ? BundleCodecs.RAW : file[at + 2] === 1 ? file[at + 1]! : 0
  const hash = at + (codec === BundleCodecs.RAW ? 2 : 3)
  const isOurs =
    BundleCodecs.names.has(codec) &&
    hash + 2 + BundleCodecs.DIGEST_SIZE <= end &&
    file[hash] === Multihash.KECCAK_256 &&
    file[hash + 1] === BundleCodecs.DIGEST_SIZE
  return isOurs ? codec : undefined
}

/** Returns the length of the header, and then the header: `{ roots: [CID], version: 1 }` in dag-cbor. */
const headerOf = (hash: Uint8Array): Uint8Array => Bytes.concat(BEFORE_HASH, hash, AFTER_HASH)

const ascii = (text: string): ReadonlyArray<number> => Array.from(text, (letter) => letter.charCodeAt(0))

/** The start of a CID, before its digest: version 1, eth-block in two bytes, Keccak-256, and the digest's size. */
const CID_PREFIX = [1, BundleCodecs.BLOCK, 1, Multihash.KECCAK_256, BundleCodecs.DIGEST_SIZE]

/** Size of a block's CID in dag-cbor, with the zero byte before it. */
const LINK_SIZE = 1 + CID_PREFIX.length + BundleCodecs.DIGEST_SIZE

// 59 bytes: a map with two members; its `roots` are a list of one link
const BEFORE_HASH = Uint8Array.of(
  59,
  0xa2,
  0x65,
  ...ascii("roots"),
  0x81,
  0xd8,
  0x2a,
  0x58,
  LINK_SIZE,
  0,
  ...CID_PREFIX
)
const AFTER_HASH = Uint8Array.of(0x67, ...ascii("version"), 1)

/** Position of the hash in the header. */
const HASH_AT = BEFORE_HASH.length
const HEADER_SIZE = HASH_AT + BundleCodecs.DIGEST_SIZE + AFTER_HASH.length

/** Number of bytes of the longest CID in a bundle. */
const MAX_CID_SIZE = 5 + BundleCodecs.DIGEST_SIZE

/** Maximum number of bits of a section's length: four groups of seven bits, which is more than any section needs. */
const MAX_VARINT_BITS = 28

/** Encodes a number as unsigned LEB128. */
const varint = (value: number): Uint8Array => {
  const bytes: Array<number> = []
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest & 0x7f) | 0x80)
  bytes.push(rest)
  return Uint8Array.from(bytes)
}

const fail = (reason: BundleError["reason"], offset: number, detail: string): Result.Result<never, BundleError> =>
  Result.fail(new BundleError({ reason, offset, detail }))
