/**
 * Roots of Merkle-Patricia tries: of an ordered list, as the header fields transactionsRoot, receiptsRoot and
 * withdrawalsRoot hold them, and of a map.
 *
 * Source: Ethereum Yellow Paper, appendix D. A node names its children by reference: by a 32-byte hash, or by the child
 * itself when its RLP is shorter than 32 bytes.
 */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as RlpWriter from "@plumbline/codec/RlpWriter"
import * as Result from "effect/Result"

import * as Nibbles from "./Nibbles.ts"
import { DuplicateKey, KeyTooLong, type TrieError } from "./TrieError.ts"

/** The root of a trie without entries: Keccak-256 of the RLP of no bytes, `0x80`. */
export const EMPTY_ROOT: Hash32.Hash32 = Hash32.fromHexUnsafe(
  "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421"
)

/** The longest key, in bytes, of `rootOfMap`: Ethereum's own keys are hashes of 32. */
export const MAX_KEY_SIZE = 64

/**
 * The root of the trie whose keys are `rlp(0)`, `rlp(1)`, ... and whose values are the items, in order; 32 bytes.
 *
 * An item is what the block's body holds at this place: the RLP of a legacy transaction, or the bytes
 * `type || payload` of a typed one (EIP-2718). Items must not be empty: no item of a block is.
 *
 * ```ts import.meta.vitest
 * import { Hex } from "@plumbline/codec"
 * import { Trie } from "@plumbline/merkle-trie"
 *
 * Hex.fromBytes(Trie.rootOfList([])) // => Trie.EMPTY_ROOT
 * ```
 */
export const rootOfList = (items: ReadonlyArray<Uint8Array>): Uint8Array =>
  rootOf(items.map((value, index) => ({ path: Nibbles.fromKey(indexKey(index)), value })))

/**
 * The root of the trie that maps each key to its value; 32 bytes. The order of the entries does not matter.
 *
 * Keys are used as they are: the state's and the storage's tries ("secure" tries) use the Keccak-256 of a key, which is
 * the caller's to compute. An entry with an empty value is no entry, as in Ethereum, where writing it deletes.
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
export const rootOfMap = (
  entries: Iterable<readonly [key: Uint8Array, value: Uint8Array]>
): Result.Result<Uint8Array, TrieError> => {
  const sorted: Array<Entry> = []
  for (const [key, value] of entries) {
    if (key.length > MAX_KEY_SIZE) return Result.fail(new KeyTooLong({ got: key.length, limit: MAX_KEY_SIZE }))
    sorted.push({ path: Nibbles.fromKey(key), value })
  }
  sorted.sort((a, b) => compare(a.path, b.path))
  for (let i = 1; i < sorted.length; i++) {
    if (compare(sorted[i - 1]!.path, sorted[i]!.path) === 0) {
      return Result.fail(
        new DuplicateKey({
          key: Hex.fromBytes(Nibbles.encode(sorted[i]!.path, 0, sorted[i]!.path.length, false)).slice(4)
        })
      )
    }
  }
  return Result.succeed(rootOf(sorted.filter((entry) => entry.value.length > 0)))
}

interface Entry {
  readonly path: Nibbles.Nibbles
  readonly value: Uint8Array
}

/** The RLP of an index: one byte below 128, else the length and the minimal big-endian bytes. */
const indexKey = (index: number): Uint8Array => {
  if (index === 0) return Uint8Array.of(0x80)
  if (index < 0x80) return Uint8Array.of(index)
  if (index < 0x100) return Uint8Array.of(0x81, index)
  if (index < 0x10000) return Uint8Array.of(0x82, index >> 8, index & 0xff)
  return Uint8Array.of(0x83, index >> 16, (index >> 8) & 0xff, index & 0xff)
}

const compare = (a: Uint8Array, b: Uint8Array): number => {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) if (a[i] !== b[i]) return a[i]! - b[i]!
  return a.length - b.length
}

const rootOf = (entries: Array<Entry>): Uint8Array => {
  if (entries.length === 0) return Hash32.toBytes(EMPTY_ROOT)
  entries.sort((a, b) => compare(a.path, b.path))
  const levels: Array<Array<Node>> = []
  const root = plan(entries, 0, entries.length, 0, levels)
  // the level of the leaves is the largest: a value, its path and two heads each
  const writer = RlpWriter.make(entries.reduce((sum, entry) => sum + entry.value.length + 48, 64))
  // from the leaves up: all nodes of one height are hashed together, three at a time where the machine can
  for (const level of levels) {
    writer.reset()
    const ends = level.map((node) => {
      write(writer, node)
      return writer.position
    })
    // a reference of fewer than 32 bytes is kept, so it is a copy; what is hashed is read where it was written
    const large: Array<Uint8Array> = []
    const hashed: Array<Node> = []
    for (const [at, node] of level.entries()) {
      const from = at === 0 ? 0 : ends[at - 1]!
      const to = ends[at]!
      if (to - from >= 32 || node === root) {
        large.push(writer.view(from, to))
        hashed.push(node)
      } else node.reference = writer.slice(from, to)
    }
    for (const [at, hash] of Keccak256.hashMany(large).entries()) hashed[at]!.reference = hash
  }
  return root.reference
}

/** A node of the trie, and how its parent names it once it is written: by its hash, or by itself when it is shorter. */
interface Node {
  readonly kind: "leaf" | "extension" | "branch"
  readonly entry: Entry
  /** The nibbles of the path in a leaf or extension. */
  readonly from: number
  readonly to: number
  readonly children: ReadonlyArray<Node | undefined>
  /** Levels below: children are written first. */
  readonly height: number
  reference: Uint8Array
}

/** Lays out the trie of the entries `from` up to `to`, which share the first `depth` nibbles, into levels by height. */
const plan = (
  entries: ReadonlyArray<Entry>,
  from: number,
  to: number,
  depth: number,
  levels: Array<Array<Node>>
): Node => {
  const entry = entries[from]!
  const { path } = entry
  if (to - from === 1) return place(levels, "leaf", entry, depth, path.length, [])
  // sorted, so what the first and the last share, all share
  const last = entries[to - 1]!.path
  let shared = depth
  while (shared < path.length && path[shared] === last[shared]) shared++
  if (shared > depth) {
    return place(levels, "extension", entry, depth, shared, [plan(entries, from, to, shared, levels)])
  }
  // a key that ends here sorts before all that go on: its value is the branch's own
  let at = path.length === depth ? from + 1 : from
  const children: Array<Node | undefined> = []
  for (let nibble = 0; nibble < 16; nibble++) {
    const start = at
    while (at < to && entries[at]!.path[depth] === nibble) at++
    children.push(at > start ? plan(entries, start, at, depth + 1, levels) : undefined)
  }
  return place(levels, "branch", entry, depth, depth, children)
}

const place = (
  levels: Array<Array<Node>>,
  kind: Node["kind"],
  entry: Entry,
  from: number,
  to: number,
  children: Node["children"]
): Node => {
  const height = children.reduce((most, child) => (child === undefined ? most : Math.max(most, child.height + 1)), 0)
  const node: Node = { kind, entry, from, to, children, height, reference: NOTHING }
  ;(levels[height] ??= []).push(node)
  return node
}

const write = (writer: RlpWriter.RlpWriter, node: Node): void => {
  const { path, value } = node.entry
  const list = writer.beginList()
  switch (node.kind) {
    case "leaf":
      writer.bytes(Nibbles.encode(path, node.from, node.to, true))
      writer.bytes(value)
      break
    case "extension":
      writer.bytes(Nibbles.encode(path, node.from, node.to, false))
      put(writer, node.children[0])
      break
    case "branch":
      for (const child of node.children) put(writer, child)
      writer.bytes(path.length === node.from ? value : NOTHING)
  }
  writer.endList(list)
}

const put = (writer: RlpWriter.RlpWriter, child: Node | undefined): void => {
  if (child === undefined) writer.bytes(NOTHING)
  else if (child.reference.length === 32) writer.bytes(child.reference)
  else writer.raw(child.reference)
}

const NOTHING = new Uint8Array(0)
