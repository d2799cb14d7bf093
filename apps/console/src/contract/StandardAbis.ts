/** The ABIs of token standards: their functions that read, and the errors of ERC-6093. */
import * as Result from "effect/Result"

import * as AbiFile from "./AbiFile.ts"

/** A standard. */
export interface StandardAbi {
  readonly name: StandardName
  /** The kind of the contract in words. */
  readonly what: string
  readonly text: string
}

/** The names of the standards. */
export type StandardName = "ERC-20" | "ERC-721" | "ERC-1155"

const NAMED = `
function name() view returns (string)
function symbol() view returns (string)`

/** The standards. Source: EIP-20, EIP-721, EIP-1155, EIP-6093. */
export const all: ReadonlyArray<StandardAbi> = [
  {
    name: "ERC-20",
    what: "fungible token",
    text: `${NAMED}
function decimals() view returns (uint8)
function totalSupply() view returns (uint256)
function balanceOf(address owner) view returns (uint256)
function allowance(address owner, address spender) view returns (uint256)
function transfer(address to, uint256 value) returns (bool)
function approve(address spender, uint256 value) returns (bool)
function transferFrom(address from, address to, uint256 value) returns (bool)
error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)
error ERC20InvalidSender(address sender)
error ERC20InvalidReceiver(address receiver)
error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)
error ERC20InvalidApprover(address approver)
error ERC20InvalidSpender(address spender)`
  },
  {
    name: "ERC-721",
    what: "tokens that are each unique",
    text: `${NAMED}
function supportsInterface(bytes4 interfaceId) view returns (bool)
function balanceOf(address owner) view returns (uint256)
function ownerOf(uint256 tokenId) view returns (address)
function tokenURI(uint256 tokenId) view returns (string)
function getApproved(uint256 tokenId) view returns (address)
function isApprovedForAll(address owner, address operator) view returns (bool)
error ERC721InvalidOwner(address owner)
error ERC721NonexistentToken(uint256 tokenId)
error ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)`
  },
  {
    name: "ERC-1155",
    what: "several tokens in one contract",
    text: `
function supportsInterface(bytes4 interfaceId) view returns (bool)
function balanceOf(address account, uint256 id) view returns (uint256)
function balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[])
function isApprovedForAll(address account, address operator) view returns (bool)
function uri(uint256 id) view returns (string)
error ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)
error ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)`
  }
]

/** Returns the ABI of a standard. */
export const of = (name: StandardName): AbiFile.ContractAbi =>
  Result.getOrThrow(AbiFile.read(all.find((one) => one.name === name)!.text))
