/** Follows the path of a key through a trie, both to make a proof and to check one. */
import * as TrieNode from "./trieNode.ts"

/** The outcome of a proof that holds. */
export type ProofOutcome = Included | Absent

/** The key has the value `value`, which is a view of the bytes of the node that holds it. */
export interface Included {
  readonly _tag: "Included"
  readonly value: Uint8Array
}

/** The key has no value: its path ends in an empty place, or at another key's leaf or extension. */
export interface Absent {
  readonly _tag: "Absent"
}

export const ABSENT: Absent = { _tag: "Absent" }

/**
 * Follows a key, starting at a node. `next` returns the node whose hash is in `parent` at `at`. The walk ends if `next`
 * returns `undefined`, or a text, which names the fault of that node.
 *
 * The walk always ends, because each step advances along the key, or enters an embedded node, which is smaller than the
 * node around it.
 */
export const walk = (
  root: TrieNode.TrieNode,
  key: Uint8Array,
  next: (parent: TrieNode.TrieNode, at: number) => TrieNode.TrieNode | undefined
): ProofOutcome | string | undefined => {
  const end = 2 * key.length
  let node = root
  let depth = 0
  for (;;) {
    const { bytes, starts } = node
    let child = 1
    if (node.kind === "branch") {
      if (depth === end) return valueIn(node, 16)
      child = TrieNode.nibbleAt(key, depth++)
    } else {
      const length = node.to - node.from
      const matches = length <= end - depth && TrieNode.hasPath(node, key, depth)
      if (node.kind === "leaf") return matches && depth + length === end ? valueIn(node, 1) : ABSENT
      if (!matches) return ABSENT
      depth += length
    }
    const at = starts[child]!
    const head = bytes[at]!
    if (head === TrieNode.NOTHING) return ABSENT
    if (head === TrieNode.HASH) {
      const found = next(node, at + 1)
      if (found === undefined) return undefined
      if (node.kind === "extension" && found.kind !== "branch") return TrieNode.NOT_A_BRANCH
      node = found
    } else {
      // the embedded node was already checked together with its parent
      node = TrieNode.parse(bytes, at, starts[child + 1]!) as TrieNode.TrieNode
    }
  }
}

const valueIn = (node: TrieNode.TrieNode, item: number): ProofOutcome => {
  const at = node.starts[item]!
  if (node.bytes[at] === TrieNode.NOTHING) return ABSENT
  return { _tag: "Included", value: node.bytes.subarray(TrieNode.contentStart(node.bytes, at), node.starts[item + 1]) }
}
