/** BlockchainTests: blocks from Frontier to Cancun. Most of them are valid, and some are invalid on purpose. */
import { assert, it } from "@effect/vitest"
import { Hash32, Hex } from "@plumbline/codec"
import { type Block, BlockRlp } from "@plumbline/eth-methods"
import { Result } from "effect"

import { files, json, once } from "../support/fixtures.ts"
import { nodeOf, proveParent, proveWhole } from "../support/prove.ts"
import * as State from "../support/state.ts"
import type { Tally } from "../support/tally.ts"
import { invalidBlocks } from "./invalidBlocks.ts"

interface One {
  readonly rlp: string
  readonly expectException?: string
  readonly blockHeader?: { readonly hash: string }
  readonly uncleHeaders?: ReadonlyArray<{ readonly hash: string }>
  readonly transactions?: ReadonlyArray<{ readonly sender?: string }>
}

interface Test {
  readonly blocks: ReadonlyArray<One>
  readonly genesisRLP: string
  readonly genesisBlockHeader: { readonly hash: string }
  readonly lastblockhash: string
  readonly pre: Readonly<Record<string, State.Account>>
  readonly postState?: Readonly<Record<string, State.Account>>
}

const all = once((): ReadonlyArray<Test & { readonly chain: ReadonlyArray<Block.WithTransactions> }> =>
  files("2-ethereum-tests/BlockchainTests/**/*.json")
    .flatMap((file) => Object.values<Test>(json(file)))
    .map((test) => ({ ...test, chain: accepted(test) }))
)

const read = (rlp: string): Result.Result<BlockRlp.WholeBlock, { readonly path: string }> =>
  BlockRlp.decode(Hex.toBytesUnsafe(rlp))

/** Returns the blocks that the test accepts, starting with its genesis. */
const accepted = ({ blocks, genesisRLP }: Test): ReadonlyArray<Block.WithTransactions> =>
  [genesisRLP, ...blocks.filter((one) => one.expectException === undefined).map((one) => one.rlp)].map(
    (rlp) => Result.getOrThrow(read(rlp)).block
  )

/**
 * Returns the name of the check that refutes a block: a check of its bytes, of the roots in its header, or of its
 * parent.
 */
const refutationOf = (rlp: string, chain: ReadonlyArray<Block.WithTransactions>): string | undefined => {
  const whole = read(rlp)
  if (Result.isFailure(whole)) return `bytes: ${whole.failure.path}`
  const proven = proveWhole(whole.success)
  if (Result.isFailure(proven)) return proven.failure.check
  const parent = proveParent(proven.success, nodeOf(chain))
  return Result.isFailure(parent) ? parent.failure.check : undefined
}

export const blocks = (tally: Tally): void => {
  it("every valid block verifies from the hash that the test names, with its uncles, transactions, senders and parent", () => {
    const blocks = tally.count("valid blocks")
    const uncleCount = tally.count("uncles of valid blocks")
    const transactions = tally.count("transactions of valid blocks")
    for (const test of all()) {
      for (const one of test.blocks) {
        if (one.expectException !== undefined) continue
        const bytes = Hex.toBytesUnsafe(one.rlp)
        const whole = Result.getOrThrow(read(one.rlp))
        assert.deepStrictEqual(Result.getOrThrow(BlockRlp.encode(whole)), bytes)
        assert.strictEqual<unknown>(whole.block.hash, one.blockHeader!.hash)
        const proven = Result.getOrThrow(proveWhole(whole))
        Result.getOrThrow(proveParent(proven, nodeOf(test.chain)))
        blocks.verified()
        assert.strictEqual(whole.uncles.length, one.uncleHeaders!.length)
        for (const [i, uncle] of whole.uncles.entries()) {
          assert.strictEqual<unknown>(uncle.hash, one.uncleHeaders![i]!.hash)
          uncleCount.verified()
        }
        for (const [i, transaction] of whole.block.transactions.entries()) {
          const { sender } = one.transactions![i]!
          if (sender !== undefined) assert.strictEqual(transaction["from"], sender)
          transactions.verified()
        }
      }
    }
    blocks.expect({ verified: 365 })
    uncleCount.expect({ verified: 10 })
    transactions.expect({ verified: 362 })
  })

  it("every genesis and every last block proves the accounts that the test writes down for it, slot by slot", () => {
    const genesis = tally.count("genesis blocks")
    const before = tally.count("accounts before the first block, with slots and code")
    const after = tally.count("accounts after the last block, with slots and code")
    for (const test of all()) {
      const [first, ...rest] = test.chain
      assert.strictEqual<unknown>(first!.hash, test.genesisBlockHeader.hash)
      const proven = Result.getOrThrow(proveWhole({ block: first!, uncles: [] }))
      genesis.verified()
      const pre = State.make(test.pre)
      assert.strictEqual(pre.root, first!.stateRoot)
      for (let i = State.proveAll(pre, proven); i > 0; i--) before.verified()
      if (test.postState === undefined) continue
      const last = [first!, ...rest].find((block) => block.hash === Hash32.fromHexUnsafe(test.lastblockhash))!
      const uncles = Result.getOrThrow(
        read(test.blocks.find((one) => one.blockHeader?.hash === test.lastblockhash)?.rlp ?? test.genesisRLP)
      ).uncles
      const post = State.make(test.postState)
      assert.strictEqual(post.root, last.stateRoot)
      const provenLast = Result.getOrThrow(proveWhole({ block: last, uncles }))
      for (let i = State.proveAll(post, provenLast); i > 0; i--) after.verified()
    }
    genesis.expect({ verified: 165 })
    before.expect({ verified: 714 })
    after.expect({ verified: 677 })
  })

  it("every invalid block is refuted where bytes, roots, receipts of none and parents show it; the rest are rules of consensus", () => {
    const counters = new Map(Object.keys(invalidBlocks).map((kind) => [kind, tally.count(`invalid blocks: ${kind}`)]))
    for (const test of all()) {
      for (const { expectException, rlp } of test.blocks) {
        if (expectException === undefined) continue
        const kind = expectException.replaceAll(/(?:Block|Transaction)Exception\./gu, "").replaceAll("|", " or ")
        const counter = counters.get(kind) ?? assert.fail(`an invalid block of an unknown kind: ${kind}`)
        const check = refutationOf(rlp, test.chain)
        if (check !== undefined) counter.refuted(check)
        else counter.outside(invalidBlocks[kind]!.outside?.[0] ?? "not refuted")
      }
    }
    for (const [kind, counter] of counters) {
      const { outside, refuted = {} } = invalidBlocks[kind]!
      counter.expect({ refuted, ...(outside === undefined ? {} : { outside: { [outside[0]]: outside[1] } }) })
    }
  })
}
