/** Merkle-Patricia tries: the roots of lists and maps, and proofs that a key has a value, or that it has none. */
export * as BatchProof from "./proof/BatchProof.ts"
export * as Nibbles from "./trie/Nibbles.ts"
export * as NodeStore from "./proof/NodeStore.ts"
export * as ProofWalk from "./proof/ProofWalk.ts"
export * as Trie from "./trie/Trie.ts"
export * as TrieError from "./trie/TrieError.ts"
export * as TrieProof from "./proof/TrieProof.ts"
export * as TrieProofError from "./proof/TrieProofError.ts"
