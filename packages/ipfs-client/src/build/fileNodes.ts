/** The blocks that files are made of: leaves, which hold their bytes, and parents, which link. */
import * as Bytes from "@plumbline/codec/hex/Bytes"

import type * as Cid from "../cid/Cid.ts"
import { DAG_PB, RAW } from "../codec/codecs.ts"
import * as DagPb from "../codec/pb.ts"
import * as Protobuf from "../codec/protobuf.ts"
import { messageOf } from "../unixfs/message.ts"
import * as UnixFsData from "../unixfs/UnixFsData.ts"
import type { Chunk } from "./rechunk.ts"

/** A block of a file. */
export interface Node {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array
  /** Bytes of the file in this node and below it. */
  readonly size: number
  /** Bytes of all blocks, its own and those below. */
  readonly totalSize: number
}

/** A node as its parent links to it. */
export type Link = Omit<Node, "bytes">

/** A leaf that has no CID yet. */
export interface Leaf extends Omit<Node, "cid"> {
  readonly codec: number
}

/** The attributes that a file's root holds. */
export type Attributes = Pick<UnixFsData.UnixFsData, "mode" | "mtime">

/** Makes a leaf. A raw leaf is the chunk itself; any other leaf is a UnixFS message of the given kind. */
export const leaf = (chunk: Chunk, kind: "raw" | "file" | undefined, attributes?: Attributes): Leaf => {
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
 * The first bytes of a dag-pb block without links: the tag of its only field, its data. `DagPb.encode` would copy the
 * data once more.
 */
const PB_DATA = Protobuf.varint((1 << 3) | 2)

/** Parts of a file are written with a name that is empty, as Kubo writes them. */
const NO_NAME = new Uint8Array(0)

/** Gives a block in dag-pb its CID. */
export type CidOf = (bytes: Uint8Array) => Cid.Cid

/** Makes the parent of nodes, which are in the order of their bytes. */
export const parent = (links: ReadonlyArray<Link>, cidOf: CidOf, attributes?: Attributes): Node => {
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

/** A tree that takes leaves one by one, and gives its nodes as soon as they are complete. */
export interface Tree {
  /** Takes the next leaf. Returns it, with the nodes that it completes. */
  readonly push: (leaf: Node) => ReadonlyArray<Node>
  /** Returns the remaining nodes, the root last. Returns none if the only leaf is the root. */
  readonly finish: () => ReadonlyArray<Node>
}

/** The shape of a tree, and the attributes of its root. */
export interface TreeOptions {
  readonly maxLinks: number
  readonly cidOf: CidOf
  /** The attributes of the root. */
  readonly attributes: Attributes | undefined
}
