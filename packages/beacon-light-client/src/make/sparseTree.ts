/** Merkle trees with only a few known leaves; arbitrary hashes fill the other places. */
import { sha256 } from "@noble/hashes/sha2.js"
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as Merkle from "../ssz/merkle.ts"

/** A tree with its root, and with a branch for each place. Places are generalized indices. */
export interface SparseTree {
  readonly root: Hash32.Hash32
  readonly branch: (index: number) => ReadonlyArray<Hash32.Hash32>
}

/** Makes the tree with these nodes. No node may be above another. */
export const make = (nodes: ReadonlyMap<number, Uint8Array>): SparseTree => {
  const inner = new Set<number>()
  for (const index of nodes.keys()) for (let above = index >> 1; above > 0; above >>= 1) inner.add(above)
  const known = new Map<number, Uint8Array>()
  const nodeAt = (index: number): Uint8Array => {
    const node =
      known.get(index) ??
      nodes.get(index) ??
      (inner.has(index) ? Merkle.hashPair(nodeAt(2 * index), nodeAt(2 * index + 1)) : filler(index))
    known.set(index, node)
    return node
  }
  return {
    root: Hash32.fromBytesUnsafe(nodeAt(1)),
    branch: (index) => {
      const siblings: Array<Hash32.Hash32> = []
      for (let at = index; at > 1; at >>= 1) siblings.push(Hash32.fromBytesUnsafe(nodeAt(at ^ 1)))
      return siblings
    }
  }
}

const filler = (index: number): Uint8Array => sha256(Uint8Array.of(index & 0xff, index >> 8))
