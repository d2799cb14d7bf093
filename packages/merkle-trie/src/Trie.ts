/**
 * Roots of Merkle-Patricia tries: of an ordered list, as the header fields transactionsRoot, receiptsRoot and
 * withdrawalsRoot hold them, and of a map.
 *
 * Source: Ethereum Yellow Paper, appendix D. Nothing is kept but the node being written: the children of a node are
 * reduced to their references (a 32-byte hash, or the node itself when its RLP is shorter than 32 bytes) first.
 */
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
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
  const writer = RlpWriter.make()
  write(writer, entries, 0, entries.length, 0)
  return writer.hash(0)
}

/** Leaves the node of the entries `from` up to `to`, which share the first `depth` nibbles, in the writer. */
const write = (
  writer: RlpWriter.RlpWriter,
  entries: ReadonlyArray<Entry>,
  from: number,
  to: number,
  depth: number
): void => {
  const first = entries[from]!
  if (to - from === 1) {
    writer.reset()
    const list = writer.beginList()
    writer.bytes(Nibbles.encode(first.path, depth, first.path.length, true))
    writer.bytes(first.value)
    writer.endList(list)
    return
  }
  // sorted, so what the first and the last share, all share
  const last = entries[to - 1]!.path
  let shared = depth
  while (shared < first.path.length && first.path[shared] === last[shared]) shared++
  if (shared > depth) {
    const child = reference(writer, entries, from, to, shared)
    writer.reset()
    const list = writer.beginList()
    writer.bytes(Nibbles.encode(first.path, depth, shared, false))
    put(writer, child)
    writer.endList(list)
    return
  }
  // a key that ends here sorts before all that go on: its value is the branch's own
  const ends = first.path.length === depth
  const children: Array<Uint8Array | undefined> = []
  let at = ends ? from + 1 : from
  for (let nibble = 0; nibble < 16; nibble++) {
    const start = at
    while (at < to && entries[at]!.path[depth] === nibble) at++
    children.push(at > start ? reference(writer, entries, start, at, depth + 1) : undefined)
  }
  writer.reset()
  const list = writer.beginList()
  for (const child of children) put(writer, child)
  writer.bytes(ends ? first.value : NOTHING)
  writer.endList(list)
}

/** How a parent names a node: by its hash, or by the node itself when that is shorter than a hash. */
const reference = (
  writer: RlpWriter.RlpWriter,
  entries: ReadonlyArray<Entry>,
  from: number,
  to: number,
  depth: number
): Uint8Array => {
  write(writer, entries, from, to, depth)
  return writer.position < 32 ? writer.slice(0) : writer.hash(0)
}

const put = (writer: RlpWriter.RlpWriter, child: Uint8Array | undefined): void => {
  if (child === undefined) writer.bytes(NOTHING)
  else if (child.length === 32) writer.bytes(child)
  else writer.raw(child)
}

const NOTHING = new Uint8Array(0)
