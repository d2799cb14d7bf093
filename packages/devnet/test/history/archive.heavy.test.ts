/** Checks the committed archive without our code: ethereumjs executes it again, viem resolves its states. */
import { assert, describe, it } from "@effect/vitest"
import { EthashConsensus, createBlockchain } from "@ethereumjs/blockchain"
import { createMPT } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { MerkleStateManager } from "@ethereumjs/statemanager"
import { createVM, runBlock } from "@ethereumjs/vm"
import { bytesToHex, type Hex, keccak256, toHex } from "viem"

import { story } from "../../scripts/history/historyStory.ts"
import { rules } from "../../scripts/history/rules.ts"
import { HistoryChain } from "../../src/index.ts"
import {
  accountsAt,
  archive,
  blocks,
  codes,
  EMPTY_ROOT,
  NO_CODE,
  nodes,
  receiptsOf,
  slotsOf
} from "../support/history.ts"
import "../support/shared.ts"

describe("the archive of the history chain", () => {
  it("is executed anew by ethereumjs, from the genesis to the head, with every rule of every fork", async () => {
    const genesisState = Object.fromEntries(
      story().genesis.map(({ address, balance, code, nonce, storage }) => [
        address,
        [toHex(balance), code, storage.map(([key, value]) => [key, value] as [Hex, Hex]), toHex(nonce)] as [
          Hex,
          Hex,
          Array<[Hex, Hex]>,
          Hex
        ]
      ])
    )
    const common = rules()
    const stateManager = new MerkleStateManager({ trie: await createMPT({ useKeyHashing: true }), common })
    await stateManager.generateCanonicalGenesis(genesisState)
    const blockchain = await createBlockchain({
      common,
      genesisState,
      hardforkByHeadBlockNumber: true,
      validateBlocks: true,
      consensusDict: { ethash: new EthashConsensus({ verifyPOW: async () => true }) }
    })
    const vm = await createVM({ common: common.copy(), blockchain, stateManager, setHardfork: true })
    assert.strictEqual(bytesToHex(blockchain.genesisBlock.hash()), HistoryChain.blocks[0]!.hash)
    for (const [i, block] of blocks.slice(1).entries()) {
      // ethereumjs compares headers, gas, roots, bloom filters and requests with the block
      const root = blocks[i]!.header.stateRoot
      const { results } = await runBlock(vm, { block, root, skipHeaderValidation: true })
      await blockchain.putBlock(block)
      const { transactions } = HistoryChain.blocks[i + 1]!
      assert.deepStrictEqual(
        results.map(({ execResult }) => execResult.exceptionError === undefined),
        transactions.map(({ success }) => success)
      )
    }
    assert.strictEqual(bytesToHex((await blockchain.getCanonicalHeadBlock()).hash()), HistoryChain.head.hash)
    let total = 0n
    for (const block of blocks) total += block.header.difficulty
    assert.strictEqual(await blockchain.getTotalDifficulty(blocks.at(-1)!.hash()), total)
  })

  it("has the blocks that were recorded, with their uncles and transactions, in one chain", () => {
    assert.strictEqual(blocks.length, HistoryChain.blocks.length)
    for (const [number, block] of blocks.entries()) {
      const recorded = HistoryChain.blocks[number]!
      assert.strictEqual(recorded.number, number)
      assert.strictEqual(bytesToHex(block.hash()), recorded.hash)
      assert.strictEqual(block.header.number, BigInt(number))
      assert.strictEqual(Number(block.header.timestamp), recorded.timestamp)
      assert.deepStrictEqual(block.serialize(), archive.encodedBlocks[number])
      if (number > 0) assert.deepStrictEqual(block.header.parentHash, blocks[number - 1]!.hash())
      assert.deepStrictEqual(
        block.uncleHeaders.map((uncle) => bytesToHex(uncle.hash())),
        recorded.uncles
      )
      assert.deepStrictEqual(
        block.transactions.map((transaction) => [bytesToHex(transaction.hash()), toHex(transaction.type)]),
        recorded.transactions.map(({ hash, type }) => [hash, type])
      )
      assert.deepStrictEqual(
        block.transactions.map((transaction) => transaction.getSenderAddress().bytes),
        archive.senders[number]
      )
    }
  })

  it("has the receipts that the headers name", async () => {
    for (const [number, { header }] of blocks.entries()) {
      const trie = await createMPT()
      for (const [i, receipt] of receiptsOf(number).entries()) await trie.put(RLP.encode(i), receipt)
      assert.strictEqual(bytesToHex(trie.root()), bytesToHex(header.receiptTrie), `block ${number}`)
    }
  })

  it("has every trie node and code of every state, and no other", () => {
    const used = new Set<Hex>()
    const visit = (node: Hex): void => {
      used.add(node)
    }
    const usedCodes = new Set<Hex>()
    for (const number of blocks.keys()) {
      for (const account of accountsAt(number, visit).values()) {
        if (account.storageRoot !== EMPTY_ROOT) slotsOf(account, visit)
        if (account.codeHash !== NO_CODE) usedCodes.add(account.codeHash)
      }
    }
    assert.deepStrictEqual(used, new Set(nodes.keys()))
    assert.deepStrictEqual(usedCodes, new Set(codes.keys()))
    assert.strictEqual(archive.nodes.length, nodes.size)
    assert.strictEqual(archive.codes.length, codes.size)
  })

  it("has what it was made for", () => {
    const { forks } = HistoryChain
    assert.strictEqual(forks.length, 18)
    for (const [i, { block, name }] of forks.entries()) {
      const last = (forks[i + 1]?.block ?? blocks.length) - 1
      assert.isAtLeast(last, block)
      for (let n = block; n <= last; n++) assert.strictEqual(HistoryChain.blocks[n]!.fork, name)
    }
    for (const type of ["0x0", "0x1", "0x2", "0x3", "0x4"] as const) {
      assert.isAtLeast(HistoryChain.transactions(type).length, 3, type)
    }
    assert.strictEqual(blocks.flatMap((block) => block.transactions).length, 203)
    const counts = blocks.map((block) => block.uncleHeaders.length)
    assert.strictEqual(
      counts.reduce((sum, count) => sum + count, 0),
      22
    )
    assert.isAtLeast(counts.filter((count) => count === 1).length, 8)
    assert.isAtLeast(counts.filter((count) => count === 2).length, 5)
    assert.isTrue(blocks.some((block) => block.uncleHeaders.some((uncle) => uncle.baseFeePerGas !== undefined)))
    assert.isTrue(blocks.some((block) => block.transactions.length > 128))
    assert.isAtLeast(blocks.filter((block) => block.transactions.length === 0).length, 8)
    assert.isAtLeast(blocks.filter((block) => (block.withdrawals?.length ?? 0) > 0).length, 4)
    const legacy = blocks.flatMap((block) => block.transactions.filter((transaction) => transaction.type === 0))
    assert.isTrue(legacy.some((transaction) => transaction.v! > 28n))
    assert.isTrue(legacy.some((transaction) => transaction.v! <= 28n))
    const half = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n
    assert.strictEqual(legacy.filter((transaction) => transaction.s! > half).length, 1)
    assert.deepStrictEqual(
      HistoryChain.withUncles.map((block) => block.number),
      [...blocks.keys()].filter((number) => counts[number]! > 0)
    )
    const emptyRequests = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    const requests = blocks.filter(
      ({ header }) => header.requestsHash !== undefined && bytesToHex(header.requestsHash) !== emptyRequests
    )
    assert.strictEqual(requests.length, 1)
  })

  it("lets no uncle be of another fork than the block that names it", () => {
    for (const block of HistoryChain.withUncles) {
      for (const uncle of blocks[block.number]!.uncleHeaders) {
        assert.strictEqual(HistoryChain.blocks[Number(uncle.number)]!.fork, block.fork)
        assert.strictEqual(keccak256(RLP.encode(uncle.raw())), bytesToHex(uncle.hash()))
      }
    }
  })
})
