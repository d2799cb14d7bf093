/**
 * What gas cost on the history chain, and what a node would advise to pay.
 *
 * Sources: EIP-1559 and EIP-4844 for the prices; geth's `eth/gasprice` for the advice.
 */
import type * as Block from "@plumbline/eth-methods/Block"
import type * as FeeHistory from "@plumbline/eth-methods/FeeHistory"

import type { Archive, Stored } from "./historyArchive.ts"

/** Wei per unit of blob gas in a block; undefined before Cancun. */
export const blobBaseFee = ({ excessBlobGas, requestsHash }: Block.Header): bigint | undefined =>
  excessBlobGas === undefined
    ? undefined
    : fakeExponential(excessBlobGas, requestsHash === undefined ? CANCUN_UPDATE_FRACTION : PRAGUE_UPDATE_FRACTION)

const CANCUN_UPDATE_FRACTION = 3_338_477n
const PRAGUE_UPDATE_FRACTION = 5_007_716n

/** e to the power of a fraction, as EIP-4844 computes it. */
const fakeExponential = (numerator: bigint, denominator: bigint): bigint => {
  let output = 0n
  let term = denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

/** Wei per unit of gas in the block after one with this header, which is of London or later (EIP-1559). */
export const nextBaseFee = ({ baseFeePerGas, gasLimit, gasUsed }: Block.Header): bigint => {
  const target = gasLimit / 2n
  const change = (baseFeePerGas! * (gasUsed - target)) / target / 8n
  return baseFeePerGas! + (gasUsed > target && change === 0n ? 1n : change)
}

/** Wei per unit of blob gas in the block after one with this header, which is of Osaka. */
export const nextBlobBaseFee = (header: Block.Header): bigint => {
  const used = header.blobGasUsed!
  const excess = header.excessBlobGas! + used
  const target = TARGET_BLOBS * BLOB_GAS
  const blobsAreCheap = BLOB_BASE_COST * header.baseFeePerGas! > BLOB_GAS * blobBaseFee(header)!
  const next =
    excess < target
      ? 0n
      : blobsAreCheap
        ? // EIP-7918: while execution costs more, the excess only grows
          header.excessBlobGas! + (used * (MAX_BLOBS - TARGET_BLOBS)) / MAX_BLOBS
        : excess - target
  return fakeExponential(next, PRAGUE_UPDATE_FRACTION)
}

const BLOB_GAS = 131_072n
const BLOB_BASE_COST = 8192n
/** Since Prague (EIP-7691). */
const TARGET_BLOBS = 6n
const MAX_BLOBS = 9n

/** The most blob gas of a block: in Cancun six blobs. */
const maxBlobGas = ({ requestsHash }: Block.Header): bigint => BLOB_GAS * (requestsHash === undefined ? 6n : MAX_BLOBS)

/** Of each transaction of a block: the wei per gas beyond the base fee, and the gas; the lowest tip first. */
const tipsOf = (block: Stored): ReadonlyArray<{ readonly tip: bigint; readonly gas: bigint }> =>
  block
    .receipts()
    .map((receipt) => ({
      tip: receipt.effectiveGasPrice! - (block.header.baseFeePerGas ?? 0n),
      gas: receipt.gasUsed
    }))
    .sort((a, b) => Number(a.tip - b.tip))

/** Tips at percentiles of the gas of a block. */
const rewards = (block: Stored, percentiles: ReadonlyArray<number>): ReadonlyArray<bigint> => {
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

/** Fees of `count` blocks up to `newest`; of fewer where there are no more. Without percentiles there are no rewards. */
export const history = (
  archive: Archive,
  count: number,
  newest: Stored,
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
      next === undefined ? nextBaseFee(newest.header) : (next.baseFeePerGas ?? 0n)
    ],
    gasUsedRatio: blocks.map(({ header }) => Number(header.gasUsed) / Number(header.gasLimit)),
    baseFeePerBlobGas: [
      ...blocks.map(({ header }) => blobBaseFee(header) ?? 0n),
      next === undefined ? nextBlobBaseFee(newest.header) : (blobBaseFee(next) ?? 0n)
    ],
    blobGasUsedRatio: blocks.map(({ header }) => Number(header.blobGasUsed ?? 0n) / Number(maxBlobGas(header))),
    ...(percentiles.length === 0 ? {} : { reward: blocks.map((block) => rewards(block, percentiles)) })
  }
}

/** A tip, much as geth advises one: of the three lowest of each of the last twenty blocks, the one at three fifths. */
export const tip = (archive: Archive): bigint => {
  const tips = archive.blocks
    .slice(-20)
    .flatMap((block) => tipsOf(block).slice(0, 3))
    .map((one) => one.tip)
    .sort((a, b) => Number(a - b))
  return tips[Math.floor(((tips.length - 1) * 60) / 100)]!
}
