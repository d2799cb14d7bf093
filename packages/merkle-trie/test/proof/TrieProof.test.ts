import { assert, describe, it } from "@effect/vitest"
import { createMerkleProof, createMPT, type MerklePatriciaTrie } from "@ethereumjs/mpt"
import { Bytes, Hash32, Keccak256, Rlp } from "@plumbline/codec"
import { Nibbles, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"

import { bytesOf, random, runs } from "../support/generators.ts"

interface Proven {
  readonly root: Uint8Array
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
  readonly nodes: ReadonlyArray<Uint8Array>
}

/** Makes a proof with ethereumjs. Leaves out nodes that are inside their parents, as a chain's nodes do (EIP-1186). */
const prove = async (trie: MerklePatriciaTrie, key: Uint8Array): Promise<ReadonlyArray<Uint8Array>> =>
  (await createMerkleProof(trie, key)).filter((node, at) => at === 0 || node.length >= 32)

/** Makes proofs of present and of absent keys with ethereumjs. */
const proofs = async (seed: number): Promise<ReadonlyArray<Proven>> => {
  const next = random(seed)
  const trie = await createMPT()
  const entries = new Map<string, readonly [Uint8Array, Uint8Array]>()
  const secure = seed % 3 === 0
  for (let i = 0; i < 1 + (next() % 30); i++) {
    const key = secure
      ? Keccak256.hash(bytesOf(next, 20))
      : Uint8Array.from({ length: 4 }, () => [0x00, 0x01, 0x10, 0xff][next() % 4]!)
    const value = bytesOf(next, 1 + (next() % (seed % 2 === 0 ? 3 : 80)))
    entries.set(key.toString(), [key, value])
  }
  for (const [key, value] of entries.values()) await trie.put(key, value)
  const out: Array<Proven> = []
  for (const [key, value] of entries.values()) {
    out.push({ root: trie.root(), key, value, nodes: await prove(trie, key) })
  }
  for (let i = 0; i < 6; i++) {
    const key = secure
      ? Keccak256.hash(bytesOf(next, 20))
      : Uint8Array.from({ length: 4 }, () => [0x00, 0x01, 0x10, 0xff, 0x11][next() % 5]!)
    if (entries.has(key.toString())) continue
    out.push({ root: trie.root(), key, value: undefined, nodes: await prove(trie, key) })
  }
  return out
}

const tag = (result: Result.Result<TrieProof.ProofOutcome, { readonly _tag: string }>): string =>
  Result.isSuccess(result) ? result.success._tag : result.failure._tag

describe("TrieProof.verify", () => {
  it("proves inclusion and absence in tries made by ethereumjs", async () => {
    let included = 0
    let absent = 0
    for (let seed = 0; seed < runs; seed++) {
      for (const { key, nodes, root, value } of await proofs(seed)) {
        const outcome = Result.getOrThrow(TrieProof.verify(root, key, nodes))
        if (value === undefined) {
          assert.deepStrictEqual(outcome, { _tag: "Absent" })
          absent++
        } else {
          assert.isTrue(outcome._tag === "Included" && Bytes.equals(outcome.value, value), `seed ${seed}`)
          included++
        }
      }
    }
    assert.isAbove(included, runs)
    assert.isAbove(absent, runs / 2)
  })

  it("refuses every proof in which one bit of one node is changed", async () => {
    for (let seed = 0; seed < Math.min(runs, 12); seed++) {
      for (const { key, nodes, root } of await proofs(seed)) {
        nodes.forEach((node, at) => {
          for (let byte = 0; byte < node.length; byte++) {
            const changed = Uint8Array.from(node)
            changed[byte]! ^= 1 << (byte & 7)
            assert.strictEqual(tag(TrieProof.verify(root, key, nodes.with(at, changed))), "HashMismatch")
          }
        })
      }
    }
  })

  it("refuses a proof without its last node: cut off is not absent", async () => {
    for (let seed = 0; seed < Math.min(runs, 20); seed++) {
      for (const { key, nodes, root } of await proofs(seed)) {
        for (let keep = 0; keep < nodes.length; keep++) {
          assert.strictEqual(tag(TrieProof.verify(root, key, nodes.slice(0, keep))), "MissingNode")
        }
      }
    }
  })

  it("refuses nodes that the path does not use, in front, within and behind", async () => {
    const [proof] = await proofs(3)
    assert(proof !== undefined)
    const { key, nodes, root } = proof
    const extra = Rlp.encode([Nibbles.encode(Uint8Array.of(1), 0, 1, true), new Uint8Array(40)])
    assert.strictEqual(tag(TrieProof.verify(root, key, [...nodes, extra])), "UnusedNodes")
    assert.strictEqual(tag(TrieProof.verify(root, key, [extra, ...nodes])), "HashMismatch")
    assert.strictEqual(tag(TrieProof.verify(root, key, [...nodes, nodes.at(-1)!])), "UnusedNodes")
    assert.strictEqual(
      tag(TrieProof.verify(root, key, nodes.toReversed())),
      nodes.length > 1 ? "HashMismatch" : "Included"
    )
  })

  it("refuses another root: the root is never taken from the proof", async () => {
    for (const { key, nodes, root } of await proofs(6)) {
      const other = Keccak256.hash(root)
      assert.strictEqual(tag(TrieProof.verify(other, key, nodes)), "HashMismatch")
    }
  })

  it("takes no node, or the one node 0x80, for the empty root, and nothing else", () => {
    const empty = Hash32.toBytes(Trie.EMPTY_ROOT)
    const key = new Uint8Array(32)
    assert.strictEqual(tag(TrieProof.verify(empty, key, [])), "Absent")
    assert.strictEqual(tag(TrieProof.verify(empty, key, [Uint8Array.of(0x80)])), "Absent")
    assert.strictEqual(tag(TrieProof.verify(empty, key, [Uint8Array.of(0x80), Uint8Array.of(0x80)])), "UnusedNodes")
    assert.strictEqual(tag(TrieProof.verify(empty, key, [Uint8Array.of(0xc0)])), "UnusedNodes")
  })

  it("refuses nodes that no trie has, even under their own hash", () => {
    const big = new Uint8Array(40).fill(7)
    const leaf = (path: Uint8Array) => [path, big]
    const hashed = (node: Rlp.Rlp) => Keccak256.hash(Rlp.encode(node))
    const even = (nibbles: ReadonlyArray<number>, isLeaf: boolean) =>
      Nibbles.encode(Uint8Array.from(nibbles), 0, nibbles.length, isLeaf)
    const branch = (items: Readonly<Record<number, Rlp.Rlp>>): ReadonlyArray<Rlp.Rlp> =>
      Array.from({ length: 17 }, (_, at) => items[at] ?? new Uint8Array(0))
    const key = Uint8Array.of(0x12)
    const cases: ReadonlyArray<readonly [string, Uint8Array]> = [
      ["three items", Rlp.encode([big, big, big])],
      ["a string", Rlp.encode(big)],
      ["a flag above 3", Rlp.encode([Uint8Array.of(0x40), big])],
      ["padding that is not zero", Rlp.encode([Uint8Array.of(0x25, 0x12), big])],
      ["no path at all", Rlp.encode([new Uint8Array(0), big])],
      ["a leaf whose value is a list", Rlp.encode([even([1, 2], true), [big]])],
      ["a leaf without a value", Rlp.encode([even([1, 2], true), new Uint8Array(0)])],
      ["an extension without a path", Rlp.encode([even([], false), hashed(leaf(even([1, 2], true)))])],
      ["an extension to nothing", Rlp.encode([even([1], false), new Uint8Array(0)])],
      ["a reference of 31 bytes", Rlp.encode([even([1], false), new Uint8Array(31)])],
      ["a reference of 33 bytes", Rlp.encode([even([1], false), new Uint8Array(33)])],
      ["a branch with one entry", Rlp.encode(branch({ 1: big.subarray(0, 32) }))],
      ["a branch with no entry", Rlp.encode(branch({}))],
      ["a branch with 16 items", Rlp.encode(branch({ 1: big, 2: big }).slice(0, 16))],
      ["a branch with 18 items", Rlp.encode([...branch({ 1: big, 2: big }), big])],
      ["a bad reference beside the path", Rlp.encode(branch({ 1: big.subarray(0, 32), 9: big.subarray(0, 31) }))],
      ["a bad node inside, beside the path", Rlp.encode(branch({ 1: big.subarray(0, 32), 9: [even([1], true)] }))],
      ["a long node inside, beside the path", Rlp.encode(branch({ 1: big.subarray(0, 32), 9: leaf(even([1], true)) }))],
      ["an extension to a leaf inside", Rlp.encode([even([1], false), [even([2], true), Uint8Array.of(5)]])],
      ["an embedded node of 32 bytes or more", Rlp.encode([even([1], false), leaf(even([2], true))])],
      ["a branch whose value is a list", Rlp.encode([...Array.from({ length: 16 }, () => big.subarray(0, 32)), [big]])],
      ["RLP that is not canonical", Uint8Array.of(0xf8, 0x03, 0x20, 0x81, 0x80)]
    ]
    for (const [name, node] of cases) {
      assert.strictEqual(tag(TrieProof.verify(Keccak256.hash(node), key, [node])), "MalformedNode", name)
    }
    const short = Rlp.encode([even([2], true), Uint8Array.of(5)])
    const parent = Rlp.encode([even([1], false), Keccak256.hash(short)])
    assert.strictEqual(tag(TrieProof.verify(Keccak256.hash(parent), key, [parent, short])), "MalformedNode")
    // an extension must lead to a branch, because a trie merges it with any other child
    for (const child of [Rlp.encode(leaf(even([2], true))), Rlp.encode([even([2], false), big.subarray(0, 32)])]) {
      const extension = Rlp.encode([even([1], false), Keccak256.hash(child)])
      assert.strictEqual(tag(TrieProof.verify(Keccak256.hash(extension), key, [extension, child])), "MalformedNode")
    }
  })

  it("is not led far by nodes that are large, many or deep", () => {
    const key = Uint8Array.of(0x12)
    const nested = new Uint8Array(4_000_000).fill(0xc1).with(3_999_999, 0xc0)
    assert.strictEqual(tag(TrieProof.verify(Keccak256.hash(nested), key, [nested])), "MalformedNode")
    const many = Array.from({ length: 100_000 }, () => Uint8Array.of(0xc2, 0x31, 0x07))
    assert.strictEqual(tag(TrieProof.verify(Keccak256.hash(many[0]!), key, many)), "UnusedNodes")
    const items = Rlp.encode(Array.from({ length: 1_000_000 }, () => Uint8Array.of(1)))
    assert.strictEqual(tag(TrieProof.verify(Keccak256.hash(items), key, [items])), "MalformedNode")
  })

  it("ends, and never throws, on random nodes under their own hash", () => {
    for (let seed = 0; seed < runs * 20; seed++) {
      const next = random(seed)
      const node = bytesOf(next, 1 + (next() % 80))
      if (next() % 2 === 0) node[0] = 0xc0 + (node.length - 1 < 56 ? node.length - 1 : 0)
      const outcome = TrieProof.verify(Keccak256.hash(node), bytesOf(next, 4), [node])
      assert.include(["Included", "Absent", "MissingNode", "MalformedNode"], tag(outcome))
    }
  })
})
