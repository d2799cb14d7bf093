/** Tampers with proofs that hold. Each tampered proof must be refused, and never give a different outcome. */
import { assert, describe, it } from "@effect/vitest"
import { Keccak256 } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { bytesOf, entriesOf, keysBeside, random, runs } from "../support/generators.ts"

type Nodes = ReadonlyArray<Uint8Array>

interface Held {
  readonly root: Uint8Array
  readonly key: Uint8Array
  readonly nodes: Nodes
}

/** Makes valid proofs, of present and of absent keys. */
const held = (seed: number): ReadonlyArray<Held> => {
  const entries = entriesOf(seed)
  const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
  const store = NodeStore.make(nodes)
  return keysBeside(seed, entries).map((key) => ({
    root,
    key,
    nodes: Result.getOrThrow(TrieProof.make(store, root, key)).nodes
  }))
}

/** Seeds from this number on make other tries, whose nodes are put into the tampered proofs. */
const OTHERS = 1_000_000

/** The ways to tamper with a valid proof, by name. Each returns the tampered proofs. */
const tamperings: Readonly<Record<string, (proof: Held, next: () => number) => ReadonlyArray<Nodes>>> = {
  "a byte changed": ({ nodes }, next) =>
    nodes.map((node, at) => {
      const byte = next() % node.length
      return nodes.with(at, node.with(byte, node[byte]! ^ (1 + (next() % 255))))
    }),
  "a byte left out": ({ nodes }, next) =>
    nodes.map((node, at) => {
      const byte = next() % node.length
      return nodes.with(at, Uint8Array.from([...node.subarray(0, byte), ...node.subarray(byte + 1)]))
    }),
  "a byte too many": ({ nodes }, next) =>
    nodes.map((node, at) => nodes.with(at, Uint8Array.from([...node, next() & 0xff]))),
  "a node dropped": ({ nodes }) => nodes.map((_, at) => nodes.toSpliced(at, 1)),
  "two nodes swapped": ({ nodes }) => nodes.slice(1).map((node, at) => nodes.with(at, node).with(at + 1, nodes[at]!)),
  "a node twice": ({ nodes }) => nodes.map((node, at) => nodes.toSpliced(at, 0, node)),
  "a node appended": ({ nodes }, next) => [
    [...nodes, bytesOf(next, 1 + (next() % 600))],
    [...nodes, Uint8Array.of(0x80)],
    [...nodes, new Uint8Array(0)]
  ],
  "a node of another trie": ({ nodes }, next) => {
    const other = held(OTHERS + (next() % 1000)).find((proof) => proof.nodes.length > 0)!.nodes
    return nodes.map((_, at) => nodes.with(at, other[Math.min(at, other.length - 1)]!))
  },
  "the proof of another root": (_, next) => held(OTHERS + (next() % 1000)).map((proof) => proof.nodes),
  "no node": () => [[]]
}

describe("TrieProof.verify", () => {
  for (const [name, tamper] of Object.entries(tamperings)) {
    it(`refuses every proof with ${name}`, () => {
      let refused = 0
      for (let seed = 0; seed < runs; seed++) {
        const next = random(seed + 5)
        for (const proof of held(seed)) {
          for (const nodes of tamper(proof, next)) {
            const outcome = TrieProof.verify(proof.root, proof.key, nodes)
            assert.isTrue(Result.isFailure(outcome), `seed ${seed}`)
            refused++
          }
        }
      }
      assert.isAbove(refused, runs)
    })
  }

  it("refuses every proof under another root, made of it or not", () => {
    for (let seed = 0; seed < runs; seed++) {
      for (const { key, nodes, root } of held(seed)) {
        const byte = seed % 32
        const others = [
          root.with(byte, root[byte]! ^ 1),
          Keccak256.hash(root),
          root.subarray(0, 31),
          new Uint8Array(32)
        ]
        for (const other of [...others, Uint8Array.from([...root, 0]), new Uint8Array(0)]) {
          const outcome = TrieProof.verify(other, key, nodes)
          assert.isTrue(Result.isFailure(outcome) && outcome.failure._tag === "HashMismatch", `seed ${seed}`)
        }
      }
    }
  })

  it("never says of another key what a proof says of its own, unless it is so", () => {
    for (let seed = 0; seed < runs; seed++) {
      const entries = new Map(entriesOf(seed).map(([key, value]) => [key.toString(), value]))
      const proofs = held(seed)
      for (const { nodes, root } of proofs) {
        for (const { key } of proofs) {
          const outcome = TrieProof.verify(root, key, nodes)
          if (Result.isFailure(outcome)) continue
          const value = entries.get(key.toString())
          assert.deepStrictEqual(
            outcome.success,
            value === undefined ? { _tag: "Absent" } : { _tag: "Included", value },
            `seed ${seed}`
          )
        }
      }
    }
  })
})
