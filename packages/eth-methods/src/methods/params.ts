/** Parameters that several methods share. */
import * as Method from "@plumbline/jsonrpc-core/method/Method"

import * as BlockParameter from "../model/BlockParameter.ts"
import * as Checksums from "../model/checksums.ts"
import * as Input from "../model/Input.ts"
import { Quantity256 } from "../model/numbers.ts"

/** Maximum number of values inside an argument that is not a list. An object of EIP-1898 needs fewer. */
export const FEW = 16

export const blockHash = Method.param("blockHash", Input.Hash32, { doc: "hash of the block", values: FEW })

export const transactionHash = Method.param("transactionHash", Input.Hash32, {
  doc: "hash of the transaction",
  values: FEW
})

export const numberOrTag = Method.param("block", BlockParameter.NumberOrTag, { doc: "number or tag", values: FEW })

export const anyBlock = Method.param("block", BlockParameter.BlockParameter, {
  doc: "number, tag, hash or EIP-1898 object",
  values: FEW
})

/** The parameter is optional in execution-apis, but older nodes and anvil require it. */
export const stateBlock = Method.param("block", BlockParameter.BlockParameter, {
  optional: true,
  doc: "number, tag, hash or EIP-1898 object; default: latest",
  values: FEW
})

export const index = Method.param("index", Quantity256, { doc: "position in the block, from 0", values: FEW })

export const uncleIndex = Method.param("index", Quantity256, {
  doc: "position among the uncles, 0 or 1",
  values: FEW
})

export const address = Method.param("address", Input.Address, {
  doc: "address of the account",
  values: FEW,
  check: Checksums.fault
})
