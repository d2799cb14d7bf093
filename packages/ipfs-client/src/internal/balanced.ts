/** Trees of a file as Kubo builds them: every leaf as deep as every other, nodes filled from the left. */
import * as dagPb from "@ipld/dag-pb"

import type * as Cid from "../Cid.ts"
import * as UnixFsData from "../UnixFsData.ts"
import { DAG_PB, RAW } from "./codecs.ts"

/** Of all blocks that are no raw leaves. */
export const CODEC = DAG_PB

/** A block of the tree. */
export interface Node {
  readonly cid: Cid.Cid
  readonly bytes: Uint8Array
  /** Bytes of the file in it and below. */
  readonly size: number
  /** Bytes of all blocks, its own and those below. */
  readonly totalSize: number
}

type Link = Omit<Node, "bytes">

/** A leaf that has no CID yet. */
export const leaf = (chunk: Uint8Array, raw: boolean): Omit<Node, "cid"> & { readonly codec: number } => {
  const size = chunk.length
  if (raw) return { codec: RAW, bytes: chunk, size, totalSize: size }
  const message = { kind: "file", fileSize: size, blockSizes: [] } as const
  const data = UnixFsData.encode(size === 0 ? message : { ...message, data: chunk })
  const bytes = dagPb.encode({ Data: data, Links: [] })
  return { codec: DAG_PB, bytes, size, totalSize: bytes.length }
}

export interface Balanced {
  /** Takes the next leaf; gives it back, and the nodes that are complete by it. */
  readonly push: (leaf: Node) => ReadonlyArray<Node>
  /** The rest of the nodes, the root last; none when the only leaf is the root. */
  readonly finish: () => ReadonlyArray<Node>
}

export const make = (maxLinks: number, cidOf: (bytes: Uint8Array) => Cid.Cid): Balanced => {
  /** Nodes that have no parent yet, by their height. Full ones wait: only the next tells whether there will be more. */
  const levels: Array<Array<Link>> = []

  const parent = (links: ReadonlyArray<Link>): Node => {
    const size = links.reduce((sum, link) => sum + link.size, 0)
    const data = UnixFsData.encode({ kind: "file", fileSize: size, blockSizes: links.map((link) => link.size) })
    const bytes = dagPb.encode({
      Data: data,
      Links: links.map(({ cid, totalSize }) => ({ Name: "", Tsize: totalSize, Hash: cid }))
    })
    const totalSize = links.reduce((sum, link) => sum + link.totalSize, bytes.length)
    return { cid: cidOf(bytes), bytes, size, totalSize }
  }

  const add = (height: number, { cid, size, totalSize }: Node, made: Array<Node>): void => {
    const level = (levels[height] ??= [])
    if (level.length === maxLinks) close(height, made)
    level.push({ cid, size, totalSize })
  }

  const close = (height: number, made: Array<Node>): void => {
    const node = parent(levels[height]!.splice(0))
    made.push(node)
    add(height + 1, node, made)
  }

  return {
    push: (leaf) => {
      const made = [leaf]
      add(0, leaf, made)
      return made
    },
    finish: () => {
      const made: Array<Node> = []
      for (let height = 0; height + 1 < levels.length || levels[height]!.length > 1; height++) close(height, made)
      return made
    }
  }
}
