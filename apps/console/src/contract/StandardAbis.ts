/** The ABIs of token standards. */
import * as Erc20 from "@plumbline/contracts/erc/Erc20"
import * as Erc721 from "@plumbline/contracts/erc/Erc721"
import * as Erc1155 from "@plumbline/contracts/erc/Erc1155"
import * as Result from "effect/Result"

import * as AbiFile from "./AbiFile.ts"

/** A standard. */
export interface StandardAbi {
  readonly name: StandardName
  /** The kind of the contract in words. */
  readonly what: string
  /** The ABI as JSON. */
  readonly text: string
}

/** The names of the standards. */
export type StandardName = "ERC-20" | "ERC-721" | "ERC-1155"

/** Returns a function that changes the state, in the form of an ABI. */
const change = (name: string, ...inputs: ReadonlyArray<readonly [type: string, name: string]>) => ({
  type: "function",
  name,
  stateMutability: "nonpayable",
  inputs: inputs.map(([type, name]) => ({ type, name })),
  outputs: []
})

const FROM_TO = [
  ["address", "from"],
  ["address", "to"]
] as const
const TOKEN = ["uint256", "tokenId"] as const
const DATA = ["bytes", "data"] as const
const APPROVE_ALL = change("setApprovalForAll", ["address", "operator"], ["bool", "approved"])

/** The functions of EIP-721 that change the state. */
const OF_721 = [
  change("transferFrom", ...FROM_TO, TOKEN),
  change("safeTransferFrom", ...FROM_TO, TOKEN),
  change("safeTransferFrom", ...FROM_TO, TOKEN, DATA),
  change("approve", ["address", "approved"], TOKEN),
  APPROVE_ALL
]

/** The functions of EIP-1155 that change the state. */
const OF_1155 = [
  change("safeTransferFrom", ...FROM_TO, ["uint256", "id"], ["uint256", "value"], DATA),
  change("safeBatchTransferFrom", ...FROM_TO, ["uint256[]", "ids"], ["uint256[]", "values"], DATA),
  APPROVE_ALL
]

/** The standards. */
export const all: ReadonlyArray<StandardAbi> = [
  { name: "ERC-20", what: "fungible token", text: JSON.stringify(Erc20.abi) },
  { name: "ERC-721", what: "tokens that are each unique", text: JSON.stringify([...Erc721.abi, ...OF_721]) },
  { name: "ERC-1155", what: "several tokens in one contract", text: JSON.stringify([...Erc1155.abi, ...OF_1155]) }
]

/** Returns the ABI of a standard. */
export const of = (name: StandardName): AbiFile.ContractAbi =>
  Result.getOrThrow(AbiFile.read(all.find((one) => one.name === name)!.text))
