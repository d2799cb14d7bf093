/**
 * Merkle-Patricia proofs: that a key has a value under a root, or that it has none.
 *
 * Source: Ethereum Yellow Paper, appendix D; EIP-1186 for the form in which nodes hand them out. Strict: canonical RLP,
 * every supplied node is used, in order from the root, and a proof that ends early proves nothing.
 */
import * as Bytes from "@plumbline/codec/Bytes"
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Keccak256 from "@plumbline/codec/Keccak256"
import * as Rlp from "@plumbline/codec/Rlp"
import * as Result from "effect/Result"

import * as Nibbles from "./Nibbles.ts"
import * as Trie from "./Trie.ts"
import { HashMismatch, MalformedNode, MissingNode, type TrieProofError, UnusedNodes } from "./TrieProofError.ts"

/** What a proof that holds has shown about its key. */
export type Outcome = Included | Absent

/** The key has this value (a view of the node that holds it). */
export interface Included {
  readonly _tag: "Included"
  readonly value: Uint8Array
}

/** The key has no value: its path ends in an empty place, or at another key's leaf or extension. */
export interface Absent {
  readonly _tag: "Absent"
}

/**
 * Walks a proof from `root` (32 bytes) along `key` and says what it shows.
 *
 * **Details**
 *
 * The key is the trie's own: for the state and storage tries, the Keccak-256 of the address or slot. `nodes` are the RLP
 * of the nodes, the root's first; nodes shorter than 32 bytes are inside their parents and not listed. The proof of any
 * key under the empty root is no node, or the one node `0x80` that some clients send.
 *
 * Fails with `HashMismatch`, `MissingNode`, `UnusedNodes` or `MalformedNode`.
 *
 * ```ts import.meta.vitest
 * import { Hash32 } from "@plumbline/codec"
 * import { Trie, TrieProof } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const outcome = TrieProof.verify(Hash32.toBytes(Trie.EMPTY_ROOT), new Uint8Array(32), [])
 * Result.getOrThrow(outcome) // => { _tag: "Absent" }
 * ```
 */
export const verify = (
  root: Uint8Array,
  key: Uint8Array,
  nodes: ReadonlyArray<Uint8Array>
): Result.Result<Outcome, TrieProofError> => {
  if (Bytes.equals(root, EMPTY_ROOT)) {
    return nodes.length === 0 || (nodes.length === 1 && isEmptyString(nodes[0]!))
      ? Result.succeed(ABSENT)
      : Result.fail(new UnusedNodes({ used: 0, got: nodes.length }))
  }
  const path = Nibbles.fromKey(key)
  let reference: Rlp.Rlp = root
  let depth = 0
  let used = 0
  const end = (outcome: Outcome): Result.Result<Outcome, TrieProofError> =>
    used === nodes.length ? Result.succeed(outcome) : Result.fail(new UnusedNodes({ used, got: nodes.length }))
  const malformed = (detail: string) => Result.fail(new MalformedNode({ node: used - 1, detail }))
  // Each turn either goes to a listed node, of which there are finitely many, or into one that is embedded and so has
  // fewer bytes than its parent: the walk ends.
  for (;;) {
    let node: Rlp.Rlp
    if (reference instanceof Uint8Array) {
      if (reference.length === 0) return end(ABSENT)
      if (reference.length !== 32) return malformed(`a reference has ${reference.length} bytes`)
      const bytes: Uint8Array | undefined = nodes[used]
      if (bytes === undefined) {
        return Result.fail(new MissingNode({ node: used, expected: Hex.fromBytes(reference) }))
      }
      const hash = Keccak256.hash(bytes)
      if (!Bytes.equals(hash, reference)) {
        return Result.fail(
          new HashMismatch({ node: used, expected: Hex.fromBytes(reference), got: Hex.fromBytes(hash) })
        )
      }
      used++
      if (used > 1 && bytes.length < 32) return malformed("a node shorter than 32 bytes must be inside its parent")
      const decoded = Rlp.decode(bytes)
      if (Result.isFailure(decoded)) return malformed(decoded.failure.message)
      node = decoded.success
    } else {
      node = reference
      if (Rlp.encode(node).length >= 32) return malformed("an embedded node has 32 bytes or more")
    }
    if (node instanceof Uint8Array) return malformed("a node is not a list")

    if (node.length === 17) {
      const value = node[16]!
      if (!(value instanceof Uint8Array)) return malformed("the value of a branch is a list")
      if (depth === path.length) return end(value.length === 0 ? ABSENT : { _tag: "Included", value })
      reference = node[path[depth++]!]!
      continue
    }

    if (node.length !== 2) return malformed(`a node has ${node.length} items`)
    const [prefix, item] = node as readonly [Rlp.Rlp, Rlp.Rlp]
    const decoded = prefix instanceof Uint8Array ? Nibbles.decode(prefix) : undefined
    if (decoded === undefined) return malformed("a path is not hex-prefix encoded")
    const { leaf, nibbles } = decoded
    const matches = nibbles.length <= path.length - depth && nibbles.every((nibble, i) => path[depth + i] === nibble)
    if (leaf) {
      if (!(item instanceof Uint8Array) || item.length === 0) return malformed("a leaf has no value")
      return end(matches && depth + nibbles.length === path.length ? { _tag: "Included", value: item } : ABSENT)
    }
    if (nibbles.length === 0) return malformed("an extension has no path")
    if (item instanceof Uint8Array && item.length === 0) return malformed("an extension leads nowhere")
    if (!matches) return end(ABSENT)
    depth += nibbles.length
    reference = item
  }
}

const ABSENT: Absent = { _tag: "Absent" }
const EMPTY_ROOT = Hash32.toBytes(Trie.EMPTY_ROOT)
const isEmptyString = (bytes: Uint8Array): boolean => bytes.length === 1 && bytes[0] === 0x80
