/** Measures roots and proofs of the sizes that blocks and states have. */
import { createMPT, verifyMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { Hex } from "@plumbline/codec"
import { NodeStore, Trie, TrieProof } from "@plumbline/merkle-trie"
import { Result } from "effect"
import { expect, test } from "vitest"

import { bytesOf, random } from "../test/support/generators.ts"

const next = random(7)
const transactions = Array.from({ length: 200 }, () => bytesOf(next, 110 + (next() % 400)))

test("root of 200 transactions", async ({ bench }) => {
  const result = await bench.compare(
    bench("rootOfList", () => {
      Trie.rootOfList(transactions)
    }),
    bench("@ethereumjs/mpt", async () => {
      const trie = await createMPT()
      for (const [index, item] of transactions.entries()) await trie.put(RLP.encode(index), item)
      trie.root()
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})

/** The entries of a state with 20,000 accounts, or of a storage with 20,000 slots. */
const entries = Array.from({ length: 20_000 }, () => [bytesOf(next, 32), bytesOf(next, 70)] as const)
const { nodes, root } = Result.getOrThrow(Trie.nodesOfMap(entries))
const store = NodeStore.make(nodes)
const proofs = entries.slice(0, 50).map(([key]) => ({
  key,
  nodes: Result.getOrThrow(TrieProof.make(store, root, key)).nodes
}))
const texts = proofs.map(({ key, nodes }) => ({ key, nodes: nodes.map(Hex.fromBytes) }))

test("proof of one key among 20,000", async ({ bench }) => {
  const { key, nodes } = proofs[0]!
  const text = texts[0]!.nodes
  const result = await bench.compare(
    bench("verify", () => {
      TrieProof.verify(root, key, nodes)
    }),
    bench("verify, from text", () => {
      TrieProof.verify(root, key, text)
    }),
    bench("make", () => {
      TrieProof.make(store, root, key)
    }),
    bench("@ethereumjs/mpt verifyMerkleProof", async () => {
      await verifyMerkleProof(key, [...nodes])
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})

test("proofs of 50 keys among 20,000", async ({ bench }) => {
  const result = await bench.compare(
    bench("verifyAll", () => {
      TrieProof.verifyAll(root, proofs)
    }),
    bench("verifyAll, from text", () => {
      TrieProof.verifyAll(root, texts)
    }),
    bench("verify, one after the other, from text", () => {
      for (const { key, nodes } of texts) TrieProof.verify(root, key, nodes)
    }),
    bench("@ethereumjs/mpt verifyMerkleProof", async () => {
      for (const { key, nodes } of proofs) await verifyMerkleProof(key, [...nodes])
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})
