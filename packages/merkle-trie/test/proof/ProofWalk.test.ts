import { assert, describe, it } from "@effect/vitest"
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { Hash32, Keccak256 } from "@plumbline/codec"
import { NodeStore, ProofWalk, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { entriesOf, keysBeside, random, runs } from "../support/generators.ts"

const nibbles = (key: Uint8Array): ReadonlyArray<number> => [...key].flatMap((byte) => [byte >> 4, byte & 15])

/** Returns the reference to a step, read from its parent's bytes. */
const reference = (steps: ReadonlyArray<ProofWalk.ProofStep>, at: number, root: Uint8Array): Uint8Array => {
  const { inParent } = steps[at]!
  return inParent === null ? root : steps[at - 1]!.bytes.subarray(inParent.offset, inParent.offset + inParent.length)
}

describe("the walk of a proof", () => {
  it("goes from the root to where the key ends, each node named by the one before", () => {
    for (let seed = 0; seed < runs; seed++) {
      const entries = entriesOf(seed)
      const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
      const store = NodeStore.make(nodes)
      for (const key of [...keysBeside(seed, entries), ...entries.map(([key]) => key)]) {
        const proof = Result.getOrThrow(TrieProof.make(store, root, key))
        const { outcome, steps } = ProofWalk.walk(root, key, proof.nodes)
        assert.deepStrictEqual(outcome, TrieProof.verify(root, key, proof.nodes))
        assert.deepStrictEqual(outcome, Result.succeed(proof.outcome))
        for (const [at, step] of steps.entries()) {
          assert.strictEqual(step.hash, Keccak256.hashHex(step.bytes))
          assert.deepStrictEqual(step.byHash ? Hash32.toBytes(step.hash) : step.bytes, reference(steps, at, root))
          if (step.byHash) assert.deepStrictEqual(step.bytes, proof.nodes[step.node])
          else assert.isBelow(step.bytes.length, 32)
        }
        // a step with `byHash` is a node that the proof supplies; all other nodes are inside their parents
        assert.strictEqual(steps.filter(({ byHash }) => byHash).length, proof.nodes.length)
        const digits = steps.flatMap((step) => step.digits)
        assert.deepStrictEqual(digits, nibbles(key).slice(0, digits.length))
        if (proof.outcome._tag === "Included") assert.strictEqual(digits.length, 2 * key.length)
      }
    }
  })

  it("takes the proofs of another library", async () => {
    const entries = entriesOf(3)
    const trie = await createMPT()
    for (const [key, value] of entries) await trie.put(key, value)
    for (const [key, value] of entries) {
      // ethereumjs also lists nodes that are inside other nodes; leave these out
      const nodes = (await createMerkleProof(trie, key)).filter((node, at) => at === 0 || node.length >= 32)
      const { outcome, steps } = ProofWalk.walk(trie.root(), key, nodes)
      assert.deepStrictEqual(outcome, Result.succeed({ _tag: "Included" as const, value }))
      assert.deepStrictEqual(
        steps.flatMap(({ digits }) => digits),
        nibbles(key)
      )
    }
  })

  it("ends at the node that breaks the proof", () => {
    let broken = 0
    for (let seed = 0; seed < runs; seed++) {
      const next = random(seed)
      const entries = entriesOf(seed)
      const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
      const [key] = entries[next() % entries.length]!
      const proof = Result.getOrThrow(TrieProof.make(NodeStore.make(nodes), root, key)).nodes
      for (const [at, node] of proof.entries()) {
        const byte = next() % node.length
        const { outcome, steps } = ProofWalk.walk(root, key, proof.with(at, node.with(byte, node[byte]! ^ 1)))
        assert(Result.isFailure(outcome))
        const error = outcome.failure
        if (error._tag !== "HashMismatch" && error._tag !== "MalformedNode") continue
        broken++
        assert.strictEqual(steps.at(-1)!.node, at)
        assert.strictEqual(error.node, at)
        if (error._tag === "HashMismatch") assert.strictEqual(error.got, steps.at(-1)!.hash)
      }
    }
    assert.isAbove(broken, runs)
  })

  it("ends where nodes are missing, and is empty under the empty root", () => {
    const entries = entriesOf(5)
    const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
    const [key] = entries[0]!
    const proof = Result.getOrThrow(TrieProof.make(NodeStore.make(nodes), root, key)).nodes
    const cut = ProofWalk.walk(root, key, proof.slice(0, -1))
    assert.isTrue(Result.isFailure(cut.outcome))
    assert.isBelow(cut.steps.filter(({ byHash }) => byHash).length, proof.length)
    const none = ProofWalk.walk(Hash32.toBytes(Trie.EMPTY_ROOT), key, [])
    assert.deepStrictEqual(none, { steps: [], outcome: Result.succeed({ _tag: "Absent" as const }) })
    assert.isTrue(Result.isFailure(ProofWalk.walk(root, key, ["0xzz"]).outcome))
  })
})
