/**
 * Merkle-Patricia proofs: that a key has a value under a root, or that it has none.
 *
 * Source: Ethereum Yellow Paper, appendix D; EIP-1186 for the form in which nodes return them. Proofs are checked
 * strictly: the RLP must be canonical, every supplied node must be used, in order from the root, and a proof that ends
 * early proves nothing.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as Trie from "../trie/Trie.ts"
import type { NodeStore } from "./NodeStore.ts"
import * as SuppliedNodes from "./suppliedNodes.ts"
import * as TrieNode from "./trieNode.ts"
import { MalformedNode, NotInStore, type TrieProofError, UnusedNodes } from "./TrieProofError.ts"
import { ABSENT, type ProofOutcome, walk } from "./trieWalk.ts"

export {
  HashMismatch,
  MalformedNode,
  MissingNode,
  NotInStore,
  type TrieProofError,
  UnusedNodes
} from "./TrieProofError.ts"
export type { KeyProof, ProofNode } from "./suppliedNodes.ts"
export type { Absent, Included, ProofOutcome } from "./trieWalk.ts"

/**
 * Walks a proof from `root` (32 bytes) along `key`, and returns the value or the absence that it proves.
 *
 * **Details**
 *
 * The key is the trie's own: for the state and storage tries, the Keccak-256 of the address or slot. `nodes` holds the
 * RLP of each node, as bytes or text, starting with the root node. Nodes shorter than 32 bytes are inside their parents
 * and not listed. The proof of any key under the empty root consists of no node, or of the one node `0x80` that some
 * clients send.
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
  nodes: ReadonlyArray<SuppliedNodes.ProofNode>
): Result.Result<ProofOutcome, TrieProofError> => verifyAll(root, [{ key, nodes }])[0]!

/**
 * Walks several proofs under one root: outcome `i` is the outcome that `verify` gives for proof `i`.
 *
 * A node that several proofs share is read and hashed once: for example, all slots of an account share the root of its
 * storage. All hashes are computed together. Equal texts are decoded once.
 *
 * ```ts import.meta.vitest
 * import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const key = (n: number) => Uint8Array.of(n, n)
 * const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap([1, 2, 3].map((n) => [key(n), new Uint8Array(40)])))
 * const store = NodeStore.make(nodes)
 * const proofs = [1, 2, 4].map((n) => ({
 *   key: key(n),
 *   nodes: Result.getOrThrow(TrieProof.make(store, root, key(n))).nodes
 * }))
 * const tags = TrieProof.verifyAll(root, proofs).map((outcome) => Result.getOrThrow(outcome)._tag)
 * tags // => ["Included", "Included", "Absent"]
 * ```
 */
export const verifyAll = (
  root: Uint8Array,
  proofs: ReadonlyArray<SuppliedNodes.KeyProof>
): ReadonlyArray<Result.Result<ProofOutcome, TrieProofError>> => {
  if (Bytes.equals(root, EMPTY_ROOT)) return proofs.map(({ nodes }) => underEmptyRoot(nodes))
  const tree = SuppliedNodes.make(root)
  // nothing is trusted during the walks: the nodes that they used are hashed afterwards, and judged only then
  const walks = proofs.map((proof) => tree.walk(proof))
  tree.hash()
  return walks.map((ended) => tree.judge(ended))
}

/** The result of `make`. */
export interface MadeProof {
  readonly outcome: ProofOutcome
  /** The nodes on the path, starting with the root node, as `verify` takes them; none under the empty root. */
  readonly nodes: ReadonlyArray<Uint8Array>
}

/**
 * Makes the proof that a key has a value under `root` (32 bytes), or that it has none, from a store of nodes.
 *
 * Fails with `NotInStore` if the store lacks a node of the path, and with `MalformedNode` if the store has bytes there
 * that are not a trie node. Neither error counts as absence. This function trusts the hashes of the store, because
 * `NodeStore.make` computed them.
 *
 * ```ts import.meta.vitest
 * import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const key = Uint8Array.of(1, 2, 3)
 * const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap([[key, Uint8Array.of(7)]]))
 * const proof = Result.getOrThrow(TrieProof.make(NodeStore.make(nodes), root, key))
 * proof.outcome // => { _tag: "Included", value: Uint8Array.of(7) }
 * Result.isSuccess(TrieProof.verify(root, key, proof.nodes)) // => true
 * const lost = TrieProof.make(NodeStore.make([]), root, key)
 * Result.isFailure(lost) && lost.failure._tag // => "NotInStore"
 * ```
 */
export const make = (
  store: NodeStore,
  root: Uint8Array,
  key: Uint8Array
): Result.Result<MadeProof, NotInStore | MalformedNode> => {
  if (Bytes.equals(root, EMPTY_ROOT)) return Result.succeed({ outcome: ABSENT, nodes: [] })
  const nodes: Array<Uint8Array> = []
  let problem: NotInStore | MalformedNode | undefined
  const read = (hash: Uint8Array): TrieNode.TrieNode | undefined => {
    const bytes = store(hash)
    if (bytes === undefined) {
      problem = new NotInStore({ hash: Hex.fromBytes(hash) })
      return undefined
    }
    nodes.push(bytes)
    const node = TrieNode.parse(bytes, 0, bytes.length)
    if (typeof node !== "string") return node
    problem = new MalformedNode({ node: nodes.length - 1, detail: node })
    return undefined
  }
  const first = read(root)
  const ended = first === undefined ? first : walk(first, key, (parent, at) => read(parent.bytes.subarray(at, at + 32)))
  if (ended === undefined) return Result.fail(problem!)
  return typeof ended === "string"
    ? Result.fail(new MalformedNode({ node: nodes.length - 1, detail: ended }))
    : Result.succeed({ outcome: ended, nodes })
}

const EMPTY_ROOT = Hash32.toBytes(Trie.EMPTY_ROOT)

const underEmptyRoot = (nodes: ReadonlyArray<SuppliedNodes.ProofNode>): Result.Result<ProofOutcome, TrieProofError> =>
  nodes.length === 0 || (nodes.length === 1 && isEmptyString(nodes[0]!))
    ? Result.succeed(ABSENT)
    : Result.fail(new UnusedNodes({ used: 0, got: nodes.length }))

const isEmptyString = (node: SuppliedNodes.ProofNode): boolean =>
  typeof node === "string" ? node === "0x80" : node.length === 1 && node[0] === TrieNode.NOTHING
