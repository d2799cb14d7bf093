/** Compares the prices of the next block with ethereumjs, for headers that the chain does not have. */
import { assert, it } from "@effect/vitest"
import { createBlockHeader } from "@ethereumjs/block"
import { Hardfork } from "@ethereumjs/common"
import { Hash32 } from "@plumbline/codec"
import { BaseFee, type Block } from "@plumbline/eth-methods"
import * as Random from "@plumbline/seeded/Random"

import { rules } from "../../scripts/history/rules.ts"
import { nextBlobBaseFee } from "../../src/history/blobGas.ts"
import "../support/shared.ts"

const RUNS = Random.runs(500)

it("are those that ethereumjs computes, below the targets, above, and where blobs are cheaper than gas (EIP-7918)", () => {
  const common = rules(Hardfork.Osaka)
  let state = 0x706c756d
  const below = (n: number): bigint => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    return BigInt(Math.floor(((state >>> 0) / 2 ** 32) * n))
  }
  const rises = { blobs: 0, gas: 0 }
  for (let i = 0; i < RUNS; i++) {
    const gasLimit = 5000n + below(60_000_000)
    const data = {
      gasLimit,
      gasUsed: i % 5 === 0 ? gasLimit / 2n + (below(3) - 1n) : below(Number(gasLimit) + 1),
      baseFeePerGas: below(i % 2 === 0 ? 100 : 100_000_000_000),
      blobGasUsed: below(10) * 131_072n,
      excessBlobGas: below(i % 3 === 0 ? 2_000_000 : 100_000_000)
    }
    const header = createBlockHeader({ ...data, number: 70, difficulty: 0 }, { common })
    const ours = { ...data, requestsHash: Hash32.ZERO } as Block.Header
    assert.strictEqual(BaseFee.next(ours), header.calcNextBaseFee())
    assert.strictEqual(nextBlobBaseFee(ours), header.calcNextBlobGasPrice(common))
    if (header.calcNextBlobGasPrice(common) > header.getBlobGasPrice()) rises.blobs++
    if (header.calcNextBaseFee() > data.baseFeePerGas) rises.gas++
  }
  assert.isAbove(rises.blobs, RUNS / 10)
  assert.isAbove(rises.gas, RUNS / 10)
})
