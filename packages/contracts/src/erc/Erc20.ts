/**
 * ERC-20 tokens. The module `Erc20` of `@plumbline/storage-layout` reads known tokens from their storage, without running
 * their code.
 *
 * Sources: EIP-20; EIP-6093 for the errors.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Input from "@plumbline/eth-methods/model/Input"
import * as Result from "effect/Result"

import * as ContractCall from "../contract/ContractCall.ts"
import * as SharedFunctions from "./sharedFunctions.ts"

/** The functions, events and errors of a token. `name`, `symbol` and `decimals` are optional in the standard. */
export const abi = [
  SharedFunctions.name,
  SharedFunctions.symbol,
  { type: "function", name: "decimals", stateMutability: "view", inputs: [], outputs: [{ type: "uint8", name: "" }] },
  SharedFunctions.totalSupply,
  SharedFunctions.balanceOf,
  {
    type: "function",
    name: "allowance",
    stateMutability: "view",
    inputs: [
      { type: "address", name: "owner" },
      { type: "address", name: "spender" }
    ],
    outputs: [{ type: "uint256", name: "" }]
  },
  {
    type: "function",
    name: "transfer",
    stateMutability: "nonpayable",
    inputs: [
      { type: "address", name: "to" },
      { type: "uint256", name: "value" }
    ],
    outputs: [{ type: "bool", name: "" }]
  },
  {
    type: "function",
    name: "transferFrom",
    stateMutability: "nonpayable",
    inputs: [
      { type: "address", name: "from" },
      { type: "address", name: "to" },
      { type: "uint256", name: "value" }
    ],
    outputs: [{ type: "bool", name: "" }]
  },
  {
    type: "function",
    name: "approve",
    stateMutability: "nonpayable",
    inputs: [
      { type: "address", name: "spender" },
      { type: "uint256", name: "value" }
    ],
    outputs: [{ type: "bool", name: "" }]
  },
  {
    type: "event",
    name: "Transfer",
    inputs: [
      { type: "address", indexed: true, name: "from" },
      { type: "address", indexed: true, name: "to" },
      { type: "uint256", indexed: false, name: "value" }
    ]
  },
  {
    type: "event",
    name: "Approval",
    inputs: [
      { type: "address", indexed: true, name: "owner" },
      { type: "address", indexed: true, name: "spender" },
      { type: "uint256", indexed: false, name: "value" }
    ]
  },
  {
    type: "error",
    name: "ERC20InsufficientBalance",
    inputs: [
      { type: "address", name: "sender" },
      { type: "uint256", name: "balance" },
      { type: "uint256", name: "needed" }
    ]
  },
  { type: "error", name: "ERC20InvalidSender", inputs: [{ type: "address", name: "sender" }] },
  { type: "error", name: "ERC20InvalidReceiver", inputs: [{ type: "address", name: "receiver" }] },
  {
    type: "error",
    name: "ERC20InsufficientAllowance",
    inputs: [
      { type: "address", name: "spender" },
      { type: "uint256", name: "allowance" },
      { type: "uint256", name: "needed" }
    ]
  },
  { type: "error", name: "ERC20InvalidApprover", inputs: [{ type: "address", name: "approver" }] },
  { type: "error", name: "ERC20InvalidSpender", inputs: [{ type: "address", name: "spender" }] }
] as const

/** A token at this address. */
export const at = (address: Input.Address): ContractCall.DeployedContract<typeof abi> => ({ address, abi })

/** A call that returns a text. It can always be made. */
export type TextCall = ContractCall.MadeCall<string, ContractCall.DecodedRevertOf<typeof abi>, never>

/**
 * Makes a call for the symbol of a token. Some old tokens, such as MKR, return it in 32 bytes that zeros fill up; both
 * forms are read.
 *
 * ```ts import.meta.vitest
 * import { Erc20 } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const call = Result.getOrThrow(Erc20.symbol("0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2"))
 * call.request.data // => "0x95d89b41"
 * call.decode(`0x4d4b52${"00".repeat(29)}`) // => Result.succeed("MKR")
 * ```
 */
export const symbol = (address: Input.Address): TextCall => textOf(address, "symbol")

/** Makes a call for the name of a token, in either of the forms of `symbol`. */
export const name = (address: Input.Address): TextCall => textOf(address, "name")

const textOf = (address: Input.Address, name: "name" | "symbol"): TextCall => {
  const call = Result.getOrThrow(ContractCall.make(at(address), name))
  return Result.succeed({
    ...call,
    decode: (data, verdict) => {
      const text = fixedText(data)
      return text === undefined ? call.decode(data, verdict) : Result.succeed(text)
    }
  })
}

/**
 * Returns a text in 32 bytes: UTF-8, and zeros behind it. Undefined if the data is not one such word. The encoding of a
 * `string` is never one word.
 */
const fixedText = (data: Hex.Hex): string | undefined => {
  if (Hex.size(data) !== 32 || !Hex.isHex(data)) return undefined
  const bytes = Hex.toBytesUnsafe(data)
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1
  if (bytes.subarray(0, end).includes(0)) return undefined
  try {
    return decoder.decode(bytes.subarray(0, end))
  } catch {
    return undefined
  }
}

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
