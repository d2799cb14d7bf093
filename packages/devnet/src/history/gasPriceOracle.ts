/**
 * The fees of the history chain, and the tip that a node would suggest.
 *
 * Source: geth's `eth/gasprice`.
 */
import * as BaseFee from "@plumbline/eth-methods/model/BaseFee"
import type * as FeeHistory from "@plumbline/eth-methods/model/FeeHistory"

import * as BlobGas from "./blobGas.ts"
import type { HistoryArchive, StoredBlock } from "./historyArchive.ts"

/** Returns, for each transaction of a block, its gas and the wei per gas above the base fee; the lowest tip first. */
const tipsOf = (block: StoredBlock): ReadonlyArray<{ readonly tip: bigint; readonly gas: bigint }> =>
  block
    .receipts()
    .map((receipt) => ({
      tip: receipt.effectiveGasPrice! - (block.header.baseFeePerGas ?? 0n),
      gas: receipt.gasUsed
    }))
    .sort((a, b) => Number(a.tip - b.tip))

/** Returns the tip at each of these percentiles of a block's gas. */
const rewards = (block: StoredBlock, percentiles: ReadonlyArray<number>): ReadonlyArray<bigint> => {
  const tips = tipsOf(block)
  if (tips.length === 0) return percentiles.map(() => 0n)
  return percentiles.map((percentile) => {
    let rest = (Number(block.header.gasUsed) * percentile) / 100
    for (const { gas, tip } of tips) {
      rest -= Number(gas)
      if (rest <= 0) return tip
    }
    return tips.at(-1)!.tip
  })
}

/**
 * Returns the fees of `count` blocks up to `newest`, or of fewer if the chain is shorter. Without percentiles it
 * returns no rewards.
 */
export const history = (
  archive: HistoryArchive,
  count: number,
  newest: StoredBlock,
  percentiles: ReadonlyArray<number>
): FeeHistory.FeeHistory => {
  const end = Number(newest.number) + 1
  const blocks = archive.blocks.slice(Math.max(0, end - count), end)
  const oldest = blocks[0]
  const next = archive.blocks[end]?.header
  if (oldest === undefined) return { oldestBlock: 0n, gasUsedRatio: [], baseFeePerGas: [] }
  return {
    oldestBlock: oldest.number,
    baseFeePerGas: [
      ...blocks.map((block) => block.header.baseFeePerGas ?? 0n),
      next === undefined ? BaseFee.next(newest.header)! : (next.baseFeePerGas ?? 0n)
    ],
    gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
    baseFeePerBlobGas: [
      ...blocks.map(({ header }) => BlobGas.blobBaseFee(header) ?? 0n),
      next === undefined ? BlobGas.nextBlobBaseFee(newest.header) : (BlobGas.blobBaseFee(next) ?? 0n)
    ],
    blobGasUsedRatio: blocks.map(({ header }) => Number(header.blobGasUsed ?? 0n) / Number(BlobGas.maxBlobGas(header))),
    ...(percentiles.length === 0 ? {} : { reward: blocks.map((block) => rewards(block, percentiles)) })
  }
}

/**
 * Returns a tip, similar to geth's suggestion: the 60th percentile of the three lowest tips of each of the last twenty
 * blocks.
 */
export const tip = (archive: HistoryArchive): bigint => {
  const tips = archive.blocks
    .slice(-20)
    .flatMap((block) => tipsOf(block).slice(0, 3))
    .map((one) => one.tip)
    .sort((a, b) => Number(a - b))
  return tips[Math.floor(((tips.length - 1) * 60) / 100)]!
}
