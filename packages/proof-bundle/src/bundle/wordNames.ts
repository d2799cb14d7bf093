/**
 * Names of words: raw blocks that contain the keys of mappings.
 *
 * A storage trie has each word under the hash of the word's slot. The slot of a mapping's entry is itself a hash. So
 * hashes connect a name with the trie, and a name needs no trust:
 *
 * | raw block | its Keccak-256 is |
 * | --- | --- |
 * | the bytes that the contract hashes for a key (key and slot of the mapping) | the slot of the entry, or its first slot |
 * | the number of a slot in 32 bytes, for an entry whose first slot is not proven | the path to the word in the trie |
 * | a text that is a key in Vyper | the hash in the bytes above |
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as Nibbles from "@plumbline/merkle-trie/trie/Nibbles"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"
import * as SlotPreimage from "@plumbline/storage-layout/location/SlotPreimage"
import * as Slot from "@plumbline/storage-layout/slot/Slot"
import * as Result from "effect/Result"

import type { HashedBlock } from "./blockTable.ts"
import type { WantedContract } from "./wantedContents.ts"

/** A raw block that may be a name, with the hash of its bytes. */
type Candidate = Pick<HashedBlock, "bytes" | "hash">

/** Number of bytes of a word. */
const WORD = 32

/** Maximum number of bytes of a name: a key as long as the longest path, and a slot. */
const MAX_SIZE = 16 * 1024

/** Maximum number of slots from an entry's hash to its words. Two unrelated hashes are that close only by chance. */
const REACH = 2n ** 128n

/**
 * Maximum number of lookups of names in storage tries, in total. No honest bundle of 64 MiB needs more; the bound stops
 * a bundle that is made to keep its readers busy.
 */
const MAX_LOOKS = 2 ** 22

/**
 * Returns the candidates that name an entry in one of the storage tries with these roots, sorted by the candidates'
 * hashes; undefined if the search takes too many lookups.
 *
 * A name may belong to an entry that the trie proves to be absent. So anyone can add to a bundle the name of another
 * entry that the same nodes prove to be absent. That name is equally true.
 */
export const among = <A extends Candidate>(
  candidates: ReadonlyArray<A>,
  roots: ReadonlyArray<Uint8Array>,
  nodes: NodeStore.NodeStore
): ReadonlyArray<A> | undefined => {
  const possible = candidates.filter(({ bytes }) => bytes.length <= MAX_SIZE)
  if (possible.length === 0 || roots.length === 0) return []
  if (2 * possible.length * roots.length > MAX_LOOKS) return undefined
  const proves = wayIn(roots, nodes)
  const sorted = possible
    .map((block) => ({ block, hash: numberOf(block.hash) }))
    .sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
  const found = new Set<A>()
  /** Proven slots, and numbers in the bytes of names. Each of these numbers may be the hash of a name. */
  const known: Array<bigint> = []
  const add = (block: A): void => {
    if (found.has(block)) return
    found.add(block)
    // in Solidity, the mapping's slot is the last word; in Vyper, the slot is the first word, and the last word is the
    // hash of a key
    const { bytes } = block
    if (bytes.length < WORD) return
    known.push(numberOf(bytes.subarray(bytes.length - WORD)))
    if (bytes.length === 2 * WORD) known.push(numberOf(bytes.subarray(0, WORD)))
  }
  // a block shorter than a word contains no slot: it is a text, and other names contain the hash of this text
  const whole = possible.filter(({ bytes }) => bytes.length >= WORD)
  const ways = Keccak256.hashMany(whole.map(({ hash }) => hash))
  for (const [i, block] of whole.entries()) {
    const isSlot = block.bytes.length === WORD && proves(block.hash)
    if (isSlot || proves(ways[i]!)) add(block)
  }
  for (let slot = known.pop(); slot !== undefined; slot = known.pop()) {
    const at = lastUpTo(sorted, slot)
    if (at !== undefined && slot - at.hash < REACH) add(at.block)
  }
  return sorted.flatMap(({ block }) => (found.has(block) ? [block] : []))
}

/**
 * Returns the byte strings that name entries of a contract's mappings, given the slots of the words that were read for
 * its paths.
 */
export const named = (
  { layout, paths }: Pick<WantedContract, "layout" | "paths">,
  slots: Iterable<Slot.Slot>
): ReadonlyArray<Uint8Array> => {
  const read = new Set(slots)
  const sorted = Array.from(read, (hash) => ({ hash })).sort((a, b) => (a.hash < b.hash ? -1 : a.hash > b.hash ? 1 : 0))
  const found = new Map<string, Uint8Array>()
  for (const path of paths) {
    const preimages = Result.getOrElse(SlotPreimage.ofPath(layout, path), () => [])
    for (const preimage of preimages) {
      if (preimage.length > MAX_SIZE) continue
      found.set(Hex.fromBytes(preimage), preimage)
      const hash = numberOf(Keccak256.hash(preimage))
      const next = read.has(hash) ? undefined : sorted[firstFrom(sorted, hash)]
      if (next !== undefined && next.hash - hash < REACH) {
        const slot = Slot.numberKey(next.hash)
        found.set(Hex.fromBytes(slot), slot)
      }
    }
  }
  return [...found.values()]
}

/** Returns the number that 32 bytes encode. */
const numberOf = (bytes: Uint8Array): bigint => BigInt(Hex.fromBytes(bytes))

interface Sorted {
  readonly hash: bigint
}

/** Returns the position of the first item that is not below the number. */
const firstFrom = (sorted: ReadonlyArray<Sorted>, number: bigint): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]!.hash < number) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the last item that is not above the number. */
const lastUpTo = <A extends Sorted>(sorted: ReadonlyArray<A>, number: bigint): A | undefined =>
  sorted[firstFrom(sorted, number + 1n) - 1]

/**
 * Returns a function that is true for a path if one of the tries proves its end: a word, or the absence of one.
 *
 * Many paths are looked up in many tries, and most paths end at a missing node. So each node is decoded once, and no
 * proof is made here; a value is proven when it is read.
 */
const wayIn = (roots: ReadonlyArray<Uint8Array>, nodes: NodeStore.NodeStore): ((way: Uint8Array) => boolean) => {
  const decoded = new Map<Uint8Array, Rlp.Rlp | undefined>()
  const nodeOf = (hash: Uint8Array): Rlp.Rlp | undefined => {
    const bytes = nodes(hash)
    if (bytes === undefined) return undefined
    if (!decoded.has(bytes))
      decoded.set(
        bytes,
        Result.getOrElse(Rlp.decode(bytes), () => undefined)
      )
    return decoded.get(bytes)
  }
  const isProven = (root: Uint8Array, way: Uint8Array): boolean => {
    let at = 0
    let node = nodeOf(root)
    while (node !== undefined && !(node instanceof Uint8Array)) {
      let next: Rlp.Rlp | undefined
      if (node.length === BRANCH) {
        next = node[way[at++] ?? BRANCH]
      } else {
        const path = node[0] instanceof Uint8Array ? Nibbles.decode(node[0]) : undefined
        if (path === undefined) return false
        // the path ends at a leaf, or differs from this node's path; both prove what is at the end of the path
        if (path.leaf || !path.nibbles.every((nibble, i) => nibble === way[at + i])) return true
        at += path.nibbles.length
        next = node[1]
      }
      if (next === undefined) return false
      if (next instanceof Uint8Array && next.length === 0) return true
      node = next instanceof Uint8Array ? (next.length === WORD ? nodeOf(next) : undefined) : next
    }
    return false
  }
  const isEmpty = roots.some((root) => Bytes.equals(root, EMPTY_ROOT))
  return (way) => {
    const nibbles = Nibbles.fromKey(way)
    return isEmpty || roots.some((root) => isProven(root, nibbles))
  }
}

/** Number of items of a branch. */
const BRANCH = 17

const EMPTY_ROOT = /* @__PURE__ */ Hash32.toBytes(Trie.EMPTY_ROOT)
