/**
 * Computes the roots and the nodes of Merkle-Patricia tries. A trie holds a map, or an ordered list as in the header
 * fields transactionsRoot, receiptsRoot and withdrawalsRoot.
 *
 * Source: Ethereum Yellow Paper, appendix D. A node names its children by reference: by a 32-byte hash, or by the child
 * itself when its RLP is shorter than 32 bytes.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as RlpWriter from "@plumbline/codec/rlp/RlpWriter"
import * as Result from "effect/Result"

import * as BuildTrie from "./buildTrie.ts"
import * as Nibbles from "./Nibbles.ts"
import { DuplicateKey, KeyTooLong, type TrieError } from "./TrieError.ts"

export { DuplicateKey, KeyTooLong, type TrieError } from "./TrieError.ts"

/** The root of a trie without entries: Keccak-256 of the RLP of no bytes, `0x80`. */
export const EMPTY_ROOT: Hash32.Hash32 = Hash32.fromHexUnsafe(
  "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
)

/** The longest key of a map, in bytes: Ethereum's own keys are hashes of 32 bytes. */
export const MAX_KEY_SIZE = 64

/**
 * Returns the 32-byte root of the trie whose keys are `rlp(0)`, `rlp(1)`, ... and whose values are the items, in order.
 *
 * An item has the bytes that the block's body holds: the RLP of a legacy transaction, or `type || payload` of a typed
 * transaction (EIP-2718). Items must not be empty; items of a block never are.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import { Trie } from "@plumbline/merkle-trie"
 *
 * Hex.fromBytes(Trie.rootOfList([])) // => Trie.EMPTY_ROOT
 * ```
 */
export const rootOfList = (items: ReadonlyArray<Uint8Array>): Uint8Array =>
  items.length === 0 ? Hash32.toBytes(EMPTY_ROOT) : rootOf(items, listKeys(items.length))

/**
 * Returns the root, as text, of the list of items that are already in a writer. The item `i` is from `starts[i]` up to
 * `ends[i]`.
 *
 * The nodes are written after the items. Messages of the writer that are not hashed yet are hashed together with the
 * leaves, for example a block's transactions together with their root.
 *
 * ```ts import.meta.vitest
 * import { Hash32, RlpWriter } from "@plumbline/codec"
 * import { Trie } from "@plumbline/merkle-trie"
 *
 * const item = new Uint8Array(40)
 * const writer = RlpWriter.make()
 * writer.raw(item)
 * Trie.rootOfWritten(writer, [0], [40]) // => Hash32.fromBytesUnsafe(Trie.rootOfList([item]))
 * ```
 */
export const rootOfWritten = (
  writer: RlpWriter.RlpWriter,
  starts: ArrayLike<number>,
  ends: ArrayLike<number>
): Hash32.Hash32 => {
  if (starts.length === 0) return EMPTY_ROOT
  const root = BuildTrie.build(writer, listKeys(starts.length), starts, ends)
  return writer.text(root, root + 32) as Hash32.Hash32
}

/**
 * Returns the 32-byte root of the trie that maps each key to its value. The order of the entries does not matter.
 *
 * Keys are used as they are: the state's and the storage's tries ("secure" tries) use the Keccak-256 of a key, which
 * the caller must compute. An entry with an empty value is omitted, as in Ethereum, where writing an empty value
 * deletes the entry.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import { Trie } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const text = new TextEncoder()
 * const root = Trie.rootOfMap([[text.encode("A"), text.encode("a".repeat(50))]])
 * Hex.fromBytes(Result.getOrThrow(root)) // => "0xd23786fb4a010da3ce639d66d5e904a11dbc02746d1ce25029e53290cabf28ab"
 * ```
 */
export const rootOfMap = (entries: TrieEntries): Result.Result<Uint8Array, TrieError> =>
  Result.map(entriesOfMap(entries), (sorted) =>
    sorted.length === 0 ? Hash32.toBytes(EMPTY_ROOT) : rootOf(...columnsOf(sorted))
  )

/** Keys with their values. */
export type TrieEntries = Iterable<readonly [key: Uint8Array, value: Uint8Array]>

/** A whole trie. */
export interface TrieNodes {
  /** The hash of the root node, 32 bytes. */
  readonly root: Uint8Array
  /**
   * The RLP of all nodes that have a hash, starting with the root node. Nodes shorter than 32 bytes are inside their
   * parents.
   */
  readonly nodes: ReadonlyArray<Uint8Array>
}

const noNodes = (): TrieNodes => ({ root: Hash32.toBytes(EMPTY_ROOT), nodes: [] })

/**
 * Returns the trie of `rootOfList` with all its nodes, from which a store can make proofs. The empty trie has no nodes.
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 * import { Trie } from "@plumbline/merkle-trie"
 *
 * const { nodes, root } = Trie.nodesOfList([new Uint8Array(40), new Uint8Array(50)])
 * nodes.length // => 3
 * Keccak256.hash(nodes[0]!) // => root
 * ```
 */
export const nodesOfList = (items: ReadonlyArray<Uint8Array>): TrieNodes =>
  items.length === 0 ? noNodes() : withNodes(items, listKeys(items.length))

/**
 * Returns the trie of `rootOfMap` with all its nodes, from which a store can make proofs. The empty trie has no nodes.
 *
 * ```ts import.meta.vitest
 * import { Trie } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const { nodes } = Result.getOrThrow(Trie.nodesOfMap([[Uint8Array.of(1), Uint8Array.of(7)]]))
 * nodes // => [Uint8Array.of(0xc4, 0x82, 0x20, 0x01, 0x07)]
 * ```
 */
export const nodesOfMap = (entries: TrieEntries): Result.Result<TrieNodes, TrieError> =>
  Result.map(entriesOfMap(entries), (sorted) => (sorted.length === 0 ? noNodes() : withNodes(...columnsOf(sorted))))

/** Writes the values, and builds the trie over them. Returns the position of its root's hash. */
const buildOf = (
  writer: RlpWriter.RlpWriter,
  values: ReadonlyArray<Uint8Array>,
  keys: BuildTrie.TrieKeys,
  keep?: (start: number, end: number) => void
): number => {
  const bounds = new Int32Array(values.length + 1)
  for (let i = 0; i < values.length; i++) {
    writer.raw(values[i]!)
    bounds[i + 1] = writer.position
  }
  return BuildTrie.build(writer, keys, bounds, bounds.subarray(1), keep)
}

const rootOf = (values: ReadonlyArray<Uint8Array>, keys: BuildTrie.TrieKeys): Uint8Array =>
  RlpWriter.borrow((writer) => {
    const root = buildOf(writer, values, keys)
    return writer.slice(root, root + 32)
  })

const withNodes = (values: ReadonlyArray<Uint8Array>, keys: BuildTrie.TrieKeys): TrieNodes =>
  RlpWriter.borrow((writer) => {
    const nodes: Array<Uint8Array> = []
    const root = buildOf(writer, values, keys, (start, end) => nodes.push(writer.slice(start, end)))
    return { root: writer.slice(root, root + 32), nodes: nodes.toReversed() }
  })

/**
 * Returns the keys of a list with `count` items. The keys of the last long list are kept, because a block has as many
 * receipts as transactions. The withdrawals of the block are hashed between these two lists, but they are too few to
 * replace the kept keys.
 */
const listKeys = (count: number): BuildTrie.TrieKeys => {
  if (lastKeys?.order.length === count) return lastKeys
  const keys = keysOfList(count)
  if (count > FEW && count <= MAX_KEPT) lastKeys = keys
  return keys
}

let lastKeys: BuildTrie.TrieKeys | undefined

/** The keys of lists with more than `FEW` and at most `MAX_KEPT` items are kept. */
const FEW = 16
const MAX_KEPT = 4096

/**
 * Returns the paths of a list's indices, sorted: `rlp(0)` is 0x80, which comes after all other single bytes and before
 * all longer encodings.
 */
const keysOfList = (count: number): BuildTrie.TrieKeys => {
  const paths = new Uint8Array(MAX_INDEX_NIBBLES * count)
  const bounds = new Int32Array(count + 1)
  const order = new Int32Array(count)
  const zero = Math.min(count, 0x80) - 1
  let end = 0
  for (let i = 0; i < count; i++) {
    const index = i < zero ? i + 1 : i === zero ? 0 : i
    order[i] = index
    end = putIndex(paths, end, index)
    bounds[i + 1] = end
  }
  return BuildTrie.keys(paths, bounds, order)
}

/** Entries of a map before they are written. */
interface MapEntry {
  readonly path: Nibbles.Nibbles
  readonly value: Uint8Array
}

const columnsOf = (entries: ReadonlyArray<MapEntry>): readonly [ReadonlyArray<Uint8Array>, BuildTrie.TrieKeys] => {
  const bounds = new Int32Array(entries.length + 1)
  for (const [i, { path }] of entries.entries()) bounds[i + 1] = bounds[i]! + path.length
  return [
    entries.map(({ value }) => value),
    BuildTrie.keys(Bytes.join(entries.map(({ path }) => path)), bounds, Int32Array.from(entries.keys()))
  ]
}

const entriesOfMap = (entries: TrieEntries): Result.Result<ReadonlyArray<MapEntry>, TrieError> => {
  const sorted: Array<MapEntry> = []
  for (const [key, value] of entries) {
    if (key.length > MAX_KEY_SIZE) return Result.fail(new KeyTooLong({ got: key.length, limit: MAX_KEY_SIZE }))
    sorted.push({ path: Nibbles.fromKey(key), value })
  }
  sorted.sort((a, b) => BuildTrie.compare(a.path, b.path))
  for (let i = 1; i < sorted.length; i++) {
    const { path } = sorted[i]!
    if (BuildTrie.compare(sorted[i - 1]!.path, path) === 0) {
      return Result.fail(new DuplicateKey({ key: Hex.fromBytes(Nibbles.encode(path, 0, path.length, false)).slice(4) }))
    }
  }
  return Result.succeed(sorted.filter((entry) => entry.value.length > 0))
}

/** Nibbles of the longest RLP of an index. */
const MAX_INDEX_NIBBLES = 8

/**
 * Writes the nibbles of an index's RLP, and returns the position after them. The RLP of an index from 1 to 127 is one
 * byte. The RLP of any other index is its length, followed by its minimal big-endian bytes.
 */
const putIndex = (paths: Nibbles.Nibbles, at: number, index: number): number => {
  const size = index === 0 ? 0 : index < 0x100 ? 1 : index < 0x10000 ? 2 : 3
  let next = at
  if (index === 0 || index >= 0x80) {
    paths[next++] = 8
    paths[next++] = size
  }
  for (let shift = 8 * size - 4; shift >= 0; shift -= 4) paths[next++] = (index >> shift) & 15
  return next
}
