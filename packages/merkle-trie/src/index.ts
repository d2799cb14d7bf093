/**
 * Merkle-Patricia tries: the roots of lists and maps, and proofs that a key has a value, or none.
 */
export * as Nibbles from "./Nibbles.ts"
export * as NodeStore from "./NodeStore.ts"
export * as ProofWalk from "./ProofWalk.ts"
export * as Trie from "./Trie.ts"
export * as TrieError from "./TrieError.ts"
export * as TrieProof from "./TrieProof.ts"
export * as TrieProofError from "./TrieProofError.ts"
