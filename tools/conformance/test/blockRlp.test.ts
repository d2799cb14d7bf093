/**
 * Real blocks in their RLP: the chain of execution-apis against what geth says of it, the blocks of ethereum/tests, and
 * mainnet's first thousand.
 */
import { assert, it } from "@effect/vitest"
import { Hex } from "@plumbline/codec"
import { BlockRlp, EthMethods } from "@plumbline/eth-methods"
import { Trie } from "@plumbline/merkle-trie"
import { Result, Schema } from "effect"

import { bytes, conformance, exchanges, files, json } from "./support/fixtures.ts"

/** Blocks one after the other: each is a list that says its length. */
const blocksIn = (file: string): ReadonlyArray<Uint8Array> => {
  const all = bytes(file)
  const out: Array<Uint8Array> = []
  for (let at = 0; at < all.length;) {
    const width = all[at]! - 0xf7
    const size = all.subarray(at + 1, at + 1 + width).reduce((sum, byte) => sum * 256 + byte, 0)
    out.push(all.subarray(at, at + 1 + width + size))
    at += 1 + width + size
  }
  return out
}

/** Reads a block and writes it again. */
const readAndWrite = (rlp: Uint8Array): BlockRlp.Whole => {
  const read = Result.getOrThrow(BlockRlp.decode(rlp))
  assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode(read)), rlp)
  return read
}

/** geth leaves out leading zeros of `r` and `s`. */
const trimmed = (value: any): any => {
  if (Array.isArray(value)) return value.map(trimmed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries<any>(value).map(([name, inner]) => [
      name,
      name === "r" || name === "s" ? `0x${BigInt(inner).toString(16)}` : trimmed(inner)
    ])
  )
}

const encodeBlock = Schema.encodeSync(EthMethods.eth_getBlockByHash.result)
const encodeReceipts = Schema.encodeSync(EthMethods.eth_getBlockReceipts.result)

conformance("blocks in RLP", () => {
  it("the chain of execution-apis is read and written, and every whole block is what geth says of it", () => {
    const read = blocksIn("1-execution-apis/tests/chain.rlp").map(readAndWrite)
    assert.strictEqual(read.length, 54)
    for (const [i, { block }] of read.entries()) {
      if (i > 0) assert.strictEqual(block.parentHash, read[i - 1]!.block.hash)
    }
    assert.strictEqual<unknown>(
      read.at(-1)!.block.hash,
      json("1-execution-apis/tests/headfcu.json").params[0].headBlockHash
    )
    let compared = 0
    for (const { answer } of [...exchanges("eth_getBlockByHash"), ...exchanges("eth_getBlockByNumber")]) {
      const theirs: any = answer.result
      const ours = read.find(({ block }) => block.hash === theirs?.hash)
      if (theirs == null || ours === undefined) continue
      const mine = trimmed(encodeBlock(ours.block))
      if (typeof theirs.transactions[0] === "string") {
        mine.transactions = mine.transactions.map((transaction: any) => transaction.hash)
      }
      assert.deepStrictEqual(mine, theirs)
      compared++
    }
    assert.isAbove(compared, 5)
  })

  it("receipts as geth encodes them are read and written, and make the block's root", () => {
    const blocks = blocksIn("1-execution-apis/tests/chain.rlp")
    const [raw] = exchanges("debug_getRawReceipts")
    const { block } = readAndWrite(blocks[Number(raw!.request.params?.[0]) - 1]!)
    const encoded = Schema.decodeUnknownSync(Schema.Array(Hex.Hex))(raw!.answer.result).map(Hex.toBytesUnsafe)
    const receipts = Result.getOrThrow(BlockRlp.decodeReceipts(encoded, block))
    assert.deepStrictEqual(receipts.map(BlockRlp.encodeReceipt), encoded)
    assert.strictEqual<string>(Hex.fromBytes(Trie.rootOfList(encoded)), block.receiptsRoot)
  })

  it("receipts that geth answers with are written to the block's root, and read from there", () => {
    const blocks = blocksIn("1-execution-apis/tests/chain.rlp").map(readAndWrite)
    let compared = 0
    for (const { answer } of exchanges("eth_getBlockReceipts")) {
      const theirs = Schema.decodeUnknownSync(EthMethods.eth_getBlockReceipts.result)(answer.result)
      const found = blocks.find(({ block }) => block.hash === theirs?.[0]?.blockHash)
      if (theirs === null || found === undefined) continue
      const encoded = theirs.map(BlockRlp.encodeReceipt)
      assert.strictEqual<string>(Hex.fromBytes(Trie.rootOfList(encoded)), found.block.receiptsRoot)
      const ours = Result.getOrThrow(BlockRlp.decodeReceipts(encoded, found.block))
      // the price of blob gas follows from the schedule of the fork, not from the block
      const without = (answer.result as ReadonlyArray<any>).map((receipt) => {
        const { blobGasPrice: _, ...rest } = receipt
        return rest
      })
      assert.deepStrictEqual<unknown>(encodeReceipts(ours), without)
      compared++
    }
    assert.isAbove(compared, 1)
  })

  it("the valid blocks of ethereum/tests are read, with their hashes and senders, and written", () => {
    let count = 0
    for (const file of files("2-ethereum-tests/BlockchainTests/{ValidBlocks,TransitionTests}/**/*.json")) {
      for (const test of Object.values<any>(json(file))) {
        for (const one of test.blocks) {
          // some blocks of these tests are meant to be refused
          if (one.expectException !== undefined || one.blockHeader === undefined) continue
          const { block, uncles } = readAndWrite(Hex.toBytesUnsafe(one.rlp))
          assert.strictEqual(block.hash, one.blockHeader.hash, file)
          assert.strictEqual(uncles.length, one.uncleHeaders.length)
          for (const [i, uncle] of uncles.entries()) assert.strictEqual(uncle.hash, one.uncleHeaders[i].hash)
          for (const [i, transaction] of block.transactions.entries()) {
            const { sender } = one.transactions[i]
            if (sender !== undefined) assert.strictEqual(transaction["from"], sender)
          }
          count++
        }
      }
    }
    assert.isAbove(count, 100)
  })

  it("no invalid block of ethereum/tests makes it throw; those that it reads, it writes again", () => {
    let read = 0
    let refused = 0
    for (const file of files("2-ethereum-tests/BlockchainTests/InvalidBlocks/**/*.json")) {
      for (const test of Object.values<any>(json(file))) {
        for (const { rlp } of test.blocks) {
          const bytes = Hex.toBytesUnsafe(rlp)
          const whole = BlockRlp.decode(bytes)
          if (Result.isFailure(whole)) refused++
          else {
            assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode(whole.success)), bytes)
            read++
          }
        }
      }
    }
    assert.isAbove(read, 50)
    assert.isAbove(refused, 0)
  })

  it("mainnet's first thousand blocks are read and written, a chain with uncles", () => {
    const read = blocksIn("3-mainnet/besu/1000.blocks").map(readAndWrite)
    const chain = read[0]!.block.number === 0n ? read.slice(1) : read
    assert.strictEqual<unknown>(
      chain[0]!.block.hash,
      "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6"
    )
    let uncles = 0
    for (const [i, { block }] of chain.entries()) {
      if (i > 0) assert.strictEqual(block.parentHash, chain[i - 1]!.block.hash)
      uncles += block.uncles!.length
    }
    assert.isAbove(uncles, 100)
  })

  it("blocks of later times are read and written", () => {
    const later = files("3-mainnet/besu/blocks/*.blocks").flatMap(blocksIn)
    for (const rlp of later) readAndWrite(rlp)
    assert.isAtLeast(later.length, 5)
  })
})
