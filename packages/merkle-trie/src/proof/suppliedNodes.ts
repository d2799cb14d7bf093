/**
 * The nodes that proofs under one root supply, each kept once at its place in the trie.
 *
 * Proofs are walked first and hashed afterwards. So all needed nodes are hashed together, and a node that many proofs
 * share is hashed once. Until then the walked nodes are unchecked, so the result of a walk counts only if every node on
 * it has the hash that its parent names.
 */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as TrieNode from "./trieNode.ts"
import { HashMismatch, MalformedNode, MissingNode, type TrieProofError, UnusedNodes } from "./TrieProofError.ts"
import { type ProofOutcome, walk } from "./trieWalk.ts"

/** A trie node of a proof: its RLP as bytes, or as the `0x` text that chains send. */
export type ProofNode = Uint8Array | Hex.Hex

/** The proof of one key. */
export interface KeyProof {
  /** The trie's own key: for the state and storage tries, the Keccak-256 of the address or slot. */
  readonly key: Uint8Array
  /**
   * The nodes on the path, starting with the root node. Nodes shorter than 32 bytes are inside their parents and not
   * listed.
   */
  readonly nodes: ReadonlyArray<ProofNode>
}

/** A supplied node. `parent` holds, at position `at`, the hash that this node must have. */
interface Entry {
  readonly source: ProofNode
  readonly bytes: Uint8Array
  readonly parent: Uint8Array
  readonly at: number
  /** The node, or a sentence about the fault of its bytes. */
  readonly node: TrieNode.TrieNode | string
  /** The first entry below this entry. The other entries below this entry follow in a linked list of at most 16. */
  child: Entry | undefined
  sibling: Entry | undefined
  /** The hash of the node if it is not the hash in the parent. Known after all nodes are hashed. */
  wrongHash: Uint8Array | undefined
}

/** A finished walk whose nodes are not hashed yet, so its result is not trusted. */
export interface UnhashedWalk {
  /** The nodes on the walk, starting with the root node. */
  readonly entries: ReadonlyArray<Entry>
  readonly end: ProofOutcome | TrieProofError
}

/** The nodes of proofs under one root. */
export interface SuppliedNodes {
  /** Walks a proof from the root, and adds its nodes. */
  readonly walk: (proof: KeyProof) => UnhashedWalk
  /** Hashes all added nodes, each once. */
  readonly hash: () => void
  /** Returns the outcome of a walk, once all hashes are known. */
  readonly judge: (ended: UnhashedWalk) => Result.Result<ProofOutcome, TrieProofError>
}

export const make = (root: Uint8Array): SuppliedNodes => {
  const all: Array<Entry> = []
  let top: Entry | undefined
  // without a root of 32 bytes, no node can have the right hash
  const trusted = root.length === 32 ? root : NONE

  const take = (source: ProofNode, above: Entry | undefined, at: number): Entry | undefined => {
    const first = above === undefined ? top : above.child
    let known = first
    while (known !== undefined && known.at !== at) known = known.sibling
    if (known !== undefined && isSame(known.source, source)) return known
    const bytes = bytesOf(source)
    if (bytes === undefined) return undefined
    const entry: Entry = {
      source,
      bytes,
      parent: above === undefined ? trusted : above.bytes,
      at,
      node: read(bytes, above === undefined),
      child: undefined,
      sibling: undefined,
      wrongHash: undefined
    }
    all.push(entry)
    // If several different nodes are supplied for one place, at most one of them is right. The other nodes are not
    // linked, because searching them would take long.
    if (known === undefined) {
      entry.sibling = first
      if (above === undefined) top = entry
      else above.child = entry
    }
    return entry
  }

  return {
    walk: ({ key, nodes }) => {
      const entries: Array<Entry> = []
      let problem: TrieProofError | undefined
      const malformed = (node: number, detail: string): undefined => {
        problem = new MalformedNode({ node, detail })
      }
      const next = (parent: Uint8Array, at: number): TrieNode.TrieNode | undefined => {
        const place = entries.length
        const source = nodes[place]
        if (source === undefined) {
          problem = new MissingNode({ node: place, expected: Hex.fromBytes(parent.subarray(at, at + 32)) })
          return undefined
        }
        const entry = take(source, entries[place - 1], at)
        if (entry === undefined) return malformed(place, "not hex text of whole bytes")
        entries.push(entry)
        return typeof entry.node === "string" ? malformed(place, entry.node) : entry.node
      }
      const first = next(root, 0)
      const ended = first === undefined ? first : walk(first, key, (parent, at) => next(parent.bytes, at))
      if (typeof ended === "string") malformed(entries.length - 1, ended)
      else if (ended !== undefined) {
        if (entries.length === nodes.length) return { entries, end: ended }
        problem = new UnusedNodes({ used: entries.length, got: nodes.length })
      }
      return { entries, end: problem! }
    },

    hash: () => {
      const hashes = Keccak256.hashMany(all.map((entry) => entry.bytes))
      for (const [i, entry] of all.entries()) {
        const hash = hashes[i]!
        if (!standsAt(hash, entry.parent, entry.at)) entry.wrongHash = hash
      }
    },

    judge: ({ end, entries }) => {
      const node = entries.findIndex((entry) => entry.wrongHash !== undefined)
      if (node >= 0) {
        const { at, wrongHash } = entries[node]!
        const named = node === 0 ? root : entries[node - 1]!.bytes.subarray(at, at + 32)
        const expected = Hex.fromBytes(named)
        return Result.fail(new HashMismatch({ node, expected, got: Hex.fromBytes(wrongHash!) }))
      }
      return isOutcome(end) ? Result.succeed(end) : Result.fail(end)
    }
  }
}

const NONE = new Uint8Array(0)

const read = (bytes: Uint8Array, isRoot: boolean): TrieNode.TrieNode | string =>
  bytes.length < 32 && !isRoot
    ? "a node shorter than 32 bytes must be inside its parent"
    : TrieNode.parse(bytes, 0, bytes.length)

const bytesOf = (source: ProofNode): Uint8Array | undefined => {
  if (typeof source !== "string") return source
  const decoded = Hex.toBytes(source)
  return Result.isSuccess(decoded) ? decoded.success : undefined
}

const isSame = (a: ProofNode, b: ProofNode): boolean =>
  a === b || (typeof a !== "string" && typeof b !== "string" && Bytes.equals(a, b))

const standsAt = (hash: Uint8Array, bytes: Uint8Array, at: number): boolean => {
  for (let i = 0; i < 32; i++) if (hash[i] !== bytes[at + i]) return false
  return true
}

const isOutcome = (end: ProofOutcome | TrieProofError): end is ProofOutcome =>
  end._tag === "Included" || end._tag === "Absent"
