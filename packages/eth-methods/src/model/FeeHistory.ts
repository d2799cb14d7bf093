/**
 * The answer of eth_feeHistory: fees of a range of blocks.
 *
 * Source: execution-apis (eth/fee_market.yaml).
 */
import * as Wire from "./wire.ts"

const fees = Wire.array(Wire.quantity)
const ratios = Wire.array(Wire.number)

const feeHistory = Wire.object("FeeHistory", {
  /** The first block of the range, which may be shorter than asked for. */
  oldestBlock: Wire.count,
  /** Wei per unit of gas, of each block and of the one after the last; 0 before London. */
  baseFeePerGas: fees,
  /** Gas used, of each block, as a part of its limit. */
  gasUsedRatio: ratios,
  /** Tips in wei per unit of gas, of each block, at the percentiles asked for. */
  reward: Wire.optional(Wire.nullOr(Wire.array(fees))),
  /** Wei per unit of blob gas, likewise; from nodes since Cancun. */
  baseFeePerBlobGas: Wire.optional(Wire.nullOr(fees)),
  blobGasUsedRatio: Wire.optional(Wire.nullOr(ratios))
})
/** Fees of a range of blocks, oldest first. */
export const FeeHistory = feeHistory.schema
/** See the Schema of the same name. */
export type FeeHistory = typeof FeeHistory.Type
