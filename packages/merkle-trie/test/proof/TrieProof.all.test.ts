import { assert, describe, it } from "@effect/vitest"
import { Hash32, Hex } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { entriesOf, keysBeside, random, runs } from "../support/generators.ts"

const proofsOf = (seed: number): { readonly root: Uint8Array; readonly proofs: ReadonlyArray<TrieProof.KeyProof> } => {
  const entries = entriesOf(seed)
  const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
  const store = NodeStore.make(nodes)
  const keys = [...entries.map(([key]) => key), ...keysBeside(seed, entries)]
  return {
    root,
    proofs: keys.map((key) => ({
      key,
      // copied, so that equal nodes are different objects, as they are after decoding an answer
      nodes: Result.getOrThrow(TrieProof.make(store, root, key)).nodes.map((node) => node.slice())
    }))
  }
}

const inText = ({ key, nodes }: TrieProof.KeyProof): TrieProof.KeyProof => ({
  key,
  nodes: nodes.map((node) => (typeof node === "string" ? node : Hex.fromBytes(node)))
})

/** The comparable form of an outcome: its value, or its error with all data. */
const show = (
  outcome: Result.Result<TrieProof.ProofOutcome, { readonly _tag: string; readonly message: string }>
): string =>
  Result.isSuccess(outcome)
    ? `${outcome.success._tag} ${outcome.success._tag === "Included" ? Hex.fromBytes(outcome.success.value) : ""}`
    : `${outcome.failure._tag} ${outcome.failure.message}`

describe("TrieProof.verifyAll", () => {
  it("gives each proof the outcome that it has alone, as bytes and as text", () => {
    for (let seed = 0; seed < runs; seed++) {
      const { proofs, root } = proofsOf(seed)
      const alone = proofs.map(({ key, nodes }) => show(TrieProof.verify(root, key, nodes)))
      assert.isTrue(alone.every((outcome) => /^(?:Included|Absent)/.test(outcome)))
      assert.deepStrictEqual(TrieProof.verifyAll(root, proofs).map(show), alone)
      assert.deepStrictEqual(TrieProof.verifyAll(root, proofs.map(inText)).map(show), alone)
      const mixed = proofs.map((proof, at) => (at % 2 === 0 ? inText(proof) : proof))
      assert.deepStrictEqual(TrieProof.verifyAll(root, mixed).map(show), alone)
    }
  })

  it("lets no proof change what is said of another, whichever of them are tampered with", () => {
    let refused = 0
    let accepted = 0
    for (let seed = 0; seed < runs; seed++) {
      const next = random(seed + 11)
      const { proofs, root } = proofsOf(seed)
      const tampered = proofs.map(({ key, nodes }): TrieProof.KeyProof => {
        const at = next() % nodes.length
        const node = nodes[at] as Uint8Array
        const byte = next() % node.length
        switch (next() % 5) {
          case 0:
            return { key, nodes: nodes.with(at, node.with(byte, node[byte]! ^ 0x10)) }
          case 1:
            return { key, nodes: nodes.toSpliced(at, 1) }
          case 2:
            return { key, nodes: [...nodes, node] }
          default:
            return { key, nodes }
        }
      })
      const alone = tampered.map(({ key, nodes }) => show(TrieProof.verify(root, key, nodes)))
      assert.deepStrictEqual(TrieProof.verifyAll(root, tampered).map(show), alone, `seed ${seed}`)
      assert.deepStrictEqual(TrieProof.verifyAll(root, tampered.map(inText)).map(show), alone, `seed ${seed}`)
      for (const outcome of alone) {
        if (/^(?:Included|Absent)/.test(outcome)) accepted++
        else refused++
      }
    }
    assert.isAbove(refused, runs)
    assert.isAbove(accepted, runs)
  })

  it("refuses text that is not hex, and takes capital letters", () => {
    const { proofs, root } = proofsOf(1)
    const [{ key, nodes }] = proofs.map(inText) as [TrieProof.KeyProof]
    const [first, ...rest] = nodes as ReadonlyArray<Hex.Hex>
    const upper = `0x${first!.slice(2).toUpperCase()}` as const
    assert.strictEqual(show(TrieProof.verify(root, key, [upper, ...rest])), show(TrieProof.verify(root, key, nodes)))
    for (const bad of ["0x", first!.slice(0, -1), `${first!.slice(0, -1)}g`, first!.slice(2), `${first!} `]) {
      const outcome = TrieProof.verify(root, key, [bad as Hex.Hex, ...rest])
      assert.isTrue(Result.isFailure(outcome), bad)
    }
  })

  it("gives no outcomes for no proofs, and absence for each under the empty root", () => {
    assert.deepStrictEqual(TrieProof.verifyAll(new Uint8Array(32), []), [])
    const empty = Hash32.toBytes(Trie.EMPTY_ROOT)
    const key = new Uint8Array(32)
    const shapes = [[], ["0x80"], [Uint8Array.of(0x80)], ["0x80", "0x80"]] as const
    assert.deepStrictEqual(
      TrieProof.verifyAll(
        empty,
        shapes.map((nodes) => ({ key, nodes }))
      ).map((outcome) => show(outcome).split(" ")[0]),
      ["Absent", "Absent", "Absent", "UnusedNodes"]
    )
  })

  it("is done with many different nodes for one place in time that grows with them, not with their square", () => {
    const { proofs, root } = proofsOf(3)
    const { key } = proofs[0]!
    // the nodes differ only in their last two bytes, so comparing each with all others would take minutes
    const node = new Uint8Array(8192).fill(7)
    const hostile = Array.from({ length: 4000 }, (_, i) => ({
      key,
      nodes: [Uint8Array.from(node.with(8191, i & 0xff).with(8190, i >> 8))]
    }))
    const outcomes = TrieProof.verifyAll(root, hostile)
    assert.isTrue(outcomes.every((outcome) => Result.isFailure(outcome) && outcome.failure._tag === "HashMismatch"))
  })
})
