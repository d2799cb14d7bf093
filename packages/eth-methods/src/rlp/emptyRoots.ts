/** The roots that a header holds for empty lists. */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Trie from "@plumbline/merkle-trie/trie/Trie"

/**
 * True if a header's root means an empty trie.
 *
 * Hardhat's genesis has the hash of zero bytes in place of the root of the empty trie. Both hashes prove that the trie
 * is empty, because no trie node has zero bytes.
 */
export const isEmptyRoot = (root: Hex.Hex): boolean =>
  Hex.equals(root, Trie.EMPTY_ROOT) || Hex.equals(root, Keccak256.EMPTY)

/** Keccak-256 of the RLP of an empty list: the `sha3Uncles` of every block without uncles. */
export const EMPTY_UNCLES: Hash32.Hash32 = /* @__PURE__ */ Hash32.fromHexUnsafe(
  "0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347"
)
