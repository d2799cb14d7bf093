/** Roots and proofs of the sizes that blocks and states have. */
import { createMerkleProof, createMPT, verifyMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { Keccak256 } from "@plumbline/codec"
import { Trie, TrieProof } from "@plumbline/merkle-trie"
import { expect, test } from "vitest"

import { bytesOf, random } from "../test/generators.ts"

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

test("proof of one of 2,000 accounts", async ({ bench }) => {
  const state = await createMPT()
  const keys = Array.from({ length: 2000 }, () => Keccak256.hash(bytesOf(next, 20)))
  for (const key of keys) await state.put(key, bytesOf(next, 70))
  const nodes = await createMerkleProof(state, keys[0]!)
  const root = state.root()
  const result = await bench.compare(
    bench("verify", () => {
      TrieProof.verify(root, keys[0]!, nodes)
    }),
    bench("@ethereumjs/mpt", async () => {
      await verifyMerkleProof(keys[0]!, nodes)
    }),
    { time: 300 }
  )
  expect(result).toBeDefined()
})
