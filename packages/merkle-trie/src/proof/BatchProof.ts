/**
 * Merkle proofs whose nodes are items of a `HexBatch`: walked in the memory of the batch, without an object per node.
 *
 * **When to use**: in a verifier of whole answers, to hash the nodes of many proofs together. It handles the proofs
 * that nodes send every day. For any other proof use `TrieProof.verify`, which explains the fault.
 */
import type { HexBatch } from "@plumbline/codec/hex/HexBatch"

import * as TrieNode from "./trieNode.ts"

/** The place of a value in the memory of the batch; for an absent key, `from` and `to` are equal. */
export interface ValuePosition {
  from: number
  to: number
}

/**
 * Walks a proof down and returns true if it holds; `found` is then the place of the value, or of no bytes.
 *
 * `root` is the position of the trusted root hash in the batch's memory, and `key` is the position of the trie's own
 * key. Each has 32 bytes. `nodes` are hashed items of the batch, starting with the root node.
 *
 * **Details**
 *
 * True means that `TrieProof.verify` gives the same outcome for the same bytes: the RLP is canonical, each node has the
 * right hash, and every node is used. False is not a verdict: it only means that this fast way did not prove the entry.
 * Examples are a proof without nodes, a node inside its parent, a value in a branch, and every fault.
 *
 * ```ts import.meta.vitest
 * import { BatchHash, Hex, HexBatch } from "@plumbline/codec"
 * import { BatchProof, NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const [key, other] = [new Uint8Array(32), new Uint8Array(32).fill(1)]
 * const trie = Result.getOrThrow(Trie.nodesOfMap([key, other].map((key) => [key, Uint8Array.of(1, 2)])))
 * const proof = Result.getOrThrow(TrieProof.make(NodeStore.make(trie.nodes), trie.root, key))
 *
 * const batch = HexBatch.get()!
 * batch.clear()
 * const nodes = proof.nodes.map((node) => batch.add(Hex.fromBytes(node)))
 * const [rootAt, keyAt] = [trie.root, key].map((bytes) => batch.starts[batch.add(Hex.fromBytes(bytes))]!)
 * BatchHash.hash(batch, nodes)
 * const found = { from: 0, to: 0 }
 * BatchProof.walk(batch, rootAt!, keyAt!, nodes, found) // => true
 * batch.memory.slice(found.from, found.to) // => Uint8Array.of(1, 2)
 * ```
 */
export const walk = (
  { ends, memory, starts, view }: HexBatch,
  root: number,
  key: number,
  nodes: ReadonlyArray<number>,
  found: ValuePosition
): boolean => {
  const last = nodes.length - 1
  let named = root
  let depth = 0
  let belowExtension = false
  for (let i = 0; i <= last; i++) {
    const start = starts[nodes[i]!]!
    const end = ends[nodes[i]!]!
    // a shorter node must be inside its parent, unless it is the root
    if (end - start < DIGEST && i > 0) return false
    if (!sameDigest(view, start - DIGEST, named)) return false
    const first = contentOfList(memory, start, end)
    if (first < 0 || depth > KEY_END) return false
    const child = depth === KEY_END ? NO : childOf(memory, first, end, TrieNode.nibbleAt(memory, 2 * key + depth))
    if (child !== NO) {
      if (child === NOTHING) return i === last && nowhere(found)
      named = child
      depth++
      belowExtension = false
      continue
    }
    if (belowExtension) return false
    const kind = readShort(memory, first, end)
    if (kind === NO) return false
    const length = pathTo - pathFrom
    const matches = length <= KEY_END - depth && samePath(memory, pathFrom, pathTo, 2 * key + depth)
    if (kind === LEAF) {
      if (i !== last) return false
      if (!matches || depth + length !== KEY_END) return nowhere(found)
      found.from = valueFrom
      found.to = end
      return true
    }
    if (!matches) return i === last && nowhere(found)
    named = valueFrom
    depth += length
    belowExtension = true
  }
  return false
}

const DIGEST = 32
/** The number of nibbles of a key. */
const KEY_END = 64

const nowhere = (found: ValuePosition): true => {
  found.from = 0
  found.to = 0
  return true
}

const sameDigest = (view: DataView, a: number, b: number): boolean => {
  for (let i = 0; i < DIGEST; i += 4) if (view.getInt32(a + i) !== view.getInt32(b + i)) return false
  return true
}

const samePath = (memory: Uint8Array, from: number, to: number, key: number): boolean => {
  for (let i = from; i < to; i++)
    if (TrieNode.nibbleAt(memory, i) !== TrieNode.nibbleAt(memory, key + i - from)) return false
  return true
}

/** Returned for an item that does not have the expected form. */
const NO = -1
/** The content size of a branch with sixteen hashes and no value. */
const FULL = 16 * 33 + 1
/** Returned for an entry of a branch that has no child. */
const NOTHING = -2

/** Returns the position of the first item of the list, or `NO` if the bytes are not exactly one list. */
const contentOfList = (memory: Uint8Array, start: number, end: number): number => {
  const head = memory[start]!
  const size = end - start
  if (head === 0xf9) {
    const content = memory[start + 1]! * 256 + memory[start + 2]!
    return content > 0xff && size === content + 3 ? start + 3 : NO
  }
  if (head === 0xf8) {
    const content = memory[start + 1]!
    return content > 55 && size === content + 2 ? start + 2 : NO
  }
  return head >= TrieNode.LIST && head < 0xf8 && size === head - TrieNode.LIST + 1 ? start + 1 : NO
}

/**
 * Returns the position of a child's hash in a branch whose items begin at `at`. Returns `NOTHING` if there is no child
 * at this nibble, and `NO` if the node is not a branch of hashes without a value.
 */
const childOf = (memory: Uint8Array, at: number, end: number, nibble: number): number => {
  if (end - at === FULL) {
    // the usual case near the root: all sixteen children are hashes, so the positions of their heads are known
    for (let head = at; head < end - 1; head += 33) if (memory[head] !== TrieNode.HASH) return NO
    return memory[end - 1] === TrieNode.NOTHING ? at + 33 * nibble + 1 : NO
  }
  let child = NOTHING
  let filled = 0
  for (let i = 0; i < 16; i++) {
    const head = memory[at]
    if (head === TrieNode.HASH) {
      if (i === nibble) child = at + 1
      filled++
      at += 33
    } else if (head === TrieNode.NOTHING) at++
    else return NO
  }
  return at === end - 1 && memory[at] === TrieNode.NOTHING && filled > 1 ? child : NO
}

const LEAF = 1
const EXTENSION = 2

/** The parts of the leaf or extension that `readShort` read last: its path in nibbles, and its value or hash. */
let pathFrom = 0
let pathTo = 0
let valueFrom = 0

/** Reads the items of a leaf, or of an extension to a hash, from `at` to `end`. */
const readShort = (memory: Uint8Array, at: number, end: number): typeof NO | typeof LEAF | typeof EXTENSION => {
  const path = contentOfString(memory, at, end)
  // an empty path is invalid, because the first nibble of a path holds its flags
  if (path < 0 || path === stop) return NO
  const item = stop
  const flags = memory[path]!
  const odd = (flags & 0x10) !== 0
  if (flags > 0x3f || (!odd && (flags & 0x0f) !== 0)) return NO
  pathFrom = 2 * path + (odd ? 1 : 2)
  pathTo = 2 * item
  if (item >= end) return NO
  valueFrom = contentOfString(memory, item, end)
  if (valueFrom < 0 || stop !== end || valueFrom === end) return NO
  if ((flags & 0x20) !== 0) return LEAF
  return memory[item] === TrieNode.HASH && pathFrom !== pathTo ? EXTENSION : NO
}

/** The end of the string that `contentOfString` read last. */
let stop = 0

/**
 * Returns the position at which the content of the string at `at` begins. Returns `NO` if the string is not canonical
 * or does not end by `end`.
 */
const contentOfString = (memory: Uint8Array, at: number, end: number): number => {
  const head = memory[at]!
  let content = at
  if (head < TrieNode.NOTHING) stop = at + 1
  else if (head < 0xb8) {
    content = at + 1
    stop = content + head - TrieNode.NOTHING
    if (head === 0x81 && memory[content]! < TrieNode.NOTHING) return NO
  } else if (head === 0xb8) {
    content = at + 2
    const size = memory[at + 1]!
    if (size < 56) return NO
    stop = content + size
  } else return NO
  return stop <= end ? content : NO
}
