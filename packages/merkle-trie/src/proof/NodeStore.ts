/**
 * A store of trie nodes: from a node's hash to its RLP.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"

/** Gives the RLP of the node with this hash (32 bytes), or `undefined` when it is not there. */
export type NodeStore = (hash: Uint8Array) => Uint8Array | undefined

/**
 * Makes a store of these nodes in memory, each under the hash of its bytes, so no node can be under a wrong hash.
 *
 * Nodes of any number of tries, in any order; a repeated node is kept once. They are hashed together in this call, and
 * kept without copying.
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
