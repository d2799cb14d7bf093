/** Hash trees with few leaves: their roots, and the branch from each leaf to the root. */
import { sha256 } from "@noble/hashes/sha2.js"
import * as Bytes from "@plumbline/codec/hex/Bytes"

/** Bytes of a node. */
const NODE = 32

/** A hash tree. Leaves that are not given are zero. */
export interface HashTree {
  readonly root: Uint8Array
  /** Returns the siblings on the way from a leaf to the root, starting with the sibling of the leaf. */
  readonly branch: (index: number) => ReadonlyArray<Uint8Array>
}

/** Makes the tree with `2 ** depth` leaves. */
export const make = (depth: number, leaves: Iterable<readonly [index: number, leaf: Uint8Array]>): HashTree => {
  const levels = [new Map(leaves)]
  for (let level = 0; level < depth; level++) {
    const parents = new Map<number, Uint8Array>()
    for (const index of levels[level]!.keys()) {
      const parent = Math.floor(index / 2)
      if (!parents.has(parent))
        parents.set(parent, pair(node(levels, level, 2 * parent), node(levels, level, 2 * parent + 1)))
    }
    levels.push(parents)
  }
  return {
    root: node(levels, depth, 0),
    branch: (index) =>
      Array.from({ length: depth }, (_, level) => {
        const at = Math.floor(index / 2 ** level)
        return node(levels, level, at % 2 === 0 ? at + 1 : at - 1)
      })
  }
}

const node = (levels: ReadonlyArray<ReadonlyMap<number, Uint8Array>>, level: number, index: number): Uint8Array =>
  levels[level]!.get(index) ?? zero(level)

const zeros: Array<Uint8Array> = [new Uint8Array(NODE)]

/** Returns the root of a tree whose leaves are all zero. */
const zero = (depth: number): Uint8Array => {
  while (zeros.length <= depth) zeros.push(pair(zeros.at(-1)!, zeros.at(-1)!))
  return zeros[depth]!
}

const pair = (left: Uint8Array, right: Uint8Array): Uint8Array => sha256(Bytes.concat(left, right))

/** Returns the root of a container whose fields have these roots. */
export const container = (fields: ReadonlyArray<Uint8Array>): Uint8Array =>
  make(Math.ceil(Math.log2(fields.length)), fields.entries()).root

/** Returns the root of a list. `room` is the depth of the tree for the longest list. */
export const list = (room: number, items: ReadonlyArray<Uint8Array>, length = items.length): Uint8Array =>
  pair(make(room, items.entries()).root, uint64(BigInt(length)))

/** Encodes a number as a leaf of the tree. */
export const uint64 = (value: bigint): Uint8Array => {
  const leaf = new Uint8Array(NODE)
  new DataView(leaf.buffer).setBigUint64(0, value, true)
  return leaf
}

/** Returns bytes as leaves. The last leaf is padded with zeros. */
export const leaves = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  Array.from({ length: Math.ceil(bytes.length / NODE) }, (_, at) => {
    const leaf = new Uint8Array(NODE)
    leaf.set(bytes.subarray(at * NODE, (at + 1) * NODE))
    return leaf
  })
