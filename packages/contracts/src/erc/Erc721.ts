/**
 * ERC-721 tokens, with their optional metadata and enumeration. The module `Erc721` of `@plumbline/storage-layout` reads
 * known tokens from their storage, without running their code.
 *
 * Sources: EIP-721; EIP-165; EIP-6093 for the errors.
 */
import type * as Input from "@plumbline/eth-methods/model/Input"

import type * as ContractCall from "../contract/ContractCall.ts"
import * as SharedFunctions from "./sharedFunctions.ts"

/** The functions, events and errors of a token. */
export const abi = [
  SharedFunctions.name,
  SharedFunctions.symbol,
  {
    type: "function",
    name: "tokenURI",
    stateMutability: "view",
    inputs: [{ type: "uint256", name: "tokenId" }],
    outputs: [{ type: "string", name: "" }]
  },
  SharedFunctions.balanceOf,
  {
    type: "function",
    name: "ownerOf",
    stateMutability: "view",
    inputs: [{ type: "uint256", name: "tokenId" }],
    outputs: [{ type: "address", name: "" }]
  },
  {
    type: "function",
    name: "getApproved",
    stateMutability: "view",
    inputs: [{ type: "uint256", name: "tokenId" }],
    outputs: [{ type: "address", name: "" }]
  },
  {
    type: "function",
    name: "isApprovedForAll",
    stateMutability: "view",
    inputs: [
      { type: "address", name: "owner" },
      { type: "address", name: "operator" }
    ],
    outputs: [{ type: "bool", name: "" }]
  },
  SharedFunctions.totalSupply,
  {
    type: "function",
    name: "tokenByIndex",
    stateMutability: "view",
    inputs: [{ type: "uint256", name: "index" }],
    outputs: [{ type: "uint256", name: "" }]
  },
  {
    type: "function",
    name: "tokenOfOwnerByIndex",
    stateMutability: "view",
    inputs: [
      { type: "address", name: "owner" },
      { type: "uint256", name: "index" }
    ],
    outputs: [{ type: "uint256", name: "" }]
  },
  SharedFunctions.supportsInterface,
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { type: "address", indexed: true, name: "from" },
      { type: "address", indexed: true, name: "to" },
      { type: "uint256", indexed: true, name: "tokenId" }
    ]
  },
  {
    type: "event",
    name: "Approval",
    inputs: [
      { type: "address", indexed: true, name: "owner" },
      { type: "address", indexed: true, name: "approved" },
      { type: "uint256", indexed: true, name: "tokenId" }
    ]
  },
  {
    type: "event",
    name: "ApprovalForAll",
    inputs: [
      { type: "address", indexed: true, name: "owner" },
      { type: "address", indexed: true, name: "operator" },
      { type: "bool", indexed: false, name: "approved" }
    ]
  },
  { type: "error", name: "ERC721InvalidOwner", inputs: [{ type: "address", name: "owner" }] },
  { type: "error", name: "ERC721NonexistentToken", inputs: [{ type: "uint256", name: "tokenId" }] },
  {
    type: "error",
    name: "ERC721IncorrectOwner",
    inputs: [
      { type: "address", name: "sender" },
      { type: "uint256", name: "tokenId" },
      { type: "address", name: "owner" }
    ]
  },
  { type: "error", name: "ERC721InvalidSender", inputs: [{ type: "address", name: "sender" }] },
  { type: "error", name: "ERC721InvalidReceiver", inputs: [{ type: "address", name: "receiver" }] },
  {
    type: "error",
    name: "ERC721InsufficientApproval",
    inputs: [
      { type: "address", name: "operator" },
      { type: "uint256", name: "tokenId" }
    ]
  },
  { type: "error", name: "ERC721InvalidApprover", inputs: [{ type: "address", name: "approver" }] },
  { type: "error", name: "ERC721InvalidOperator", inputs: [{ type: "address", name: "operator" }] }
] as const

/**
 * A collection at this address.
 *
 * ```ts import.meta.vitest
 * import { ContractCall, Erc721 } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const collection = Erc721.at("0x00000000219ab540356cBB839Cbe05303d7705Fa")
 * const call = Result.getOrThrow(ContractCall.make(collection, "ownerOf", [7n]))
 * call.function // => "ownerOf(uint256)"
 * ```
 */
export const at = (address: Input.Address): ContractCall.DeployedContract<typeof abi> => ({ address, abi })
