/** Parameters that several methods share. */
import * as AddressChecksums from "../model/addressChecksums.ts"
import * as BlockParameter from "../model/BlockParameter.ts"
import * as Input from "../model/Input.ts"
import { Quantity256 } from "../model/wireNumbers.ts"
import * as EthMethod from "./EthMethod.ts"

/** Maximum number of values inside an argument that is not a list. An object of EIP-1898 needs fewer. */
export const FEW = 16

export const blockHash = /* @__PURE__ */ EthMethod.param("blockHash", Input.Hash32, {
  names: "block",
  doc: "hash of the block",
  values: FEW
})

export const transactionHash = /* @__PURE__ */ EthMethod.param("transactionHash", Input.Hash32, {
  names: "transaction",
  doc: "hash of the transaction",
  values: FEW
})

export const numberOrTag = /* @__PURE__ */ EthMethod.param("block", BlockParameter.NumberOrTag, {
  names: "block",
  doc: "number or tag",
  values: FEW
})

export const anyBlock = /* @__PURE__ */ EthMethod.param("block", BlockParameter.BlockParameter, {
  names: "block",
  doc: "number, tag, hash or EIP-1898 object",
  values: FEW
})

/** The parameter is optional in execution-apis, but older nodes and anvil require it. */
export const stateBlock = /* @__PURE__ */ EthMethod.param("block", BlockParameter.BlockParameter, {
  names: "block",
  optional: true,
  byDefault: "latest",
  doc: "number, tag, hash or EIP-1898 object; default: latest",
  values: FEW
})

export const index = /* @__PURE__ */ EthMethod.param("index", Quantity256, {
  names: "nothing",
  doc: "position in the block, from 0",
  values: FEW
})

export const uncleIndex = /* @__PURE__ */ EthMethod.param("index", Quantity256, {
  names: "nothing",
  doc: "position among the uncles, 0 or 1",
  values: FEW
})

export const address = /* @__PURE__ */ EthMethod.param("address", Input.Address, {
  names: "account",
  doc: "address of the account",
  values: FEW,
  check: AddressChecksums.fault
})
