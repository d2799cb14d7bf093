/** The blocks of files: leaves, which hold bytes, and parents, which hold links. */
import * as Bytes from "@plumbline/codec/hex/Bytes"

import type * as Cid from "../cid/Cid.ts"
import * as DagPb from "../codec/dagPb.ts"
import { DAG_PB, RAW } from "../codec/ipldCodecs.ts"
import * as Protobuf from "../codec/protobuf.ts"
import * as UnixFsData from "../unixfs/UnixFsData.ts"
import { messageOf } from "../unixfs/unixFsMessage.ts"
import type { Chunk } from "./rechunk.ts"

/** A block of a file. */
export interface FileNode {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array
  /** Bytes of the file in this node and below it. */
  readonly size: number
  /** Bytes of this block and of all blocks below. */
  readonly totalSize: number
}

/** A node in the form in which its parent links to it. */
export type FileLink = Omit<FileNode, "bytes">

/** A leaf that has no CID yet. */
export interface FileLeaf extends Omit<FileNode, "cid"> {
  readonly codec: number
}

/** The attributes that a file's root holds. */
export type FileAttributes = Pick<UnixFsData.UnixFsData, "mode" | "mtime">

/** Makes a leaf. A raw leaf is the unchanged chunk; any other leaf is a UnixFS message of the given kind. */
export const leaf = (chunk: Chunk, kind: "raw" | "file" | undefined, attributes?: FileAttributes): FileLeaf => {
  const size = sizeOf(chunk)
  if (kind === undefined) {
    const bytes = chunk.length === 1 ? chunk[0]! : Bytes.join(chunk)
    return { codec: RAW, bytes, size, totalSize: size }
  }
  const message = messageOf({
    kind,
    data: size === 0 ? undefined : chunk,
    fileSize: size,
    blockSizes: [],
    ...attributes
  })
  const bytes = Bytes.join([PB_DATA, Protobuf.varint(sizeOf(message)), ...message])
  return { codec: DAG_PB, bytes, size, totalSize: bytes.length }
}

const sizeOf = (parts: ReadonlyArray<Uint8Array>): number => parts.reduce((sum, part) => sum + part.length, 0)

/**
 * The first byte of a dag-pb block without links: the tag of its only field, the data. It is written here, because
 * `DagPb.encode` would copy the data once more.
 */
const PB_DATA = Protobuf.varint((1 << 3) | 2)

/** The name of a link to a part of a file. Kubo writes the field of the name, but leaves it empty. */
const NO_NAME = new Uint8Array(0)

/** Computes the CID of a dag-pb block. */
export type CidOf = (bytes: Uint8Array) => Cid.Cid

/** Makes the parent of the linked nodes. The links must be in the order of the file. */
export const parent = (links: ReadonlyArray<FileLink>, cidOf: CidOf, attributes?: FileAttributes): FileNode => {
  const size = links.reduce((sum, link) => sum + link.size, 0)
  const data = UnixFsData.encode({
    kind: "file",
    fileSize: size,
    blockSizes: links.map((link) => link.size),
    ...attributes
  })
  const bytes = DagPb.encode({ data, links: links.map(({ cid, totalSize }) => ({ cid, name: NO_NAME, totalSize })) })
  const totalSize = links.reduce((sum, link) => sum + link.totalSize, bytes.length)
  return { cid: cidOf(bytes), bytes, size, totalSize }
}

/** A tree that takes leaves one by one, and returns its nodes as soon as they are complete. */
export interface FileTree {
  /** Takes the next leaf. Returns it, with the nodes that it completes. */
  readonly push: (leaf: FileNode) => ReadonlyArray<FileNode>
  /** Returns the remaining nodes, with the root last; an empty list if the only leaf is the root. */
  readonly finish: () => ReadonlyArray<FileNode>
}

/** The shape of a tree, and the attributes of its root. */
export interface FileTreeOptions {
  readonly maxLinks: number
  readonly cidOf: CidOf
  /** The attributes of the root. */
  readonly attributes: FileAttributes | undefined
}
