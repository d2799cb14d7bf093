/**
 * Compares the walk in a batch with `TrieProof`. If the walk accepts a proof, `TrieProof.verify` must give the same
 * outcome for the same bytes.
 */
import { assert, describe, it } from "@effect/vitest"
import { BatchHash, Hex, HexBatch, Keccak256 } from "@plumbline/codec"
import { BatchProof, NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { bytesOf, random, runs } from "../support/generators.ts"

type Nodes = ReadonlyArray<Uint8Array>

const batch = HexBatch.get()!

/**
 * Returns the value that the walk finds, no bytes for an absent key, or `undefined` if the walk gives no verdict. No
 * other code runs during the walk.
 */
const walk = (root: Uint8Array, key: Uint8Array, nodes: Nodes): Uint8Array | undefined => {
  batch.clear()
  const items = nodes.map((node) => batch.add(Hex.fromBytes(node)))
  const [rootAt, keyAt] = [root, key].map((bytes) => batch.starts[batch.add(Hex.fromBytes(bytes))]!)
  BatchHash.hash(batch, items)
  const found = { from: 1, to: 2 }
  return BatchProof.walk(batch, rootAt!, keyAt!, items, found) ? batch.memory.slice(found.from, found.to) : undefined
}

/** Returns the outcome of `TrieProof.verify` in the form of `walk`. */
const verify = (root: Uint8Array, key: Uint8Array, nodes: Nodes): Uint8Array | undefined => {
  const outcome = TrieProof.verify(root, key, nodes)
  if (Result.isFailure(outcome)) return undefined
  return outcome.success._tag === "Included" ? outcome.success.value.slice() : new Uint8Array(0)
}

interface Held {
  readonly root: Uint8Array
  readonly key: Uint8Array
  readonly nodes: Nodes
}

/**
 * Proofs of tries with keys of 32 bytes. The keys are random, or have long shared beginnings, which make extensions.
 */
const held = (seed: number): ReadonlyArray<Held> => {
  const next = random(seed)
  const start = bytesOf(next, seed % 2 === 0 ? 0 : next() % 31)
  const keys = Array.from({ length: 1 + (next() % 24) }, () =>
    Uint8Array.from([...start, ...bytesOf(next, 32 - start.length)])
  )
  const entries = keys.map((key) => [key, bytesOf(next, 1 + (next() % (seed % 3 === 0 ? 8 : 120)))] as const)
  const unique = new Map(entries.map((entry) => [entry[0].toString(), entry] as const))
  const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(unique.values()))
  const store = NodeStore.make(nodes)
  const others = keys.flatMap((key) => [key.with(31, key[31]! ^ 1), key.with(next() % 32, next() & 0xff)])
  return [...keys, ...others, bytesOf(next, 32)].map((key) => ({
    root,
    key,
    nodes: Result.getOrThrow(TrieProof.make(store, root, key)).nodes
  }))
}

const tampered = ({ nodes }: Held, next: () => number): Nodes => {
  const at = next() % nodes.length
  const node = nodes[at]!
  const byte = next() % node.length
  switch (next() % 6) {
    case 0:
      return nodes.with(at, node.with(byte, node[byte]! ^ (1 + (next() % 255))))
    case 1:
      return nodes.toSpliced(at, 1)
    case 2:
      return [...nodes, node]
    case 3:
      return nodes.with(at, node.subarray(0, byte))
    case 4:
      return nodes.with(at, Uint8Array.from([...node, next() & 0xff]))
    default:
      return nodes.with(at, bytesOf(next, next() % 600))
  }
}

describe("BatchProof.walk", () => {
  it("accepts nearly every proof that holds, with the outcome of TrieProof, and none that is tampered with", () => {
    let accepted = 0
    let all = 0
    for (let seed = 0; seed < runs; seed++) {
      const next = random(seed + 900)
      for (const proof of held(seed)) {
        const { key, nodes, root } = proof
        const got = walk(root, key, nodes)
        all++
        if (got !== undefined) {
          accepted++
          assert.deepStrictEqual(got, verify(root, key, nodes), `seed ${seed}`)
        }
        assert.isUndefined(walk(root, key, tampered(proof, next)), `seed ${seed}`)
        assert.isUndefined(walk(root.with(seed % 32, root[seed % 32]! ^ 1), key, nodes), `seed ${seed}`)
      }
    }
    // the other proofs have small values, which are embedded in branches
    assert.isAbove(accepted, 0.6 * all)
  })

  it("accepts no nodes with right hashes that TrieProof does not accept", () => {
    let judged = 0
    for (let seed = 0; seed < runs; seed++) {
      const next = random(seed + 901)
      for (const { key, nodes, root } of held(seed)) {
        for (let turn = 0; turn < 8; turn++) {
          // the last node is changed, and its own hash is the root: so the hash is right, but the node may be malformed
          const node = Uint8Array.from(nodes.at(-1)!)
          for (let change = 0; change <= turn % 3; change++) {
            const byte = next() % Math.min(node.length, turn < 4 ? 6 : node.length)
            node[byte] = [0x00, 0x20, 0x3f, 0x80, 0x81, 0xa0, 0xb8, 0xc0, 0xf8, next() & 0xff][next() % 10]!
          }
          const own = Keccak256.hash(node)
          const got = walk(own, key, [node])
          if (got === undefined) continue
          judged++
          assert.deepStrictEqual(got, verify(own, key, [node]), `seed ${seed}: ${Hex.fromBytes(node)}`)
        }
        assert.isUndefined(walk(root, key, []), `seed ${seed}`)
      }
    }
    assert.isAbove(judged, runs)
  })

  it("refuses an extension to what is not a branch, and a node by hash that belongs inside its parent", () => {
    const leaf = Uint8Array.from([
      0xf8,
      0x3a,
      0x9e,
      0x20,
      ...new Uint8Array(29).fill(7),
      0x9a,
      ...new Uint8Array(26).fill(9)
    ])
    const key = new Uint8Array(32).fill(7)
    const extension = (child: Uint8Array) => Uint8Array.from([0xe4, 0x82, 0x00, 0x07, 0xa0, ...Keccak256.hash(child)])
    for (const child of [leaf, Uint8Array.of(0xc2, 0x20, 0x07)]) {
      const top = extension(child)
      assert.isUndefined(verify(Keccak256.hash(top), key, [top, child]))
      assert.isUndefined(walk(Keccak256.hash(top), key, [top, child]))
    }
  })

  it("refuses a short node by its hash below a branch, and a branch of one entry", () => {
    const key = new Uint8Array(32).fill(0x77)
    const short = Uint8Array.of(0xc2, 0x20, 0x07)
    const branch = (...places: ReadonlyArray<number>) => {
      const items = Array.from({ length: 17 }, (_, i) =>
        places.includes(i) ? [0xa0, ...Keccak256.hash(short)] : [0x80]
      ).flat()
      return Uint8Array.from([0xf8, items.length, ...items])
    }
    const two = branch(0, 7)
    assert.isUndefined(verify(Keccak256.hash(two), key, [two, short]))
    assert.isUndefined(walk(Keccak256.hash(two), key, [two, short]))
    // a list of 49 bytes must not have a head of the long form
    const one = Uint8Array.from([0xc0 + branch(0).length - 2, ...branch(0).subarray(2)])
    assert.isUndefined(verify(Keccak256.hash(one), key, [one]))
    assert.isUndefined(walk(Keccak256.hash(one), key, [one]))
    const other = branch(0, 1)
    assert.deepStrictEqual(walk(Keccak256.hash(other), key, [other]), new Uint8Array(0))
  })
})
