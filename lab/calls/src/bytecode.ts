/** Writes bytecode by hand, for what Solidity cannot say. */
import type { Hex } from "viem"

/** The opcodes of Osaka except PUSH, DUP, SWAP and LOG, by name. Source: https://ethereum.github.io/execution-specs. */
export const opcodes = {
  STOP: 0x00,
  ADD: 0x01,
  MUL: 0x02,
  SUB: 0x03,
  DIV: 0x04,
  SDIV: 0x05,
  MOD: 0x06,
  SMOD: 0x07,
  ADDMOD: 0x08,
  MULMOD: 0x09,
  EXP: 0x0a,
  SIGNEXTEND: 0x0b,
  LT: 0x10,
  GT: 0x11,
  SLT: 0x12,
  SGT: 0x13,
  EQ: 0x14,
  ISZERO: 0x15,
  AND: 0x16,
  OR: 0x17,
  XOR: 0x18,
  NOT: 0x19,
  BYTE: 0x1a,
  SHL: 0x1b,
  SHR: 0x1c,
  SAR: 0x1d,
  CLZ: 0x1e,
  KECCAK256: 0x20,
  ADDRESS: 0x30,
  BALANCE: 0x31,
  ORIGIN: 0x32,
  CALLER: 0x33,
  CALLVALUE: 0x34,
  CALLDATALOAD: 0x35,
  CALLDATASIZE: 0x36,
  CALLDATACOPY: 0x37,
  CODESIZE: 0x38,
  CODECOPY: 0x39,
  GASPRICE: 0x3a,
  EXTCODESIZE: 0x3b,
  EXTCODECOPY: 0x3c,
  RETURNDATASIZE: 0x3d,
  RETURNDATACOPY: 0x3e,
  EXTCODEHASH: 0x3f,
  BLOCKHASH: 0x40,
  COINBASE: 0x41,
  TIMESTAMP: 0x42,
  NUMBER: 0x43,
  PREVRANDAO: 0x44,
  GASLIMIT: 0x45,
  CHAINID: 0x46,
  SELFBALANCE: 0x47,
  BASEFEE: 0x48,
  BLOBHASH: 0x49,
  BLOBBASEFEE: 0x4a,
  POP: 0x50,
  MLOAD: 0x51,
  MSTORE: 0x52,
  MSTORE8: 0x53,
  SLOAD: 0x54,
  SSTORE: 0x55,
  JUMP: 0x56,
  JUMPI: 0x57,
  PC: 0x58,
  MSIZE: 0x59,
  GAS: 0x5a,
  JUMPDEST: 0x5b,
  TLOAD: 0x5c,
  TSTORE: 0x5d,
  MCOPY: 0x5e,
  CREATE: 0xf0,
  CALL: 0xf1,
  CALLCODE: 0xf2,
  RETURN: 0xf3,
  DELEGATECALL: 0xf4,
  CREATE2: 0xf5,
  STATICCALL: 0xfa,
  REVERT: 0xfd,
  INVALID: 0xfe,
  SELFDESTRUCT: 0xff
} as const

/** An opcode by its name, a number that is pushed in the shortest form, or bytes as hex. */
export type Part = keyof typeof opcodes | bigint | Hex

const byte = (value: number): string => value.toString(16).padStart(2, "0")

/** Returns the code that pushes a word. */
export const push = (word: bigint): string => {
  if (word === 0n) return "5f"
  const text = word.toString(16)
  const whole = text.length % 2 === 0 ? text : `0${text}`
  return byte(0x5f + whole.length / 2) + whole
}

/** Returns the code of the parts, one after the other. */
export const code = (...parts: ReadonlyArray<Part>): Hex =>
  `0x${parts
    .map((part) =>
      typeof part === "bigint" ? push(part) : part.startsWith("0x") ? part.slice(2) : byte(opcodes[part as "STOP"])
    )
    .join("")}`

/** Returns creation code that makes a contract of this code. */
export const deploying = (runtime: Hex): Hex => {
  const size = ((runtime.length - 2) / 2).toString(16).padStart(8, "0")
  // PUSH4 size, DUP1, PUSH1 12, PUSH0, CODECOPY, PUSH0, RETURN: 12 bytes
  return `0x63${size}80600c5f395ff3${runtime.slice(2)}`
}
