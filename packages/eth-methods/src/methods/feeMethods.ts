/** Methods about prices. Their answers are suggestions of the node, not facts of the chain. */
import * as Schema from "effect/Schema"

import * as BlockParameter from "../model/BlockParameter.ts"
import * as FeeHistory from "../model/FeeHistory.ts"
import { AnyCount, Quantity256 } from "../model/wireNumbers.ts"
import * as EthMethod from "./EthMethod.ts"
import { FEW } from "./ethParams.ts"

/** Maximum number of percentiles of one eth_feeHistory, as in geth. */
export const MAX_PERCENTILES = 100

const rewardPercentiles = /* @__PURE__ */ (() => {
  const percentile = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
  return EthMethod.param("rewardPercentiles", Schema.Array(percentile).check(Schema.isMaxLength(MAX_PERCENTILES)), {
    names: "nothing",
    optional: true,
    byDefault: [],
    doc: "percentiles of each block's tips: 0 for the lowest, 100 for the highest; ascending",
    // Twice the maximum, so that a request with a few too many gets an error that names the maximum.
    values: 2 * MAX_PERCENTILES,
    byNull: []
  })
})()

/** Fees of past blocks. */
export const eth_feeHistory = /* @__PURE__ */ EthMethod.make("eth_feeHistory", {
  read: "feeHistory",
  trust: "advice",
  params: [
    /* @__PURE__ */ EthMethod.param("blockCount", AnyCount, {
      names: "nothing",
      doc: "number of blocks, also in decimal; nodes may return fewer",
      values: FEW
    }),
    /* @__PURE__ */ EthMethod.param("newestBlock", BlockParameter.NumberOrTag, {
      names: "block",
      byDefault: "latest",
      doc: "number or tag of the last block",
      values: FEW
    }),
    rewardPercentiles
  ],
  result: FeeHistory.FeeHistory,
  doc: "Base fees, gas use and tips of a range of blocks.",
  cost: 80,
  cache: "block"
})

/** A price per unit of gas, in wei, as this node would choose it. */
export const eth_gasPrice = /* @__PURE__ */ EthMethod.make("eth_gasPrice", {
  read: "gasPrice",
  trust: "advice",
  params: [],
  result: Quantity256,
  doc: "A price per unit of gas, in wei, as this node would choose it.",
  cost: 80,
  cache: "block"
})

/** A tip per unit of gas, in wei, as this node would choose it. */
export const eth_maxPriorityFeePerGas = /* @__PURE__ */ EthMethod.make("eth_maxPriorityFeePerGas", {
  read: "maxPriorityFeePerGas",
  trust: "advice",
  params: [],
  result: Quantity256,
  doc: "A tip per unit of gas, in wei, as this node would choose it.",
  cost: 80,
  cache: "block"
})

/** The price per unit of blob gas in the next block, in wei. */
export const eth_blobBaseFee = /* @__PURE__ */ EthMethod.make("eth_blobBaseFee", {
  read: "blobBaseFee",
  trust: "advice",
  params: [],
  result: Quantity256,
  doc: "The price per unit of blob gas in the next block, in wei.",
  cost: 300,
  cache: "block"
})

/** The price per unit of gas in the next block, in wei. The header of the newest block proves it on Ethereum. */
export const eth_baseFee = /* @__PURE__ */ EthMethod.make("eth_baseFee", {
  read: "baseFee",
  trust: "advice",
  params: [],
  result: Quantity256,
  doc: "The price per unit of gas in the next block, in wei.",
  cost: 80,
  cache: "block"
})
