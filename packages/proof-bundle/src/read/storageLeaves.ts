/** Reads the words of storage tries in a bundle, without keys from the caller. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as Result from "effect/Result"

import * as TrieLeaves from "../bundle/trieLeaves.ts"

/** A word in the bundle, with the hash of its slot. */
export interface StorageLeaf {
  readonly slotHash: Hash32.Hash32
  readonly word: bigint
}

/** Returns the words of a storage trie whose leaves are present, in the order of the trie. */
export const wordsOf = (storageRoot: Hash32.Hash32, nodes: NodeStore.NodeStore): ReadonlyArray<StorageLeaf> =>
  TrieLeaves.of(Hash32.toBytes(storageRoot), nodes).flatMap(({ key, value }) => {
    const word = wordOf(value)
    return word === undefined ? [] : [{ slotHash: Hash32.fromBytesUnsafe(key), word }]
  })

/** Returns the word in a leaf. Some nodes keep leaves for words that are zero. */
export const wordOf = (leaf: Uint8Array): bigint | undefined => {
  const word = Rlp.decode(leaf)
  if (Result.isFailure(word) || !(word.success instanceof Uint8Array) || word.success.length > 32) return undefined
  return word.success.length === 0 ? 0n : BigInt(Hex.fromBytes(word.success))
}
