/**
 * Computes the price of blob gas from the header of a block alone.
 *
 * Sources: EIP-4844, EIP-7691 and EIP-7918.
 */
import type * as Block from "@plumbline/eth-methods/model/Block"

/** Returns the wei per unit of blob gas in a block; undefined before Cancun. */
export const blobBaseFee = ({ excessBlobGas, requestsHash }: Block.Header): bigint | undefined =>
  excessBlobGas === undefined
    ? undefined
    : fakeExponential(excessBlobGas, requestsHash === undefined ? CANCUN_UPDATE_FRACTION : PRAGUE_UPDATE_FRACTION)

const CANCUN_UPDATE_FRACTION = 3_338_477n
const PRAGUE_UPDATE_FRACTION = 5_007_716n

/** Returns e to the power of a fraction, as EIP-4844 computes it. */
const fakeExponential = (numerator: bigint, denominator: bigint): bigint => {
  let output = 0n
  let term = denominator
  for (let i = 1n; term > 0n; i++) {
    output += term
    term = (term * numerator) / (denominator * i)
  }
  return output / denominator
}

/**
 * Returns the wei per unit of blob gas in the next block after the block with this header. The header must be of Osaka.
 */
export const nextBlobBaseFee = (header: Block.Header): bigint => {
  const used = header.blobGasUsed!
  const excess = header.excessBlobGas! + used
  const target = TARGET_BLOBS * BLOB_GAS
  const blobsAreCheap = BLOB_BASE_COST * header.baseFeePerGas! > BLOB_GAS * blobBaseFee(header)!
  const next =
    excess < target
      ? 0n
      : blobsAreCheap
        ? // EIP-7918: while a blob's execution costs more than its blob gas, the excess cannot fall
          header.excessBlobGas! + (used * (MAX_BLOBS - TARGET_BLOBS)) / MAX_BLOBS
        : excess - target
  return fakeExponential(next, PRAGUE_UPDATE_FRACTION)
}

const BLOB_GAS = 131_072n
const BLOB_BASE_COST = 8192n
/** The target number of blobs since Prague (EIP-7691). */
const TARGET_BLOBS = 6n
const MAX_BLOBS = 9n

/** Returns the maximum blob gas of a block. In Cancun, it is the gas of six blobs. */
export const maxBlobGas = ({ requestsHash }: Block.Header): bigint =>
  BLOB_GAS * (requestsHash === undefined ? 6n : MAX_BLOBS)
