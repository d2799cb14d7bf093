/**
 * Builds a trie from all of its entries at once: first its shape, then its nodes from the leaves up. Nodes of one
 * height are hashed together, in place.
 */
import type * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"

import * as Nibbles from "./Nibbles.ts"

/**
 * The keys of a trie in the order of their paths, each once, and the shape of the trie, which depends only on the keys.
 * Keys are stored in columns, because a block has thousands of entries, and making an object takes longer than making a
 * hash.
 */
export interface TrieKeys {
  /** The paths, one after the other. The path of entry `i` is from `bounds[i]` up to `bounds[i + 1]`. */
  readonly paths: Nibbles.Nibbles
  readonly bounds: Int32Array
  /** For each entry, the number of its value. */
  readonly order: Int32Array
  readonly shape: TrieShape
}

/** Lays out the trie of at least one entry. */
export const keys = (paths: Nibbles.Nibbles, bounds: Int32Array, order: Int32Array): TrieKeys => ({
  paths,
  bounds,
  order,
  shape: layOut(paths, bounds)
})

/**
 * Writes a trie with these keys. Returns the position, in the writer, of the 32-byte hash of its root. The writer must
 * already hold the values: value `i` is from `from[i]` up to `to[i]`. Messages of the caller that are not hashed yet
 * are hashed together with the leaves. `keep` receives the positions of the RLP of the root and of each node that its
 * parent names by hash, children before parents.
 */
export const build = (
  writer: RlpWriter.RlpWriter,
  keys: TrieKeys,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  keep?: (start: number, end: number) => void
): number => {
  const { kinds, levels } = keys.shape
  const starts = new Int32Array(kinds.length)
  const ends = new Int32Array(kinds.length)
  for (const level of levels) {
    for (const node of level) {
      const start = writer.beginMessage()
      if (kinds[node] === BRANCH) putBranch(writer, keys, node, from, to, starts, ends)
      else if (kinds[node] === LEAF) putLeaf(writer, keys, node, from, to)
      else putExtension(writer, keys, node, starts, ends)
      const end = writer.position
      starts[node] = start
      ends[node] = end
      // a shorter node is embedded in its parent
      if (end - start < DIGEST && node !== 0) continue
      writer.endMessage(start)
      keep?.(start, end)
    }
    writer.hashMessages()
  }
  return starts[0]! - DIGEST
}

export const compare = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

const DIGEST = 32

const LEAF = 0
const EXTENSION = 1
const BRANCH = 2

/**
 * The nodes to build, the root first and parents before children. Each property is a column with one entry per node.
 */
export interface TrieShape {
  readonly kinds: ReadonlyArray<number>
  /** The first entry of each node. */
  readonly firsts: ReadonlyArray<number>
  /** For a leaf or an extension, the first nibble and the end of its path. For a branch, its depth. */
  readonly froms: ReadonlyArray<number>
  readonly tos: ReadonlyArray<number>
  /**
   * For each node, the index of its first child in `children`. A branch has sixteen places there, and an extension has
   * one.
   */
  readonly places: ReadonlyArray<number>
  /** For each place, the number of its node + 1, or 0 if it has no node. */
  readonly children: ReadonlyArray<number>
  /** The nodes by the number of levels below them: children are written first. */
  readonly levels: ReadonlyArray<ReadonlyArray<number>>
}

/** Lays out the nodes. The function is a loop with an explicit stack, because keys may have any length. */
const layOut = (paths: Nibbles.Nibbles, bounds: Int32Array): TrieShape => {
  const kinds: Array<number> = []
  const firsts: Array<number> = []
  const froms: Array<number> = []
  const tos: Array<number> = []
  const places: Array<number> = []
  const children: Array<number> = []
  const parents: Array<number> = []
  /**
   * Tasks of five numbers each: the entries `from` up to `to` share the first `depth` nibbles, and belong to a place of
   * a node.
   */
  const tasks: Array<number> = [0, bounds.length - 1, 0, -1, -1]
  while (tasks.length > 0) {
    const place = tasks.pop()!
    const parent = tasks.pop()!
    const depth = tasks.pop()!
    const to = tasks.pop()!
    const from = tasks.pop()!
    const path = bounds[from]!
    const length = bounds[from + 1]! - path
    let shared = length
    if (to - from > 1) {
      // the entries are sorted, so all of them share the nibbles that the first and the last entry share
      const last = bounds[to - 1]!
      const end = bounds[to]! - last
      shared = depth
      while (shared < length && shared < end && paths[path + shared] === paths[last + shared]) shared++
    }
    const kind = to - from === 1 ? LEAF : shared > depth ? EXTENSION : BRANCH
    const node = kinds.length
    if (place >= 0) children[place] = node + 1
    kinds.push(kind)
    firsts.push(from)
    froms.push(depth)
    tos.push(shared)
    parents.push(parent)
    places.push(children.length)
    if (kind === EXTENSION) {
      tasks.push(from, to, shared, node, children.length)
      children.push(0)
    } else if (kind === BRANCH) {
      const first = children.length
      for (let nibble = 0; nibble < 16; nibble++) children.push(0)
      // a key that ends here sorts before all longer ones; its value belongs to the branch itself
      for (let at = length === depth ? from + 1 : from; at < to;) {
        const start = at
        const nibble = paths[bounds[start]! + depth]!
        while (at < to && paths[bounds[at]! + depth] === nibble) at++
        tasks.push(start, at, depth + 1, node, first + nibble)
      }
    }
  }
  const heights = new Uint8Array(kinds.length)
  const levels: Array<Array<number>> = []
  // the loop goes backwards, so the height of each child is known before its parent needs it
  for (let node = kinds.length - 1; node >= 0; node--) {
    const height = heights[node]!
    ;(levels[height] ??= []).push(node)
    const parent = parents[node]!
    if (parent >= 0) heights[parent] = Math.max(heights[parent]!, height + 1)
  }
  return { kinds, firsts, froms, tos, places, children, levels }
}

const putLeaf = (
  writer: RlpWriter.RlpWriter,
  { bounds, order, paths, shape: { firsts, froms, tos } }: TrieKeys,
  node: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>
): void => {
  const first = firsts[node]!
  const path = bounds[first]!
  const value = order[first]!
  const start = path + froms[node]!
  const end = path + tos[node]!
  // the size is known in advance, so the bytes after the head need not move
  writer.listHead(pathSize(end - start) + writer.sizeOfBytes(from[value]!, to[value]!))
  putPath(writer, paths, start, end, true)
  writer.copyBytes(from[value]!, to[value]!)
}

const putExtension = (
  writer: RlpWriter.RlpWriter,
  { bounds, paths, shape: { children, firsts, froms, places, tos } }: TrieKeys,
  node: number,
  starts: Int32Array,
  ends: Int32Array
): void => {
  const path = bounds[firsts[node]!]!
  const list = writer.beginList()
  putPath(writer, paths, path + froms[node]!, path + tos[node]!, false)
  putChild(writer, children[places[node]!]! - 1, starts, ends)
  writer.endList(list)
}

const putBranch = (
  writer: RlpWriter.RlpWriter,
  { bounds, order, shape: { children, firsts, froms, places } }: TrieKeys,
  node: number,
  from: ArrayLike<number>,
  to: ArrayLike<number>,
  starts: Int32Array,
  ends: Int32Array
): void => {
  const first = firsts[node]!
  const place = places[node]!
  const list = writer.beginList()
  for (let nibble = 0; nibble < 16; nibble++) putChild(writer, children[place + nibble]! - 1, starts, ends)
  const value = order[first]!
  if (bounds[first + 1] === bounds[first]! + froms[node]!) writer.copyBytes(from[value]!, to[value]!)
  else writer.byte(EMPTY)
  writer.endList(list)
}

/** The RLP of no bytes. */
const EMPTY = 0x80

/** Returns the number of bytes that `putPath` writes for a path of this many nibbles. */
const pathSize = (nibbles: number): number => {
  const size = 1 + (nibbles >> 1)
  return size === 1 ? 1 : size < 56 ? size + 1 : size + 2
}

/**
 * Writes a path in a leaf or extension. A path of at most one nibble, as nearly all paths of a list are, is a single
 * byte.
 */
const putPath = (
  writer: RlpWriter.RlpWriter,
  paths: Nibbles.Nibbles,
  from: number,
  to: number,
  leaf: boolean
): void => {
  if (to - from > 1) writer.bytes(Nibbles.encode(paths, from, to, leaf))
  else writer.byte((leaf ? 0x20 : 0) | (to > from ? 0x10 | paths[from]! : 0))
}

/** Writes the reference to a child: its hash, or the child itself if it is shorter. */
const putChild = (writer: RlpWriter.RlpWriter, child: number, starts: Int32Array, ends: Int32Array): void => {
  if (child < 0) {
    writer.byte(EMPTY)
    return
  }
  const start = starts[child]!
  const end = ends[child]!
  if (end - start < DIGEST) writer.copy(start, end)
  else writer.copyBytes(start - DIGEST, start)
}
