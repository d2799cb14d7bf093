/** The root of no entries. */
import * as Hex from "@plumbline/codec/Hex"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as Trie from "@plumbline/merkle-trie/Trie"

/**
 * Whether a header's root says that there is nothing.
 *
 * Hardhat's genesis has the hash of no bytes there instead of that of the empty trie. It proves the same: no node of a
 * trie is no bytes.
 */
export const isEmptyRoot = (root: Hex.Hex): boolean =>
  Hex.equals(root, Trie.EMPTY_ROOT) || Hex.equals(root, Keccak256.EMPTY)
