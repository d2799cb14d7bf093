import { assert } from "@effect/vitest"
import { HistoryChain } from "@plumbline/devnet"
import { type Hex, keccak256 } from "viem"

import * as Ask from "../../src/ask.ts"
import { unsealedBlock } from "../../src/nodes.ts"
import type { Target } from "../../src/target.ts"
import * as Ethereum from "../support/ethereum.ts"
import * as Forms from "../support/forms.ts"
import { section } from "../support/section.ts"

/** Reads the pending block. */
const inTheMaking = (target: Target) => Ask.result(target, "unsealed", "eth_getBlockByNumber", ["pending", true])

/**
 * Checks a field of every block, from Frontier to Osaka. Before each check, the hash of the block is computed from its
 * fields, and must be right.
 */
const ofEvery =
  (look: (block: Ethereum.Block, index: number, target: Target) => void | Promise<void>) =>
  async (target: Target): Promise<void> => {
    const blocks = await Ethereum.blocks(target)
    assert.strictEqual(blocks.length, HistoryChain.blocks.length)
    for (const [index, block] of blocks.entries()) {
      assert.strictEqual(Ethereum.hashOf(block), HistoryChain.blocks[index]!.hash)
      await look(block, index, target)
    }
  }

section("Block object (result of eth_getBlockByHash)", {
  "The result is a block object, or null when no block matches.": async (target) => {
    const { hash } = HistoryChain.head
    const read = (hash: string) => Ask.result(target, "history", "eth_getBlockByHash", [hash, false])
    assert.strictEqual((await read(hash)).hash, hash)
    assert.isNull(await read(keccak256(hash)))
  },
  "difficulty: hex quantity; difficulty of this block": ofEvery((block) => {
    Forms.isQuantity(block["difficulty"])
    const changed = { ...block, difficulty: Ethereum.quantity(BigInt(block["difficulty"]) + 1n) }
    assert.notStrictEqual(Ethereum.hashOf(changed), block.hash)
  }),
  "extraData: hex data; extra data field of the block": ofEvery((block, index) => {
    Forms.isData(block["extraData"])
    if (index === 0) assert.strictEqual(Buffer.from(block["extraData"].slice(2), "hex").toString(), "plumbline history")
  }),
  "gasLimit: hex quantity; maximum gas allowed in the block": ofEvery((block) => {
    Forms.isQuantity(block["gasLimit"])
    assert.isTrue(BigInt(block["gasLimit"]) >= BigInt(block["gasUsed"]))
  }),
  "gasUsed: hex quantity; total gas used by all transactions in the block": ofEvery(async (block, index, target) => {
    Forms.isQuantity(block["gasUsed"])
    const used = (await Ethereum.receipts(target))[index]!.map(({ gasUsed }) => BigInt(gasUsed))
    assert.strictEqual(
      BigInt(block["gasUsed"]),
      used.reduce((sum, gas) => sum + gas, 0n)
    )
  }),
  "hash: 32-byte hex; null when the block is the pending block": async (target) => {
    await ofEvery((block, index) => assert.strictEqual(block.hash, HistoryChain.blocks[index]!.hash))(target)
    assert.isNull((await inTheMaking(target)).hash)
  },
  "logsBloom: 256-byte hex; bloom filter for the logs of the block; null when pending": async (target) => {
    await ofEvery(async (block, index) => {
      Forms.isBytes(256, block["logsBloom"])
      const logs = (await Ethereum.receipts(target))[index]!.flatMap((receipt) => receipt.logs)
      assert.strictEqual(block["logsBloom"], Ethereum.bloomOf(logs))
    })(target)
    assert.isNull((await inTheMaking(target)).logsBloom)
  },
  "miner: 20-byte hex address; beneficiary of the mining rewards": ofEvery(async (block, index, target) => {
    Forms.isBytes(20, block["miner"])
    if (index === 0 || block["difficulty"] === "0x0") return
    const balance = (at: number) =>
      Ask.result(target, "history", "eth_getBalance", [block["miner"], Ethereum.quantity(at)]).then(BigInt)
    // The balance grows by at least the reward of Constantinople, which is the smallest of all forks.
    assert.isTrue((await balance(index)) - (await balance(index - 1)) >= 2n * 10n ** 18n, `block ${index}`)
  }),
  "mixHash: 32-byte hex; present in returned blocks; no description given": ofEvery((block) =>
    Forms.isBytes(32, block["mixHash"])
  ),
  "nonce: 8-byte hex; hash of the generated proof-of-work; null when pending": async (target) => {
    await ofEvery((block) => Forms.isBytes(8, block["nonce"]))(target)
    assert.isNull((await inTheMaking(target)).nonce)
  },
  "number: hex quantity; block number; null when pending": async (target) => {
    await ofEvery((block, index) => assert.strictEqual(block.number, Ethereum.quantity(index)))(target)
    assert.isNull((await inTheMaking(target)).number)
  },
  "parentHash: 32-byte hex; hash of the parent block": ofEvery((block, index) => {
    const parent = index === 0 ? `0x${"00".repeat(32)}` : HistoryChain.blocks[index - 1]!.hash
    assert.strictEqual(block["parentHash"], parent)
  }),
  "receiptsRoot: 32-byte hex; root of the receipts trie": ofEvery(async (block, index, target) => {
    const receipts = (await Ethereum.receipts(target))[index]!
    assert.strictEqual(block["receiptsRoot"], await Ethereum.rootOf(receipts.map(Ethereum.encodedReceipt)))
  }),
  "sha3Uncles: 32-byte hex; SHA3 of the uncles data": ofEvery(async (block, index, target) => {
    const uncles = (await Ethereum.uncles(target))[index]!
    assert.strictEqual(block["sha3Uncles"], keccak256(Ethereum.encodedUncles(uncles)))
  }),
  "size: hex quantity; size of the block in bytes": ofEvery(async (block, index, target) => {
    const uncles = (await Ethereum.uncles(target))[index]!
    assert.strictEqual(block["size"], Ethereum.quantity(Ethereum.sizeOf(block, uncles)), `block ${index}`)
  }),
  "stateRoot: 32-byte hex; root of the final state trie": ofEvery(async (block, _, target) => {
    const params = [HistoryChain.contracts.elder.address, [], block.number]
    const { accountProof } = await Ask.result(target, "history", "eth_getProof", params)
    assert.strictEqual(keccak256(accountProof[0] as Hex), block["stateRoot"])
  }),
  "timestamp: hex quantity; Unix timestamp of when the block was collated": ofEvery((block, index) =>
    assert.strictEqual(block["timestamp"], Ethereum.quantity(HistoryChain.blocks[index]!.timestamp))
  ),
  "totalDifficulty: hex quantity; total difficulty of the chain until this block": async (target) => {
    let total = 0n
    for (const block of await Ethereum.blocks(target)) {
      total += BigInt(block["difficulty"])
      assert.strictEqual(block["totalDifficulty"], Ethereum.quantity(total))
    }
  },
  "transactions: array; full transaction objects when the transaction details flag is true, 32-byte transaction hashes when false":
    ofEvery(async (block, index, target) => {
      const hashes = HistoryChain.blocks[index]!.transactions.map(({ hash }) => hash)
      assert.deepStrictEqual(
        block.transactions.map((transaction) => Ethereum.signed(transaction).hash),
        hashes
      )
      const { transactions } = await Ask.result(target, "history", "eth_getBlockByHash", [block.hash, false])
      assert.deepStrictEqual(transactions, hashes)
    }),
  "transactionsRoot: 32-byte hex; root of the transaction trie (described in the field list of the uncle result; also part of the block shape)":
    ofEvery(async (block) => {
      const encoded = block.transactions.map((transaction) => Ethereum.signed(transaction).serialized)
      assert.strictEqual(block["transactionsRoot"], await Ethereum.rootOf(encoded))
    }),
  "uncles: array of hashes; uncle hashes": ofEvery(async (block, index, target) => {
    assert.deepStrictEqual(block.uncles, HistoryChain.blocks[index]!.uncles)
    assert.deepStrictEqual((await Ethereum.uncles(target))[index]!.map(Ethereum.hashOf), [...block.uncles])
    if (index === 0) assert.deepStrictEqual((await inTheMaking(target)).uncles, unsealedBlock.uncles)
  })
})
