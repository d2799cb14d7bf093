/**
 * The path of a Merkle proof, node by node, for programs that show or explain it.
 *
 * **When to use**: to draw a proof, or to point at the node that breaks it. To check a proof, use `TrieProof.verify`,
 * which keeps no steps.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as Trie from "../trie/Trie.ts"
import * as TrieNode from "./trieNode.ts"
import * as TrieProof from "./TrieProof.ts"
import type { TrieProofError } from "./TrieProofError.ts"

/** A node on the path of a key. */
export interface ProofStep {
  /** The kind of the node; `broken` for bytes that are not a trie node. */
  readonly kind: "branch" | "extension" | "leaf" | "broken"
  /** The RLP of the node. */
  readonly bytes: Uint8Array
  /** Keccak-256 of `bytes`. */
  readonly hash: Hash32.Hash32
  /** The position in the proof of the supplied node that has these bytes or contains them. */
  readonly node: number
  /**
   * The place of the reference to this node in the bytes of the step before: its hash (32 bytes), or the node itself
   * if it has fewer than 32 bytes. Null for the root, whose hash the caller gave.
   */
  readonly inParent: { readonly offset: number; readonly length: number } | null
  /** True if the reference is a hash, which `hash` must equal. */
  readonly byHash: boolean
  /** The nibbles of the key that this node consumes; none for a leaf or extension whose path differs from the key. */
  readonly digits: ReadonlyArray<number>
  /** The nibbles that a leaf or extension holds; empty for a branch. */
  readonly path: ReadonlyArray<number>
}

/** The nodes of the walk, and the outcome that they show. */
export interface ProofWalk {
  /**
   * The steps from the root down. If a supplied node failed, it is the last step. Under the empty root there are no
   * steps.
   */
  readonly steps: ReadonlyArray<ProofStep>
  /** The result of `TrieProof.verify` for the same proof. */
  readonly outcome: Result.Result<TrieProof.ProofOutcome, TrieProofError>
}

/**
 * Walks a proof as `TrieProof.verify` does, and returns every node on the way.
 *
 * The steps show the nodes that the proof supplies, for display. Only `outcome` says whether they prove anything.
 *
 * ```ts import.meta.vitest
 * import { NodeStore, ProofWalk, Trie, TrieProof } from "@plumbline/merkle-trie"
 * import { Result } from "effect"
 *
 * const key = (n: number) => Uint8Array.of(0x10 + n)
 * const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap([1, 2, 3].map((n) => [key(n), new Uint8Array(40)])))
 * const proof = Result.getOrThrow(TrieProof.make(NodeStore.make(nodes), root, key(2)))
 * const { outcome, steps } = ProofWalk.walk(root, key(2), proof.nodes)
 * steps.map(({ digits, kind }) => [kind, ...digits]) // => [["extension", 1], ["branch", 2], ["leaf"]]
 * Result.isSuccess(outcome) // => true
 * ```
 */
export const walk = (root: Uint8Array, key: Uint8Array, nodes: ReadonlyArray<TrieProof.ProofNode>): ProofWalk => {
  const outcome = TrieProof.verify(root, key, nodes)
  const steps: Array<ProofStep> = []
  if (Bytes.equals(root, EMPTY_ROOT)) return { steps, outcome }
  const supplied = nodes.map(bytesOf)
  let inParent: ProofStep["inParent"] = null
  let byHash = true
  let bytes = supplied[0]
  let node = 0
  let depth = 0
  while (bytes !== undefined) {
    const hash = Hash32.fromBytesUnsafe(Keccak256.hash(bytes))
    const known = TrieNode.parse(bytes, 0, bytes.length)
    const seen = { bytes, hash, node, inParent, byHash }
    if (typeof known === "string") {
      steps.push({ ...seen, kind: "broken", digits: [], path: [] })
      break
    }
    const path = Array.from({ length: known.to - known.from }, (_, i) => TrieNode.nibbleAt(bytes!, known.from + i))
    const left = Array.from({ length: 2 * key.length - depth }, (_, i) => TrieNode.nibbleAt(key, depth + i))
    const follows =
      path.every((digit, i) => digit === left[i]) && (known.kind === "extension" || path.length === left.length)
    const digits: ReadonlyArray<number> = known.kind === "branch" ? left.slice(0, 1) : follows ? path : []
    steps.push({ ...seen, kind: known.kind, digits, path })
    // the proof breaks at a node whose hash differs from the hash in its parent
    if (byHash && !Hex.equals(hash, named(root, steps))) break
    const ends = known.kind === "leaf" || (known.kind === "branch" ? left.length === 0 : digits.length < path.length)
    if (ends) break
    const item = known.kind === "branch" ? digits[0]! : 1
    const [at, end] = [known.starts[item]!, known.starts[item + 1]!]
    if (bytes[at] === TrieNode.NOTHING) break
    depth += digits.length
    byHash = bytes[at] === TrieNode.HASH
    inParent = byHash ? { offset: at + 1, length: 32 } : { offset: at, length: end - at }
    if (byHash) node++
    bytes = byHash ? supplied[node] : bytes.subarray(at, end)
  }
  return { steps, outcome }
}

const EMPTY_ROOT = Hash32.toBytes(Trie.EMPTY_ROOT)

/** The hash that names the last step: the hash in the bytes of the step before, or the root. */
const named = (root: Uint8Array, steps: ReadonlyArray<ProofStep>): Hex.Hex => {
  const { inParent } = steps.at(-1)!
  return Hex.fromBytes(
    inParent === null ? root : steps.at(-2)!.bytes.subarray(inParent.offset, inParent.offset + inParent.length)
  )
}

const bytesOf = (node: TrieProof.ProofNode): Uint8Array | undefined => {
  if (typeof node !== "string") return node
  const read = Hex.toBytes(node)
  return Result.isFailure(read) ? undefined : read.success
}
