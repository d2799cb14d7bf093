/**
 * A store of trie nodes: from a node's hash to its RLP.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"

/** Returns the RLP of the node with this hash (32 bytes), or `undefined` if the store does not have the node. */
export type NodeStore = (hash: Uint8Array) => Uint8Array | undefined

/**
 * Makes a store of these nodes in memory. Each node is stored by the hash of its bytes, so no hash can be wrong.
 *
 * The nodes may be from any number of tries, in any order; a repeated node is kept once. This call hashes them
 * together, and keeps them without copying.
 *
 * ```ts import.meta.vitest
 * import { Keccak256 } from "@plumbline/codec"
 * import { NodeStore } from "@plumbline/merkle-trie"
 *
 * const node = Uint8Array.of(0xc2, 0x31, 0x07)
 * const store = NodeStore.make([node])
 * store(Keccak256.hash(node)) // => node
 * store(new Uint8Array(32)) // => undefined
 * ```
 */
export const make = (nodes: Iterable<Uint8Array>): NodeStore => {
  const list = [...nodes]
  const hashes = Keccak256.hashMany(list)
  const byHash = new Map(list.map((node, i) => [Hex.fromBytes(hashes[i]!), node]))
  return (hash) => byHash.get(Hex.fromBytes(hash))
}
