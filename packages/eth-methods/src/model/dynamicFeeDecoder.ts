/**
 * Decodes the usual transaction, which has type 2, field by field, each field by its name.
 *
 * `WireObject` loops over the names of an object. In that loop, V8 cannot know which field it reads and writes, or
 * which conversion it calls. Finding them takes as long as the conversions themselves. Here every line handles one
 * known field. This is worth the extra code only for whole transactions, because one block has hundreds of them.
 */
import type { WireConversion, Wire } from "./ethWire.ts"

/** The fields that are read here. */
type Name =
  | "accessList"
  | "blockHash"
  | "blockNumber"
  | "blockTimestamp"
  | "chainId"
  | "from"
  | "gas"
  | "gasPrice"
  | "hash"
  | "input"
  | "maxFeePerGas"
  | "maxPriorityFeePerGas"
  | "nonce"
  | "r"
  | "s"
  | "to"
  | "transactionIndex"
  | "v"
  | "value"
  | "yParity"

type Sent = { [K in Name | "type"]?: unknown }

/**
 * Makes the decoder of the usual transaction from the fields of the description. The decoder returns `undefined` for a
 * transaction of another type, and for one in which a field is null or missing although nearly all nodes send it. The
 * description then decides. The decoder throws if a conversion throws, because the description would refuse the same
 * value.
 */
export const make = (fields: Readonly<Record<Name, Wire>>): WireConversion => {
  const dynamicFee = (sent: Sent): Sent | undefined => {
    const out = { ...sent }
    if (
      "chainID" in out ||
      out.blockTimestamp === null ||
      out.gasPrice == null ||
      out.v == null ||
      out.yParity == null ||
      out.chainId == null
    )
      return undefined
    out.type = 2n
    out.maxFeePerGas = fields.maxFeePerGas.decode(out.maxFeePerGas)
    out.maxPriorityFeePerGas = fields.maxPriorityFeePerGas.decode(out.maxPriorityFeePerGas)
    out.accessList = fields.accessList.decode(out.accessList)
    out.yParity = fields.yParity.decode(out.yParity)
    out.chainId = fields.chainId.decode(out.chainId)
    if ("blockTimestamp" in out) out.blockTimestamp = fields.blockTimestamp.decode(out.blockTimestamp)
    out.blockHash = fields.blockHash.decode(out.blockHash)
    out.blockNumber = fields.blockNumber.decode(out.blockNumber)
    out.transactionIndex = fields.transactionIndex.decode(out.transactionIndex)
    out.hash = fields.hash.decode(out.hash)
    out.from = fields.from.decode(out.from)
    out.to = fields.to.decode(out.to)
    out.nonce = fields.nonce.decode(out.nonce)
    out.value = fields.value.decode(out.value)
    out.gas = fields.gas.decode(out.gas)
    out.gasPrice = fields.gasPrice.decode(out.gasPrice)
    out.input = fields.input.decode(out.input)
    out.v = fields.v.decode(out.v)
    out.r = fields.r.decode(out.r)
    out.s = fields.s.decode(out.s)
    return out
  }

  return (sent) =>
    sent?.type === "0x2" && typeof sent === "object" && !Array.isArray(sent) ? dynamicFee(sent) : undefined
}
