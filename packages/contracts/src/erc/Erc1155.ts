/**
 * ERC-1155 contracts, which hold many tokens each.
 *
 * Sources: EIP-1155; EIP-165; EIP-6093 for the errors.
 */
import type * as Input from "@plumbline/eth-methods/model/Input"

import type * as ContractCall from "../contract/ContractCall.ts"
import * as SharedFunctions from "./sharedFunctions.ts"

/** The functions, events and errors of a contract. */
export const abi = [
  {
    type: "function",
    name: "uri",
    stateMutability: "view",
    inputs: [{ type: "uint256", name: "id" }],
    outputs: [{ type: "string", name: "" }]
  },
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [
      { type: "address", name: "account" },
      { type: "uint256", name: "id" }
    ],
    outputs: [{ type: "uint256", name: "" }]
  },
  {
    type: "function",
    name: "balanceOfBatch",
    stateMutability: "view",
    inputs: [
      { type: "address[]", name: "accounts" },
      { type: "uint256[]", name: "ids" }
    ],
    outputs: [{ type: "uint256[]", name: "" }]
  },
  {
    type: "function",
    name: "isApprovedForAll",
    stateMutability: "view",
    inputs: [
      { type: "address", name: "account" },
      { type: "address", name: "operator" }
    ],
    outputs: [{ type: "bool", name: "" }]
  },
  SharedFunctions.supportsInterface,
  {
    type: "event",
    name: "TransferSingle",
    inputs: [
      { type: "address", indexed: true, name: "operator" },
      { type: "address", indexed: true, name: "from" },
      { type: "address", indexed: true, name: "to" },
      { type: "uint256", indexed: false, name: "id" },
      { type: "uint256", indexed: false, name: "value" }
    ]
  },
  {
    type: "event",
    name: "TransferBatch",
    inputs: [
      { type: "address", indexed: true, name: "operator" },
      { type: "address", indexed: true, name: "from" },
      { type: "address", indexed: true, name: "to" },
      { type: "uint256[]", indexed: false, name: "ids" },
      { type: "uint256[]", indexed: false, name: "values" }
    ]
  },
  {
    type: "event",
    name: "ApprovalForAll",
    inputs: [
      { type: "address", indexed: true, name: "account" },
      { type: "address", indexed: true, name: "operator" },
      { type: "bool", indexed: false, name: "approved" }
    ]
  },
  {
    type: "event",
    name: "URI",
    inputs: [
      { type: "string", indexed: false, name: "value" },
      { type: "uint256", indexed: true, name: "id" }
    ]
  },
  {
    type: "error",
    name: "ERC1155InsufficientBalance",
    inputs: [
      { type: "address", name: "sender" },
      { type: "uint256", name: "balance" },
      { type: "uint256", name: "needed" },
      { type: "uint256", name: "tokenId" }
    ]
  },
  { type: "error", name: "ERC1155InvalidSender", inputs: [{ type: "address", name: "sender" }] },
  { type: "error", name: "ERC1155InvalidReceiver", inputs: [{ type: "address", name: "receiver" }] },
  {
    type: "error",
    name: "ERC1155MissingApprovalForAll",
    inputs: [
      { type: "address", name: "operator" },
      { type: "address", name: "owner" }
    ]
  },
  { type: "error", name: "ERC1155InvalidApprover", inputs: [{ type: "address", name: "approver" }] },
  { type: "error", name: "ERC1155InvalidOperator", inputs: [{ type: "address", name: "operator" }] },
  {
    type: "error",
    name: "ERC1155InvalidArrayLength",
    inputs: [
      { type: "uint256", name: "idsLength" },
      { type: "uint256", name: "valuesLength" }
    ]
  }
] as const

/** A contract at this address. */
export const at = (address: Input.Address): ContractCall.DeployedContract<typeof abi> => ({ address, abi })

/**
 * Returns the URI of a token: what `uri` returns is a pattern for all tokens, in which `{id}` stands for 64 hex digits in
 * lower case.
 *
 * ```ts import.meta.vitest
 * import { Erc1155 } from "@plumbline/contracts"
 *
 * Erc1155.uriOf("ipfs://example/{id}.json", 0x4cce0n) // => `ipfs://example/${"0".repeat(59)}4cce0.json`
 * ```
 */
export const uriOf = (pattern: string, id: bigint): string =>
  pattern.replaceAll("{id}", id.toString(16).padStart(64, "0"))
