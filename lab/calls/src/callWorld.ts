/** The accounts that calls are made to: our contracts, code by hand, delegated accounts, and what the protocol places. */
import * as path from "node:path"

import { PreparedState } from "@plumbline/devnet"
import * as Solidity from "@plumbline/seeded/Solidity"
import { type Hex, numberToHex, pad } from "viem"

import { code, type Part } from "./bytecode.ts"
import { systemContracts } from "./systemContracts.ts"

/** An account as a node is told it. What is left out is zero or empty. */
export interface Account {
  readonly address: Hex
  readonly code?: Hex
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly storage?: ReadonlyArray<readonly [slot: Hex, value: Hex]>
}

const ETHER = 10n ** 18n

const at = (number: number): Hex => pad(numberToHex(0xc0de0000 + number), { size: 20 })
const word = (value: bigint): Hex => pad(numberToHex(value), { size: 32 })
const bytesOf = (hex: Hex): number => (hex.length - 2) / 2

/** The contracts of `Subjects.sol`, by name. */
export const artifacts: Readonly<Record<string, Solidity.CompiledContract>> = Solidity.contractsIn(
  path.join(import.meta.dirname, "../contracts/Subjects.sol")
)

/** The addresses of the contracts of `Subjects.sol`. */
export const subjects = {
  Ends: at(1),
  Caller: at(2),
  Slots: at(3),
  Factory: at(4),
  Surroundings: at(5),
  Work: at(6),
  Mortal: at(7)
} as const

/** The name of a contract of `Subjects.sol` that has an address. */
export type Subject = keyof typeof subjects

const subjectNames = Object.keys(subjects) as ReadonlyArray<Subject>

/** Passes the call to what `target` pushes, and passes on its end. */
const forwarding = (...target: ReadonlyArray<Part>): Hex => {
  const call = code(
    "CALLDATASIZE",
    0n,
    0n,
    "CALLDATACOPY",
    0n,
    0n,
    "CALLDATASIZE",
    0n,
    ...target,
    "GAS",
    "DELEGATECALL"
  )
  const head = code(call, "RETURNDATASIZE", 0n, 0n, "RETURNDATACOPY")
  const success = BigInt(bytesOf(head) + bytesOf(code(1n, "JUMPI", "RETURNDATASIZE", 0n, "REVERT")))
  return code(head, success, "JUMPI", "RETURNDATASIZE", 0n, "REVERT", "JUMPDEST", "RETURNDATASIZE", 0n, "RETURN")
}

/** The slot of the implementation. Source: https://eips.ethereum.org/EIPS/eip-1967. */
const IMPLEMENTATION: Hex = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"

/** The code of a minimal proxy. Source: https://eips.ethereum.org/EIPS/eip-1167. */
const minimal = (target: Hex): Hex => `0x363d3d373d3d3d363d73${target.slice(2)}5af43d82803e903d91602b57fd5bf3`

/** Contracts in front of a subject: they have its methods. */
export const proxies: ReadonlyArray<{ readonly address: Hex; readonly of: Subject; readonly account: Account }> = [
  ...subjectNames.map((of, index) => {
    const address = at(0x100 + index)
    const storage = [[IMPLEMENTATION, pad(subjects[of], { size: 32 })]] as const
    return { address, of, account: { address, code: forwarding(BigInt(IMPLEMENTATION), "SLOAD"), storage } }
  }),
  ...subjectNames.map((of, index) => {
    const address = at(0x120 + index)
    return { address, of, account: { address, code: minimal(subjects[of]), balance: 3n } }
  }),
  // a proxy in front of a proxy
  ...subjectNames.map((of, index) => {
    const address = at(0x140 + index)
    return { address, of, account: { address, code: minimal(at(0x100 + index)) } }
  })
]

/** The code of an account that delegates. Source: https://eips.ethereum.org/EIPS/eip-7702. */
const delegation = (target: Hex): Hex => `0xef0100${target.slice(2)}`

/** Accounts that delegate to a subject, with ether. */
export const delegated: typeof proxies = subjectNames.map((of, index) => {
  const address = at(0x200 + index)
  return { address, of, account: { address, code: delegation(subjects[of]), balance: ETHER, nonce: 2n } }
})

/** Accounts that delegate to something that cannot run, or that runs nothing. */
const oddDelegations: ReadonlyArray<Account> = [
  delegation(at(0xdead)), // to an account that is absent
  delegation(pad("0x4", { size: 20 })), // to a precompile: runs no code
  delegation(delegated[0]!.address), // to an account that delegates: its code starts with 0xef
  delegation(at(0x223)), // to itself
  delegation(PreparedState.accounts[3]!.address) // to an account without code
].map((code, index) => ({ address: at(0x220 + index), code, balance: ETHER }))

const filled = (length: number, part: Part): ReadonlyArray<Part> => Array.from({ length }, () => part)

/** Code that Solidity does not write. */
const handmade: ReadonlyArray<Hex> = [
  code("INVALID"),
  "0x0c", // not assigned
  code("ADD"), // an empty stack
  code("JUMPDEST", "GAS", 0n, "JUMP"), // a stack that grows until it overflows
  code(...filled(1023, "GAS"), "MSIZE", "STOP"), // a full stack
  code(...filled(1024, "GAS"), "GAS", "STOP"), // one too many
  code(3n, "JUMP", "0x5b"), // a valid jump
  code(7n, "JUMP", "STOP"), // a jump behind the end
  code(4n, "JUMP", "0x615b5b"), // a jump into pushed bytes
  code((1n << 64n) + 3n, "JUMP", "JUMPDEST"), // a jump that is valid modulo 2^64
  "0x7f5b", // ends inside a push
  "0x00",
  code(1n, 0n, "SSTORE", 0n, 0n, "SSTORE", 2n, 0n, "SSTORE", "GAS", 0n, "MSTORE", 32n, 0n, "RETURN"),
  code(0n, 0n, "SSTORE", "STOP"), // clears the value of the block
  code("CALLER", "SELFDESTRUCT"),
  code("ADDRESS", "SELFDESTRUCT"),
  code(BigInt(at(0xbeef)), "SELFDESTRUCT"), // to an account that is absent
  code(32n, (1n << 256n) - 32n, "RETURN"), // an end that overflows
  code(0n, (1n << 256n) - 32n, "RETURN"), // the same place with no length costs nothing
  code(1n << 255n, 0n, "MSTORE8", "MSIZE", 0n, "MSTORE", 64n, 0n, "RETURN"),
  code("CALLDATASIZE", 0n, 0n, "CALLDATACOPY", "CALLDATASIZE", 0n, 0n, "CREATE", 0n, "MSTORE", 32n, 0n, "RETURN"),
  code("PC", "CODESIZE", "MSIZE", "GAS", 0n, "MSTORE", 32n, "MSTORE", 64n, "MSTORE", 96n, "MSTORE", 128n, 0n, "RETURN")
]

/** The addresses of code by hand. */
export const handmadeAddresses: ReadonlyArray<Hex> = handmade.map((_, index) => at(0x300 + index))

/** Runs its input: makes a contract of it, calls that, and returns what that returned. */
export const workbench: Hex = at(0x400)

const workbenchCode = code(
  "CALLDATASIZE",
  0n,
  0n,
  "CALLDATACOPY",
  "CALLDATASIZE",
  0n,
  "CALLVALUE",
  "CREATE",
  0n,
  "MSTORE",
  64n,
  32n,
  0n,
  0n,
  0n,
  0n,
  "MLOAD",
  "GAS",
  "CALL",
  96n,
  "MSTORE",
  "GAS",
  128n,
  "MSTORE",
  160n,
  0n,
  "RETURN"
)

/** An account whose nonce cannot grow, so it cannot make contracts. */
export const spent: Hex = at(0x401)

/** Accounts without code that are not funded, or only with one wei. */
export const poor: ReadonlyArray<Hex> = [at(0xdead), at(0x500)]

/** Accounts with much ether. The first one is empty of everything else. */
export const rich: ReadonlyArray<Hex> = PreparedState.accounts.slice(0, 5).map(({ address }) => address)

/** Slots of `Slots`: the first five are not zero in the block. */
export const slots: ReadonlyArray<bigint> = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n, (1n << 256n) - 1n, 1n << 128n]

/** The value of a slot of `Slots` in the block. */
export const slotValue = (slot: bigint): bigint => (slots.indexOf(slot) < 5 ? slot * 7n + 1n : 0n)

const slotStorage = slots.slice(0, 5).map((slot) => [word(slot), word(slotValue(slot))] as const)

/** The accounts that a node must be told, beside those of the prepared state. */
export const accounts: ReadonlyArray<Account> = [
  ...subjectNames.map((name) => ({
    address: subjects[name],
    code: artifacts[name]!.runtimeCode,
    nonce: 1n,
    balance: name === "Work" ? 0n : 5n * ETHER,
    ...(name === "Slots" ? { storage: slotStorage } : {})
  })),
  ...proxies.map(({ account, of }) =>
    of === "Slots" ? { ...account, storage: [...(account.storage ?? []), ...slotStorage] } : account
  ),
  ...delegated.map(({ account, of }) => (of === "Slots" ? { ...account, storage: slotStorage } : account)),
  ...oddDelegations,
  ...handmade.map((code, index) => ({
    address: handmadeAddresses[index]!,
    code,
    balance: 7n,
    nonce: 1n,
    storage: [[word(0n), word(9n)]] as const
  })),
  { address: workbench, code: workbenchCode, nonce: 1n },
  { address: spent, code: artifacts["Factory"]!.runtimeCode, nonce: (1n << 64n) - 1n, balance: ETHER },
  { address: at(0x500), balance: 1n },
  ...systemContracts
]

/** The addresses of all accounts that delegate. */
export const delegating: ReadonlySet<Hex> = new Set([...delegated, ...oddDelegations].map(({ address }) => address))

/** The odd delegations, by address. */
export const oddAddresses: ReadonlyArray<Hex> = oddDelegations.map(({ address }) => address)
