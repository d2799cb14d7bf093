/** Reads the leaves of a trie whose nodes are present. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Rlp from "@plumbline/codec/rlp/Rlp"
import type * as NodeStore from "@plumbline/merkle-trie/proof/NodeStore"
import * as Nibbles from "@plumbline/merkle-trie/trie/Nibbles"
import * as Result from "effect/Result"

/** A leaf: the hash that leads to it, and its content. */
export interface TrieLeaf {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/**
 * Returns all leaves whose nodes are present, in the order of the trie.
 *
 * Each node is read once. The same node at two places would need two leaves whose hashes end with the same digits.
 */
export const of = (root: Uint8Array, nodes: NodeStore.NodeStore): ReadonlyArray<TrieLeaf> => {
  const leaves: Array<TrieLeaf> = []
  const seen = new Set<string>()
  const rest: Array<{ readonly item: Rlp.Rlp; readonly way: ReadonlyArray<number> }> = [{ item: root, way: [] }]
  for (let next = rest.pop(); next !== undefined; next = rest.pop()) {
    const { way } = next
    const node = next.item instanceof Uint8Array ? read(next.item, nodes, seen) : next.item
    if (node === undefined || way.length > KEY_NIBBLES) continue
    if (node.length === BRANCH) {
      for (let nibble = BRANCH - 2; nibble >= 0; nibble--) rest.push({ item: node[nibble]!, way: [...way, nibble] })
      continue
    }
    const path = node[0] instanceof Uint8Array ? Nibbles.decode(node[0]) : undefined
    if (path === undefined) continue
    const further = [...way, ...path.nibbles]
    const [, below] = node
    if (!path.leaf) rest.push({ item: below!, way: further })
    else if (further.length === KEY_NIBBLES && below instanceof Uint8Array) {
      leaves.push({ key: toKey(further), value: below })
    }
  }
  return leaves
}

/** Number of nibbles of a hash. */
const KEY_NIBBLES = 64

/** Number of items of a branch. */
const BRANCH = 17

/** Returns the node with this hash, if it is present and was not read yet. */
const read = (hash: Uint8Array, nodes: NodeStore.NodeStore, seen: Set<string>): ReadonlyArray<Rlp.Rlp> | undefined => {
  if (hash.length !== KEY_NIBBLES / 2) return undefined
  const text = Hex.fromBytes(hash)
  const bytes = seen.has(text) ? undefined : nodes(hash)
  if (bytes === undefined) return undefined
  seen.add(text)
  const node = Rlp.decode(bytes)
  return Result.isSuccess(node) && !(node.success instanceof Uint8Array) ? node.success : undefined
}

const toKey = (nibbles: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.from({ length: nibbles.length / 2 }, (_, i) => nibbles[2 * i]! * 16 + nibbles[2 * i + 1]!)
