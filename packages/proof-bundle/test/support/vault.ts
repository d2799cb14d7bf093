/** A contract with a layout, in a state with two hundred other accounts. */
import type { Address } from "@plumbline/codec"
import * as Solidity from "@plumbline/seeded/Solidity"
import { Layout, Slot } from "@plumbline/storage-layout"
import { Result } from "effect"
import { keccak256, toHex } from "viem"

import * as World from "./world.ts"

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.29;
contract Vault {
  address owner; bool open; string name;
  mapping(address => uint256) balances;
  uint256[] many;
}`

const output = Solidity.compile({
  language: "Solidity",
  sources: { "Vault.sol": { content: SOURCE } },
  settings: { outputSelection: { "*": { "*": ["storageLayout"], "": ["ast"] } } }
})

export const layout: Layout.Layout = Result.getOrThrow(Layout.fromSolcOutput(output, "Vault"))

/** Address of the vault. */
export const vault: Address.Address = World.addressOf(1000)
/** Address without an account. */
export const nobody: Address.Address = World.addressOf(1001)
/** An account without storage or code. */
export const plain: Address.Address = World.addressOf(7)
/** Accounts with a balance in the vault: 7 for the first, 14 for the second. */
export const holders: ReadonlyArray<Address.Address> = Array.from({ length: 30 }, (_, i) => World.addressOf(2000 + i))

export const code = "0x6001600155" as const

const text = "a name of more than thirty-two bytes, in words of its own"
const hex = toHex(text).slice(2).padEnd(128, "0")
const nameAt = BigInt(keccak256(toHex(1n, { size: 32 })))

export const storage: ReadonlyMap<bigint, bigint> = new Map<bigint, bigint>([
  [0n, (1n << 160n) | BigInt(holders[0]!)],
  [1n, BigInt(2 * text.length + 1)],
  [nameAt, BigInt(`0x${hex.slice(0, 64)}`)],
  [nameAt + 1n, BigInt(`0x${hex.slice(64)}`)],
  [3n, 2n],
  [Slot.data(3n), 10n],
  [Slot.data(3n) + 1n, 11n],
  ...holders.map((holder, i): [bigint, bigint] => [
    BigInt(keccak256(`0x${holder.slice(2).padStart(64, "0")}${"2".padStart(64, "0")}`)),
    BigInt(7 * (i + 1))
  ])
])

export const accounts: ReadonlyMap<Address.Address, World.Account> = new Map([
  [vault, { nonce: 1n, balance: 5n, code, storage }],
  ...Array.from({ length: 200 }, (_, i): [Address.Address, World.Account] => [
    World.addressOf(i),
    { nonce: BigInt(i), balance: BigInt(i) * 10n ** 18n, code: "0x", storage: new Map() }
  ])
])

/** The paths of all variables of the vault. */
export const paths: ReadonlyArray<string> = [
  "owner",
  "open",
  "name",
  "many",
  ...holders.map((holder) => `balances[${holder}]`)
]

export const values: ReadonlyArray<unknown> = [
  holders[0],
  true,
  text,
  [10n, 11n],
  ...holders.map((_, i) => BigInt(7 * (i + 1)))
]
