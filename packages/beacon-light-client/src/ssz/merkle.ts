/** Merkle trees of SSZ: roots of chunks, and branches from a leaf to a root. */
import { sha256 } from "@noble/hashes/sha2.js"

/** Bytes of a chunk, which is a leaf or an inner node. */
export const CHUNK = 32

/** Returns the node over two nodes. */
export const hashPair = (left: Uint8Array, right: Uint8Array): Uint8Array => {
  const pair = new Uint8Array(2 * CHUNK)
  pair.set(left)
  pair.set(right, CHUNK)
  return sha256(pair)
}

const zeros: Array<Uint8Array> = [new Uint8Array(CHUNK)]

/** Returns the root of a tree of zero chunks that is `depth` levels deep. */
const zeroAt = (depth: number): Uint8Array => {
  while (zeros.length <= depth) zeros.push(hashPair(zeros.at(-1)!, zeros.at(-1)!))
  return zeros[depth]!
}

/** Returns the root of a tree with room for `2 ** depth` chunks. The chunks that are not given are zero. */
export const merkleize = (chunks: ReadonlyArray<Uint8Array>, depth: number): Uint8Array => {
  let layer = chunks
  for (let level = 0; level < depth; level++) {
    const above: Array<Uint8Array> = []
    for (let at = 0; at < layer.length; at += 2) above.push(hashPair(layer[at]!, layer[at + 1] ?? zeroAt(level)))
    layer = above
  }
  return layer[0] ?? zeroAt(depth)
}

/** Returns the depth of the smallest tree with room for `count` chunks. */
export const depthOf = (count: number): number => Math.ceil(Math.log2(count))

/** Returns the bytes in chunks; the last one is padded with zeros. */
export const chunksOf = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; at += CHUNK) {
    const part = bytes.subarray(at, at + CHUNK)
    chunks.push(part.length === CHUNK ? part : padded(part))
  }
  return chunks
}

const padded = (part: Uint8Array): Uint8Array => {
  const chunk = new Uint8Array(CHUNK)
  chunk.set(part)
  return chunk
}

/** Returns the root that a leaf and its siblings lead to. `index` is the leaf's place among the leaves of its depth. */
export const rootOfBranch = (leaf: Uint8Array, branch: ReadonlyArray<Uint8Array>, index: number): Uint8Array => {
  let node = leaf
  let place = index
  for (const sibling of branch) {
    node = (place & 1) === 1 ? hashPair(sibling, node) : hashPair(node, sibling)
    place >>= 1
  }
  return node
}

/**
 * Returns the siblings on the way from a chunk to the root, the lowest first. The tree is the same as in `merkleize`.
 */
export const branchOf = (chunks: ReadonlyArray<Uint8Array>, depth: number, index: number): ReadonlyArray<Uint8Array> =>
  Array.from({ length: depth }, (_, level) => {
    const sibling = (index >> level) ^ 1
    return merkleize(chunks.slice(sibling << level, (sibling + 1) << level), level)
  })
