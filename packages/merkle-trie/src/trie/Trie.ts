/**
 * Merkle-Patricia tries: of an ordered list, as the header fields transactionsRoot, receiptsRoot and withdrawalsRoot name
 * them, and of a map. Their roots, and their nodes.
 *
 * Source: Ethereum Yellow Paper, appendix D. A node names its children by reference: by a 32-byte hash, or by the child
 * itself when its RLP is shorter than 32 bytes.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as Build from "./build.ts"
import * as Nibbles from "./Nibbles.ts"
import { DuplicateKey, KeyTooLong, type TrieError } from "./TrieError.ts"

export { DuplicateKey, KeyTooLong, type TrieError } from "./TrieError.ts"

/** The root of a trie without entries: Keccak-256 of the RLP of no bytes, `0x80`. */
export const EMPTY_ROOT: Hash32.Hash32 = Hash32.fromHexUnsafe(
  "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
)

/** The longest key of a map, in bytes: Ethereum's own keys are hashes of 32. */
export const MAX_KEY_SIZE = 64

/**
 * The root of the trie whose keys are `rlp(0)`, `rlp(1)`, ... and whose values are the items, in order; 32 bytes.
 *
 * An item is what the block's body holds at this place: the RLP of a legacy transaction, or the bytes `type || payload`
 * of a typed one (EIP-2718). Items must not be empty; items of a block never are.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import { Trie } from "@plumbline/merkle-trie"
 *
 * Hex.fromBytes(Trie.rootOfList([])) // => Trie.EMPTY_ROOT
 * ```
 */
export const rootOfList = (items: ReadonlyArray<Uint8Array>): Uint8Array =>
  items.length === 0 ? Hash32.toBytes(EMPTY_ROOT) : Build.build(entriesOfList(items))

/**
 * The root of the trie that maps each key to its value; 32 bytes. The order of the entries does not matter.
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
export const rootOfMap = (entries: Entries): Result.Result<Uint8Array, TrieError> =>
  Result.map(entriesOfMap(entries), (sorted) =>
    sorted.length === 0 ? Hash32.toBytes(EMPTY_ROOT) : Build.build(sorted)
  )

/** Keys with their values. */
export type Entries = Iterable<readonly [key: Uint8Array, value: Uint8Array]>

/** A whole trie. */
export interface Nodes {
  /** The hash of the root node, 32 bytes. */
  readonly root: Uint8Array
  /** The RLP of all nodes that have a hash, the root's first. Those shorter than 32 bytes are inside their parents. */
  readonly nodes: ReadonlyArray<Uint8Array>
}

/**
 * The trie of `rootOfList` with all its nodes: what a store needs to make proofs of it. The empty trie has none.
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
export const nodesOfList = (items: ReadonlyArray<Uint8Array>): Nodes => withNodes(entriesOfList(items))

/**
 * The trie of `rootOfMap` with all its nodes: what a store needs to make proofs of it. The empty trie has none.
 *
 * ```ts import.meta.vitest
 * import { Trie } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const { nodes } = Result.getOrThrow(Trie.nodesOfMap([[Uint8Array.of(1), Uint8Array.of(7)]]))
 * nodes // => [Uint8Array.of(0xc4, 0x82, 0x20, 0x01, 0x07)]
 * ```
 */
export const nodesOfMap = (entries: Entries): Result.Result<Nodes, TrieError> =>
  Result.map(entriesOfMap(entries), withNodes)

const withNodes = (entries: ReadonlyArray<Build.Entry>): Nodes => {
  if (entries.length === 0) return { root: Hash32.toBytes(EMPTY_ROOT), nodes: [] }
  const nodes: Array<Uint8Array> = []
  const root = Build.build(entries, (node) => nodes.push(node))
  return { root, nodes: nodes.toReversed() }
}

/** In the order of the paths: `rlp(0)` is 0x80, which comes after the single bytes and before all that are longer. */
const entriesOfList = (items: ReadonlyArray<Uint8Array>): ReadonlyArray<Build.Entry> => {
  const entries = items.map((value, index) => ({ path: Nibbles.fromKey(indexKey(index)), value }))
  entries.splice(0x7f, 0, ...entries.splice(0, 1))
  return entries
}

const entriesOfMap = (entries: Entries): Result.Result<ReadonlyArray<Build.Entry>, TrieError> => {
  const sorted: Array<Build.Entry> = []
  for (const [key, value] of entries) {
    if (key.length > MAX_KEY_SIZE) return Result.fail(new KeyTooLong({ got: key.length, limit: MAX_KEY_SIZE }))
    sorted.push({ path: Nibbles.fromKey(key), value })
  }
  sorted.sort((a, b) => Build.compare(a.path, b.path))
  for (let i = 1; i < sorted.length; i++) {
    const { path } = sorted[i]!
    if (Build.compare(sorted[i - 1]!.path, path) === 0) {
      return Result.fail(new DuplicateKey({ key: Hex.fromBytes(Nibbles.encode(path, 0, path.length, false)).slice(4) }))
    }
  }
  return Result.succeed(sorted.filter((entry) => entry.value.length > 0))
}

/** The RLP of an index: one byte below 128, else the length and the minimal big-endian bytes. */
const indexKey = (index: number): Uint8Array => {
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  if (index < 0x10000) return Uint8Array.of(0x82, index >> 8, index & 0xff)
  return Uint8Array.of(0x83, index >> 16, (index >> 8) & 0xff, index & 0xff)
}
