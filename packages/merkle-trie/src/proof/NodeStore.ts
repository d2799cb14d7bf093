/**
 * A store of trie nodes: from a node's hash to its RLP.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"

/** Gives the RLP of the node with this hash (32 bytes), or `undefined` when it is not there. */
export type NodeStore = (hash: Uint8Array) => Uint8Array | undefined

/**
 * A store of these nodes in memory, each under the hash of its bytes: none can stand under another's.
 *
 * Nodes of any number of tries, in any order; one that comes twice is kept once. They are hashed together, here and
 * now, and kept as they are, not copied.
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
