import { assert, it } from "@effect/vitest"
import * as merkleTrie from "@plumbline/merkle-trie"

it("exports these names and no others", () => {
  const names = Object.entries(merkleTrie).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "BatchProof: walk",
    "Nibbles: decode encode fromKey",
    "NodeStore: make",
    "ProofWalk: walk",
    "Trie: DuplicateKey EMPTY_ROOT KeyTooLong MAX_KEY_SIZE nodesOfList nodesOfMap rootOfList rootOfMap rootOfWritten",
    "TrieError: DuplicateKey KeyTooLong",
    "TrieProof: HashMismatch MalformedNode MissingNode NotInStore UnusedNodes make verify verifyAll",
    "TrieProofError: HashMismatch MalformedNode MissingNode NotInStore UnusedNodes"
  ])
})
