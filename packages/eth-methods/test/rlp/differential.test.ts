/** Compares results for random objects of every type and fork with those of ethereumjs. */
import { assert, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { bytesToHex } from "@ethereumjs/util"
import { Trie } from "@plumbline/merkle-trie"
import * as Random from "@plumbline/seeded/Random"
import { Result } from "effect"

import { BlockRlp, Verify } from "../../src/index.ts"
import * as Made from "../support/made.ts"
import * as Objects from "../support/objects.ts"
import * as Receipts from "../support/receipts.ts"

for (const type of [0, 1, 2, 3, 4]) {
  it(`random transactions of type ${type} have ethereumjs' encoding, hash and sender`, () => {
    const random = Random.make(0x7a + type)
    for (let i = Random.runs(Random.sized(30)); i > 0; i--) {
      const theirs = Objects.transaction(random, type)
      const bytes = theirs.serialize()
      const ours = Result.getOrThrow(BlockRlp.decodeTransaction(bytes))
      assert.strictEqual<string>(ours.hash, bytesToHex(theirs.hash()))
      assert.strictEqual(ours["from"], theirs.getSenderAddress().toString())
      assert.deepStrictEqual(BlockRlp.encodeTransaction(ours), bytes)
      // the transaction also passes through the wire form, which does not contain its encoding
      const answer = Made.decodeTransaction(JSON.parse(JSON.stringify(Made.encodeTransaction(ours))))
      assert.strictEqual(Result.getOrThrow(Verify.transaction(answer, ours.hash))._tag, "VERIFIED")
      assert.deepStrictEqual(BlockRlp.encodeTransaction(answer), bytes)
    }
  })
}

for (const [hardfork, fields] of Made.forks) {
  it(`random headers of ${hardfork} have ethereumjs' encoding and hash`, () => {
    const random = Random.make(0x4ead + fields)
    for (let i = Random.runs(Random.sized(30)); i > 0; i--) {
      const theirs = Objects.header(random, hardfork)
      const bytes = theirs.serialize()
      assert.strictEqual(theirs.raw().length, fields)
      const ours = Result.getOrThrow(BlockRlp.decodeHeader(bytes))
      assert.strictEqual<unknown>(ours.hash, bytesToHex(theirs.hash()))
      assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encodeHeader(ours)), bytes)
    }
  })

  it(`random blocks of ${hardfork} have ethereumjs' encoding, hash, and roots of all their bodies`, async () => {
    const random = Random.make(0xb10c + fields)
    for (let i = Random.runs(Random.sized(4)); i > 0; i--) {
      const theirs = await Objects.block(random, hardfork, 12)
      const bytes = theirs.serialize()
      const whole = Result.getOrThrow(BlockRlp.decode(bytes))
      const { block, uncles } = whole
      assert.strictEqual<unknown>(block.hash, bytesToHex(theirs.hash()))
      assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode(whole)), bytes)
      assert.deepStrictEqual<unknown>(
        block.transactions.map((transaction) => transaction.from),
        theirs.transactions.map((transaction) => transaction.getSenderAddress().toString())
      )
      assert.deepStrictEqual<unknown>(
        uncles.map((uncle) => uncle.hash),
        theirs.uncleHeaders.map((uncle) => bytesToHex(uncle.hash()))
      )
      // ethereumjs computed the roots in the header, so a different root of ours would refute the block
      const verdict = Result.getOrThrow(Verify.block(block, block.hash!, { uncles }))
      assert(verdict._tag === "VERIFIED")
      assert.deepStrictEqual(verdict.claimed, [])
      Result.getOrThrow(Verify.uncles(uncles, verdict))
      const { transactions, uncles: hashes = [], withdrawals = [] } = block
      for (const missing of [
        { ...block, transactions: transactions.slice(1) },
        { ...block, withdrawals: withdrawals.slice(1) },
        { ...block, uncles: hashes.slice(1) }
      ]) {
        const same =
          missing.transactions.length === transactions.length &&
          missing.withdrawals?.length === block.withdrawals?.length &&
          missing.uncles?.length === hashes.length
        assert.strictEqual(Result.isSuccess(Verify.block(missing, block.hash!, { uncles })), same)
      }
    }
  })

  it(`random receipts of ${hardfork} have ethereumjs' encoding, blooms and root`, async () => {
    const random = Random.make(0x4ece1 + fields)
    for (let i = Random.runs(Random.sized(2)); i > 0; i--) {
      const made = Array.from({ length: 8 }, () => ({
        failed: random() < 0.5,
        root: Objects.bytes(random, 32),
        logs: Array.from({ length: Random.int(random, 4) }, (): Receipts.Logs[number] => [
          Objects.bytes(random, 20),
          Array.from({ length: Random.int(random, 5) }, () => Objects.bytes(random, 32)),
          Objects.data(random)
        ])
      }))
      const { block, receipts } = await Receipts.make(hardfork, {
        logs: (index) => made[index]!.logs,
        failed: (index) => made[index]!.failed,
        roots: (index) => made[index]!.root
      })
      const proven = Receipts.proven(block)
      const read = Receipts.decode(receipts)
      // ethereumjs computed the receipts' root in the header, and each bloom
      assert.strictEqual(Result.getOrThrow(Verify.receipts(read, proven))._tag, "VERIFIED")
      const encoded = read.map(BlockRlp.encodeReceipt)
      const root = await Receipts.rootOf(encoded)
      assert.deepStrictEqual(Trie.rootOfList(encoded), root)
      assert.strictEqual<string>(bytesToHex(root), proven.value.receiptsRoot)
    }
  })
}

it("roots of random lists of any length up to 300 are ethereumjs'", async () => {
  const random = Random.make(0x115)
  for (const length of [0, 1, 2, 15, 16, 17, 127, 128, 129, 255, 256, 257, 300]) {
    const items = Array.from({ length }, () => RLP.encode(Objects.data(random)))
    assert.deepStrictEqual(Trie.rootOfList(items), await Receipts.rootOf(items))
  }
})
