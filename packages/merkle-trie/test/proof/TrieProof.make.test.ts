import { assert, describe, it } from "@effect/vitest"
import { createMerkleProof, createMPT } from "@ethereumjs/mpt"
import { Bytes, Hash32, Hex, Keccak256, Rlp } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { entriesOf, keysBeside, runs } from "../support/generators.ts"

describe("TrieProof.make", () => {
  it("makes the proofs of ethereumjs, without the nodes that are inside others", async () => {
    let included = 0
    let absent = 0
    for (let seed = 0; seed < runs; seed++) {
      const entries = entriesOf(seed)
      const oracle = await createMPT()
      for (const [key, value] of entries) await oracle.put(key, value)
      const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
      const store = NodeStore.make(nodes)
      for (const key of [...entries.map(([key]) => key), ...keysBeside(seed, entries)]) {
        const expected = (await createMerkleProof(oracle, key)).filter((node, at) => at === 0 || node.length >= 32)
        const made = Result.getOrThrow(TrieProof.make(store, root, key))
        assert.deepStrictEqual(made.nodes.map(Hex.fromBytes), expected.map(Hex.fromBytes), `seed ${seed}`)
        const value = await oracle.get(key)
        if (value === null) {
          assert.deepStrictEqual(made.outcome, { _tag: "Absent" })
          absent++
        } else {
          assert.isTrue(made.outcome._tag === "Included" && Bytes.equals(made.outcome.value, value), `seed ${seed}`)
          included++
        }
        assert.deepStrictEqual(Result.getOrThrow(TrieProof.verify(root, key, made.nodes)), made.outcome)
      }
    }
    assert.isAbove(included, runs)
    assert.isAbove(absent, runs)
  })

  it("says which node the store lacks, and never that the key is absent", () => {
    for (let seed = 0; seed < runs; seed++) {
      const entries = entriesOf(seed)
      const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
      for (const key of keysBeside(seed, entries)) {
        const whole = Result.getOrThrow(TrieProof.make(NodeStore.make(nodes), root, key))
        for (const lost of whole.nodes) {
          const store = NodeStore.make(nodes.filter((node) => node !== lost))
          const made = TrieProof.make(store, root, key)
          assert(Result.isFailure(made) && made.failure._tag === "NotInStore")
          assert.strictEqual<string>(made.failure.hash, Keccak256.hashHex(lost))
        }
      }
    }
  })

  it("gives no nodes under the empty root, even from an empty store", () => {
    const made = TrieProof.make(NodeStore.make([]), Hash32.toBytes(Trie.EMPTY_ROOT), new Uint8Array(32))
    assert.deepStrictEqual(Result.getOrThrow(made), { outcome: { _tag: "Absent" }, nodes: [] })
  })

  it("refuses what is not a node, in whichever place the store has it", () => {
    const key = Uint8Array.of(0x12)
    const wrong = Rlp.encode([new Uint8Array(40), new Uint8Array(40), new Uint8Array(40)])
    const parent = Rlp.encode([Uint8Array.of(0x11), Keccak256.hash(wrong)])
    const store = NodeStore.make([wrong, parent])
    for (const [root, node] of [
      [wrong, 0],
      [parent, 1]
    ] as const) {
      const made = TrieProof.make(store, Keccak256.hash(root), key)
      assert(Result.isFailure(made) && made.failure._tag === "MalformedNode")
      assert.strictEqual(made.failure.node, node)
    }
  })
})

describe("NodeStore.make", () => {
  it("finds every node by its hash, and nothing by any other", () => {
    const { nodes } = Result.getOrThrow(Trie.nodesOfMap(entriesOf(3)))
    const store = NodeStore.make([...nodes, ...nodes])
    for (const node of nodes) {
      assert.deepStrictEqual(store(Keccak256.hash(node)), node)
      assert.isUndefined(store(Keccak256.hash(node).toReversed()))
    }
  })
})
