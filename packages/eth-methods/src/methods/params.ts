/** Parameters that several methods have. */
import * as Address from "@plumbline/codec/Address"
import * as Hash32 from "@plumbline/codec/Hash32"
import * as Quantity from "@plumbline/codec/Quantity"
import * as Method from "@plumbline/jsonrpc-core/Method"

import * as BlockParameter from "../BlockParameter.ts"

export const blockHash = Method.param("blockHash", Hash32.Hash32, { doc: "hash of the block" })

export const transactionHash = Method.param("transactionHash", Hash32.Hash32, { doc: "hash of the transaction" })

export const numberOrTag = Method.param("block", BlockParameter.NumberOrTag, { doc: "number or tag" })

export const anyBlock = Method.param("block", BlockParameter.BlockParameter, {
  doc: "number, tag, hash or EIP-1898 object"
})

/** Optional in execution-apis; older nodes and anvil insist on it. */
export const stateBlock = Method.param("block", BlockParameter.BlockParameter, {
  optional: true,
  doc: "number, tag, hash or EIP-1898 object; latest when left out"
})

export const index = Method.param("index", Quantity.Quantity, { doc: "position in the block, from 0" })

export const uncleIndex = Method.param("index", Quantity.Quantity, { doc: "position among the uncles, 0 or 1" })

export const address = Method.param("address", Address.Address, { doc: "address of the account" })
