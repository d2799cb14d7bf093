/** A contract whose calls read slots, another account's code, and hashes of older blocks; compiled by solc. */
import * as Solidity from "@plumbline/seeded/Solidity"
import { type Abi, encodeAbiParameters, encodeFunctionData, type Hex, keccak256, parseAbi } from "viem"

import * as World from "./world.ts"

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.29;
contract Bank {
  mapping(address => uint256) balances;
  Bank other;
  uint256 limit;
  error TooMuch(uint256 wanted, uint256 most);
  function balanceOf(address who) external view returns (uint256) { return balances[who]; }
  function both(address who) external view returns (uint256, uint256) { return (balances[who], other.balanceOf(who)); }
  function take(address who, uint256 wanted) external view returns (uint256) {
    if (wanted > limit) revert TooMuch(wanted, limit);
    require(wanted <= balances[who], "too poor");
    return balances[who] - wanted;
  }
  function half(address who, uint256 parts) external view returns (uint256) { return balances[who] / parts; }
  function hashOf(uint256 number) external view returns (bytes32) { return blockhash(number); }
  function wei_() external payable returns (uint256, uint256) { return (msg.value, msg.sender.balance); }
  function chain() external view returns (uint256) { return block.chainid; }
}`

const output = Solidity.compile({
  language: "Solidity",
  sources: { "Bank.sol": { content: SOURCE } },
  settings: { evmVersion: "paris", outputSelection: { "*": { "*": ["evm.deployedBytecode.object"] } } }
})
export const code: Hex = `0x${output.contracts["Bank.sol"].Bank.evm.deployedBytecode.object}`

export const abi: Abi = parseAbi([
  "function balanceOf(address who) view returns (uint256)",
  "function both(address who) view returns (uint256, uint256)",
  "function take(address who, uint256 wanted) view returns (uint256)",
  "function half(address who, uint256 parts) view returns (uint256)",
  "function hashOf(uint256 number) view returns (bytes32)",
  "function wei_() payable returns (uint256, uint256)",
  "function chain() view returns (uint256)",
  "error TooMuch(uint256 wanted, uint256 most)"
])

export const bank = World.addressOf(1)
export const second = World.addressOf(2)
/** Has 500 in the bank, 70 in the second one, and 9000 wei. */
export const rich = World.addressOf(3)
/** Has no account, and nothing in the banks. */
export const poor = World.addressOf(4)
export const LIMIT = 400n

const slotOf = (who: string): bigint =>
  BigInt(keccak256(encodeAbiParameters([{ type: "address" }, { type: "uint256" }], [who as Hex, 0n])))

const others = Array.from({ length: 40 }, (_, i) => [World.addressOf(100 + i), BigInt(i + 1)] as const)

export const accounts: ReadonlyMap<World.Address, World.Account> = new Map<World.Address, World.Account>([
  [
    bank,
    {
      nonce: 1n,
      balance: 1n,
      code,
      storage: new Map<bigint, bigint>([
        [slotOf(rich), 500n],
        [1n, BigInt(second)],
        [2n, LIMIT],
        ...others.map(([who, amount]) => [slotOf(who), amount] as const)
      ])
    }
  ],
  [second, { nonce: 1n, balance: 0n, code, storage: new Map([[slotOf(rich), 70n]]) }],
  [rich, { nonce: 4n, balance: 9000n, code: "0x", storage: new Map<bigint, bigint>() }],
  ...others.map(([who]) => [who, { nonce: 1n, balance: 5n, code: "0x", storage: new Map<bigint, bigint>() }] as const)
])

export const data = (functionName: string, args: ReadonlyArray<unknown> = []): Hex =>
  encodeFunctionData({ abi, functionName, args })

export const addresses = { rich, other: World.addressOf(101) }
