/** Blocks in RLP: mainnet's first thousand, some of later times, and Besu's two test chains. */
import { assert, it } from "@effect/vitest"
import { type Block, BlockRlp } from "@plumbline/eth-methods"
import { Result } from "effect"

import { files, json } from "../support/fixtures.ts"
import { blocksIn, nodeOf, proveParent, proveWhole } from "../support/prove.ts"
import * as State from "../support/state.ts"
import type { Tally } from "../support/tally.ts"

/** Reads a block and writes it again. */
export const readAndWrite = (rlp: Uint8Array): BlockRlp.WholeBlock => {
  const read = Result.getOrThrow(BlockRlp.decode(rlp))
  assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode(read)), rlp)
  return read
}

const FIRST = "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6"

export const rlpBlocks = (tally: Tally): void => {
  it("blocks in RLP verify, with uncles, transactions and senders, and each chain by its parents", () => {
    const sets = [
      ["besu: mainnet's first thousand blocks", "3-mainnet/besu/1000.blocks", true],
      ["besu: later blocks of mainnet", "3-mainnet/besu/blocks/*.blocks", false],
      ["besu: chain of hive", "3-mainnet/besu/chain-hive/*.blocks", true],
      ["besu: chain of its tests", "3-mainnet/besu/chain-test/*.blocks", true]
    ] as const
    const found = sets.map(([name, pattern, linked]) => {
      const blocks = tally.count(name)
      const uncles = tally.count(`${name}: uncles`)
      const transactions = tally.count(`${name}: transactions`)
      const wholes = files(pattern).flatMap(blocksIn).map(readAndWrite)
      const node = nodeOf(wholes.map(({ block }) => block))
      for (const [i, whole] of wholes.entries()) {
        const proven = Result.getOrThrow(proveWhole(whole))
        if (linked && i > 0) Result.getOrThrow(proveParent(proven, node))
        blocks.verified()
        for (const _ of whole.uncles) uncles.verified()
        for (const _ of whole.block.transactions) transactions.verified()
      }
      return { blocks, uncles, transactions, wholes }
    })
    const first = found[0]!.wholes.find(({ block }) => block.number === 1n)!
    assert.strictEqual<unknown>(first.block.hash, FIRST)
    const expected = [
      [1000, 293, 0],
      [5, 0, 189],
      [35, 2, 34],
      [33, 2, 32]
    ]
    assert.strictEqual(expected.length, found.length)
    for (const [i, { blocks, transactions, uncles }] of found.entries()) {
      blocks.expect({ verified: expected[i]![0]! })
      uncles.expect({ verified: expected[i]![1]! })
      transactions.expect({ verified: expected[i]![2]! })
    }
  })
}

/** Checks the genesis blocks of Besu's chains, whose genesis files list their states. */
export const besuGenesis = (tally: Tally): void => {
  it("the genesis blocks of Besu's chains prove the accounts of their genesis files", () => {
    const accounts = tally.count("besu: accounts of the two genesis states, with slots and code")
    for (const chain of ["chain-hive/", "chain-test/"]) {
      const [first] = files(`3-mainnet/besu/${chain}*.blocks`).flatMap(blocksIn)
      const genesis = readAndWrite(first!)
      assert.strictEqual(genesis.block.number, 0n)
      const state = State.make(json(`3-mainnet/besu/${chain}testGenesis.json`).alloc)
      assert.strictEqual(state.root, genesis.block.stateRoot)
      for (let i = State.proveAll(state, Result.getOrThrow(proveWhole(genesis))); i > 0; i--) accounts.verified()
    }
    accounts.expect({ verified: 2 })
  })
}

/** Returns the header of mainnet's block 1. This block follows the rules of Frontier, and has an empty body. */
export const firstHeader = (): Block.Header => readAndWrite(blocksIn("3-mainnet/besu/blocks/block_1.blocks")[0]!).block
