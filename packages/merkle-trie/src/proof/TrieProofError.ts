/** The reasons why a Merkle-Patricia proof is refused or cannot be made. */
import * as Schema from "effect/Schema"

/** A node's Keccak-256 is not the hash in its parent, or not the root. Hashes are `0x` hex. */
export class HashMismatch extends Schema.TaggedError<HashMismatch>()("HashMismatch", {
  /** The place of the node in the proof, from 0. */
  node: Schema.Int,
  expected: Schema.String,
  got: Schema.String
}) {
  override get message(): string {
    return `proof node ${this.node} hashes to ${this.got}, its parent names ${this.expected}`
  }
}

/** The proof ends before the path does. It proves nothing about the key, not even that the key is absent. */
export class MissingNode extends Schema.TaggedError<MissingNode>()("MissingNode", {
  /** The place in the proof at which a node is missing, from 0. */
  node: Schema.Int,
  expected: Schema.String
}) {
  override get message(): string {
    return `the proof has no node ${this.node}, the path goes on to ${this.expected}`
  }
}

/** The proof has nodes that the path does not use. */
export class UnusedNodes extends Schema.TaggedError<UnusedNodes>()("UnusedNodes", {
  used: Schema.Int,
  got: Schema.Int
}) {
  override get message(): string {
    return `the path uses ${this.used} nodes, the proof has ${this.got}`
  }
}

/** A node is not a canonical trie node, although its hash, or the hash of the node that contains it, is right. */
export class MalformedNode extends Schema.TaggedError<MalformedNode>()("MalformedNode", {
  node: Schema.Int,
  detail: Schema.String
}) {
  override get message(): string {
    return `proof node ${this.node}: ${this.detail}`
  }
}

/** A store does not have the node with this hash (`0x` hex), so nothing can be said about the key. */
export class NotInStore extends Schema.TaggedError<NotInStore>()("NotInStore", {
  hash: Schema.String
}) {
  override get message(): string {
    return `the store has no node ${this.hash}`
  }
}

/** Every error of `TrieProof.verify`. */
export type TrieProofError = HashMismatch | MissingNode | UnusedNodes | MalformedNode
