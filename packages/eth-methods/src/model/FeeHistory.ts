/**
 * The answer of eth_feeHistory: fees of a range of blocks.
 *
 * Source: execution-apis (eth/fee_market.yaml).
 */
import * as Wire from "./wire.ts"

const fees = Wire.array(Wire.quantity)
const ratios = Wire.array(Wire.number)

const feeHistory = Wire.object("FeeHistory", {
  /** The first block of the range. The range may be shorter than requested. */
  oldestBlock: Wire.count,
  /** Wei per unit of gas for each block and for the block after the last; 0 before London. */
  baseFeePerGas: fees,
  /** The gas used by each block, as a fraction of its gas limit. */
  gasUsedRatio: ratios,
  /** Tips of each block at the requested percentiles, in wei per unit of gas. */
  reward: Wire.optional(Wire.nullOr(Wire.array(fees))),
  /** Wei per unit of blob gas for each block and for the block after the last; only from nodes since Cancun. */
  baseFeePerBlobGas: Wire.optional(Wire.nullOr(fees)),
  blobGasUsedRatio: Wire.optional(Wire.nullOr(ratios))
})
/** Fees of a range of blocks, oldest first. */
export const FeeHistory = feeHistory.schema
/** See the Schema of the same name. */
export type FeeHistory = typeof FeeHistory.Type
