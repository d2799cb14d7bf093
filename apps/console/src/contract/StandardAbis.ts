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

/** The standards. */
export const all: ReadonlyArray<StandardAbi> = [
  { name: "ERC-20", what: "fungible token", text: JSON.stringify(Erc20.abi) },
  { name: "ERC-721", what: "tokens that are each unique", text: JSON.stringify(Erc721.abi) },
  { name: "ERC-1155", what: "several tokens in one contract", text: JSON.stringify(Erc1155.abi) }
]

/** Returns the ABI of a standard. */
export const of = (name: StandardName): AbiFile.ContractAbi =>
  Result.getOrThrow(AbiFile.read(all.find((one) => one.name === name)!.text))
