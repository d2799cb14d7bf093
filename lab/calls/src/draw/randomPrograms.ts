/** Draws programs of opcodes that keep their stack in order, so that most of them run to their end. */
import * as Random from "@plumbline/seeded/Random"
import type { Hex } from "viem"

import { code, type opcodes, type Part } from "../bytecode.ts"
import { address, hex, slot, value, word } from "./values.ts"

type Name = keyof typeof opcodes

/** Opcodes that only take words and give one. */
const plain: ReadonlyArray<readonly [name: Name, takes: number]> = [
  ["ADD", 2],
  ["MUL", 2],
  ["SUB", 2],
  ["DIV", 2],
  ["SDIV", 2],
  ["MOD", 2],
  ["SMOD", 2],
  ["ADDMOD", 3],
  ["MULMOD", 3],
  ["SIGNEXTEND", 2],
  ["LT", 2],
  ["GT", 2],
  ["SLT", 2],
  ["SGT", 2],
  ["EQ", 2],
  ["ISZERO", 1],
  ["AND", 2],
  ["OR", 2],
  ["XOR", 2],
  ["NOT", 1],
  ["BYTE", 2],
  ["SHL", 2],
  ["SHR", 2],
  ["SAR", 2],
  ["CLZ", 1],
  ["EXP", 2],
  ["CALLDATALOAD", 1],
  ["BLOBHASH", 1],
  ...(
    [
      "ADDRESS",
      "ORIGIN",
      "CALLER",
      "CALLVALUE",
      "CALLDATASIZE",
      "CODESIZE",
      "RETURNDATASIZE",
      "COINBASE",
      "TIMESTAMP",
      "NUMBER",
      "PREVRANDAO",
      "GASLIMIT",
      "CHAINID",
      "SELFBALANCE",
      "MSIZE",
      "GAS",
      "PC"
    ] as const
  ).map((name) => [name, 0] as const)
]

/** Bytes of memory that a program uses. */
const MEMORY = 512

const place = (random: Random.Random): bigint => BigInt(Random.int(random, MEMORY - 96))
const length = (random: Random.Random): bigint => BigInt(Random.int(random, 96))
const target = (random: Random.Random): bigint => BigInt(address(random))

/** Steps that do not depend on the stack: the words that they take are pushed first, the last one on top. */
const steps: ReadonlyArray<(random: Random.Random) => readonly [parts: ReadonlyArray<Part>, gives: number]> = [
  (random) => [[word(random), place(random), "MSTORE"], 0],
  (random) => [[word(random), place(random), "MSTORE8"], 0],
  (random) => [[place(random), "MLOAD"], 1],
  (random) => [[length(random), place(random), place(random), "MCOPY"], 0],
  (random) => [[length(random), place(random), "KECCAK256"], 1],
  (random) => [[length(random), place(random), place(random), "CALLDATACOPY"], 0],
  (random) => [[length(random), place(random), place(random), "CODECOPY"], 0],
  (random) => [[length(random), place(random), place(random), target(random), "EXTCODECOPY"], 0],
  (random) => [[0n, 0n, place(random), "RETURNDATACOPY"], 0],
  (random) => [[target(random), "BALANCE"], 1],
  (random) => [[target(random), "EXTCODESIZE"], 1],
  (random) => [[target(random), "EXTCODEHASH"], 1],
  (random) => [[word(random), slot(random), "SSTORE"], 0],
  (random) => [[0n, slot(random), "SSTORE"], 0],
  (random) => [[slot(random), "SLOAD"], 1],
  (random) => [[word(random), slot(random), "TSTORE"], 0],
  (random) => [[slot(random), "TLOAD"], 1],
  (random) => {
    const topics = Random.int(random, 5)
    const words = Array.from({ length: topics }, () => word(random))
    return [[...words, length(random), place(random), `0x${(0xa0 + topics).toString(16)}`], 0]
  },
  ...(["CALL", "CALLCODE"] as const).map(
    (name) => (random: Random.Random) =>
      [
        [
          length(random),
          place(random),
          length(random),
          place(random),
          value(random),
          target(random),
          gas(random),
          name
        ],
        1
      ] as const
  ),
  ...(["STATICCALL", "DELEGATECALL"] as const).map(
    (name) => (random: Random.Random) =>
      [[length(random), place(random), length(random), place(random), target(random), gas(random), name], 1] as const
  ),
  (random) => [[length(random), place(random), value(random), "CREATE"], 1],
  (random) => [[word(random), length(random), place(random), value(random), "CREATE2"], 1],
  // a code that begins as an object of EIP-3540, which no hardfork has
  (random) => [[0xef00n << 240n, 0n, "MSTORE", 2n + length(random), 0n, value(random), "CREATE"], 1]
]

const gas = (random: Random.Random): bigint => BigInt(Random.pick(random, [0, 1000, 2600, 30_000, 200_000]))

/** Draws a program of up to `most` steps. Some programs are only bytes. */
export const program = (random: Random.Random, most = 40): Hex => {
  if (Random.chance(random, 0.08)) return hex(random, 1 + Random.int(random, 60))
  const parts: Array<Part> = []
  let depth = 0
  const give = (words: number): void => {
    for (; depth < words; depth++) parts.push(word(random))
  }
  for (let step = Random.int(random, most); step >= 0; step--) {
    const kind = Random.int(random, 10)
    if (kind < 4) {
      const [name, takes] = Random.pick(random, plain)
      give(takes)
      parts.push(name)
      depth += 1 - takes
    } else if (kind < 8) {
      const [made, gives] = Random.pick(random, steps)(random)
      parts.push(...made)
      depth += gives
    } else if (kind === 8 && depth > 0 && depth < 16) {
      // DUP keeps what it copies, SWAP needs one word more
      if (Random.chance(random, 0.5) || depth < 2)
        parts.push(`0x${(0x7f + 1 + Random.int(random, depth)).toString(16)}`)
      else parts.push(`0x${(0x90 + Random.int(random, depth - 1)).toString(16)}`)
      if ((parts.at(-1) as string).startsWith("0x8")) depth++
    } else if (depth > 0) {
      parts.push(place(random), "MSTORE")
      depth--
    }
  }
  // what is left on the stack decides the result, too
  for (; depth > 0; depth--) parts.push(BigInt(MEMORY - 32 * Math.min(depth, 16)), "MSTORE")
  const ends: ReadonlyArray<ReadonlyArray<Part>> = [
    [BigInt(MEMORY), 0n, "RETURN"],
    [BigInt(MEMORY), 0n, "RETURN"],
    [BigInt(MEMORY), 0n, "RETURN"],
    [64n, place(random), "RETURN"],
    [96n, 0n, "REVERT"],
    [target(random), "SELFDESTRUCT"],
    ["STOP"],
    ["INVALID"]
  ]
  return code(...parts, ...Random.pick(random, ends))
}
