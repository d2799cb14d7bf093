/**
 * Writes blocks without our code. It writes dag-pb by hand, so that names can be any bytes. It computes hashes with
 * node:crypto.
 */
import { createHash } from "node:crypto"

import * as UnixFsLibrary from "ipfs-unixfs"
import { CID } from "multiformats/cid"
import * as Digest from "multiformats/hashes/digest"

export const RAW = 0x55
export const DAG_PB = 0x70
export const DAG_CBOR = 0x71

/** A block. */
export interface Block {
  readonly cid: CID
  readonly bytes: Uint8Array
}

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

export const cidOf = (codec: number, bytes: Uint8Array): CID =>
  CID.createV1(codec, Digest.create(0x12, new Uint8Array(createHash("sha256").update(bytes).digest())))

export const block = (codec: number, bytes: Uint8Array): Block => ({ cid: cidOf(codec, bytes), bytes })

export const raw = (text: string): Block => block(RAW, utf8(text))

/** Returns the key of a block, which is the same for all of its CIDs. */
export const keyOf = (cid: CID): string => hex(cid.multihash.bytes)

/** A link. A field that the block leaves out is undefined. */
export interface Link {
  readonly name: Uint8Array | undefined
  readonly cid: CID
  readonly size: number | undefined
}

const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...varint(Math.floor(value / 0x80))]

const field = (key: number, bytes: Uint8Array): ReadonlyArray<number> => [key, ...varint(bytes.length), ...bytes]

/** Makes a block of dag-pb: links in the given order, then the data. */
export const node = (data: Uint8Array, links: ReadonlyArray<Link>): Block => {
  const written = links.flatMap(({ cid, name, size }) =>
    field(
      0x12,
      Uint8Array.from([
        ...field(0x0a, cid.bytes),
        ...(name === undefined ? [] : field(0x12, name)),
        ...(size === undefined ? [] : [0x18, ...varint(size)])
      ])
    )
  )
  return block(DAG_PB, Uint8Array.from([...written, ...field(0x0a, data)]))
}

/** Returns a UnixFS message, made by the library. */
export const message = (
  type: "file" | "raw" | "directory" | "symlink",
  data?: Uint8Array,
  blockSizes: ReadonlyArray<number> = []
): Uint8Array =>
  new UnixFsLibrary.UnixFS({
    type,
    ...(data === undefined ? {} : { data }),
    blockSizes: blockSizes.map(BigInt)
  }).marshal()

/** Returns a part of a file with these child parts, and the sizes that it claims for them. */
export const parent = (children: ReadonlyArray<Block>, sizes: ReadonlyArray<number>, data?: Uint8Array): Block =>
  node(
    message("file", data, sizes),
    children.map(({ bytes, cid }) => ({ name: new Uint8Array(0), cid, size: bytes.length }))
  )

export const directory = (entries: ReadonlyArray<readonly [name: Uint8Array, to: Block]>): Block =>
  node(
    message("directory"),
    entries.map(([name, { bytes, cid }]) => ({ name, cid, size: bytes.length }))
  )
