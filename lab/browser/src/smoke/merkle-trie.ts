/**
 * Checks a root and two proofs of a trie that is made by hand. Runs in the browser's realm, and from the packed
 * packages in a rehearsal.
 */
import { Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { Trie, TrieProof } from "@plumbline/merkle-trie"
import * as Result from "effect/Result"

import { expectSame } from "./expect.ts"

export const run = (): string => {
  expectSame("the root of nothing", Hex.fromBytes(Trie.rootOfList([])), Trie.EMPTY_ROOT)

  // A trie of one key is one leaf: hex prefix 0x20 (a leaf, even), the key, the value.
  const key = Keccak256.hash(Uint8Array.of(1))
  const value = new Uint8Array(40).fill(7)
  const leaf = Rlp.encode([Uint8Array.of(0x20, ...key), value])
  const root = Result.getOrThrow(Trie.rootOfMap([[key, value]]))
  expectSame("the root of one", Hex.fromBytes(root), Keccak256.hashHex(leaf))

  const included = Result.getOrThrow(TrieProof.verify(root, key, [leaf]))
  expectSame("a proof", included._tag, "Included")
  const absent = Result.getOrThrow(TrieProof.verify(root, Keccak256.hash(Uint8Array.of(2)), [leaf]))
  expectSame("a proof of absence", absent._tag, "Absent")

  leaf[leaf.length - 1]! ^= 1
  const refused = TrieProof.verify(root, key, [leaf])
  expectSame("a changed byte", Result.isFailure(refused) && refused.failure._tag, "HashMismatch")
  expectSame("a root has 32 bytes", root.length, Hash32.toBytes(Hash32.ZERO).length)
  return "a key proven, another proven absent, a lie refused"
}
