/**
 * Precompiled contracts whose gas pays for seconds of work in JavaScript. They give way as code does, or are refused
 * beyond a size that no contract needs.
 *
 * Sources: EIP-152, 198, 197, 2537, 7823; OP-stack specifications.
 */
import type { ExecResult } from "@ethereumjs/evm"
import * as Hex from "@plumbline/codec/hex/Hex"

import { unsupported } from "../rules/callFailures.ts"
import * as EvmWord from "../rules/evmWord.ts"

/** A precompiled contract of the machine. It gives its gas and its checks; the data decides how long it works. */
export type Contract = (data: Uint8Array, gasLimit: bigint) => Promise<ExecResult> | ExecResult

export interface LongWork {
  /** Runs another precompiled contract of the machine, by the last byte of its address. */
  readonly other: (address: number, data: Uint8Array) => Promise<ExecResult> | ExecResult
  /** True if MODEXP takes no numbers of more than 1024 bytes (EIP-7823). */
  readonly hasBoundedNumbers: boolean
  readonly turn: () => Promise<void> | undefined
}

/** Runs the precompiled contract of an address, of which `contract` is the machine's own. */
export const run = (
  address: number,
  contract: Contract,
  data: Uint8Array,
  gasLimit: bigint,
  work: LongWork
): Promise<ExecResult> | ExecResult => {
  switch (address) {
    case 0x05:
      return power(contract, data, gasLimit, work)
    case 0x08:
      return few(contract, data, gasLimit, { name: "0x08", pair: 192 })
    case 0x09: {
      const rounds = data.length === 213 ? new DataView(data.buffer, data.byteOffset).getUint32(0) : 0
      // without the gas for its rounds it does not begin
      return rounds > ROUNDS && BigInt(rounds) <= gasLimit
        ? refuse(`the precompiled contract 0x09 with more than ${ROUNDS} rounds`)
        : contract(data, gasLimit)
    }
    case 0x0c:
      return sum(contract, data, gasLimit, work, { adds: 0x0b, item: 160 })
    case 0x0e:
      return sum(contract, data, gasLimit, work, { adds: 0x0d, item: 288 })
    case 0x0f:
      return few(contract, data, gasLimit, { name: "0x0f", pair: 384 })
    default:
      return contract(data, gasLimit)
  }
}

/**
 * Refuses an input that some chains of the OP stack do not take. The limits are the lowest of their forks (Jovian), so a
 * smaller input has the same outcome on each chain.
 */
export const checkSize = (address: number, { length }: Uint8Array): void => {
  const most = LEAST_LIMITS[address]
  if (most === undefined || length <= most) return
  const name = `0x${address.toString(16).padStart(2, "0")}`
  refuse(`the precompiled contract ${name} with more than ${most} bytes on another chain than Ethereum`)
}

/** In bytes. Source: OP-stack specifications, Granite, Isthmus and Jovian, "Precompile Input Size Restrictions". */
const LEAST_LIMITS: Readonly<Record<number, number>> = {
  0x08: 81_984,
  0x0c: 288_960,
  0x0e: 278_784,
  0x0f: 156_672
}

/** Maximum number of rounds of BLAKE2 that run without a pause. A hash has 12. */
const ROUNDS = 65_536

/** Maximum number of pairs whose pairing is checked without a pause. A proof of Groth16 has 4. */
const PAIRS = 16

/** Maximum size of a number of MODEXP, in bytes: that of Osaka. */
const NUMBER = 1024

/** The number of bits of an exponent between two turns. */
const BITS = 16

/** Raises a number to a power. The machine gives the gas and the length of the result: its modulus is left out. */
const power = async (
  contract: Contract,
  data: Uint8Array,
  gasLimit: bigint,
  { hasBoundedNumbers, turn }: LongWork
): Promise<ExecResult> => {
  const [base, exponent, modulus] = [0, 32, 64].map((at) => numberAt(data, at, 32)) as [bigint, bigint, bigint]
  if (base > NUMBER || exponent > NUMBER || modulus > NUMBER) {
    // from Osaka on, the machine fails such a call before it works
    return hasBoundedNumbers
      ? contract(data, gasLimit)
      : refuse(`the precompiled contract 0x05 with numbers of more than ${NUMBER} bytes`)
  }
  const from = 96 + Number(base)
  const to = from + Number(exponent)
  const result = await contract(data.subarray(0, to), gasLimit)
  const m = numberAt(data, to, Number(modulus))
  if (result.exceptionError !== undefined || m === 0n) return result
  const e = numberAt(data, from, Number(exponent))
  let square = numberAt(data, 96, Number(base)) % m
  let value = 1n % m
  let bits = 0
  for (let rest = e; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) value = (value * square) % m
    square = (square * square) % m
    if (++bits % BITS === 0) await turn()
  }
  return { ...result, returnValue: Hex.toBytesUnsafe(`0x${value.toString(16).padStart(2 * Number(modulus), "0")}`) }
}

/**
 * Adds multiples of points. With each point at infinity the machine has no work, and gives the gas and the checks of the
 * length; then each multiple is worked out alone.
 */
const sum = async (
  contract: Contract,
  data: Uint8Array,
  gasLimit: bigint,
  { other, turn }: LongWork,
  { adds, item }: { readonly adds: number; readonly item: number }
): Promise<ExecResult> => {
  const result = await contract(new Uint8Array(data.length), gasLimit)
  if (result.exceptionError !== undefined) return result
  let { returnValue } = result
  for (let at = 0; at < data.length; at += item) {
    const multiple = await contract(data.subarray(at, at + item), ENOUGH)
    if (multiple.exceptionError !== undefined) return { ...multiple, executionGasUsed: gasLimit }
    const added = await other(adds, Uint8Array.of(...returnValue, ...multiple.returnValue))
    returnValue = added.returnValue
    await turn()
  }
  return { ...result, returnValue }
}

/** Gas for a single multiple, or the sum of two points. */
export const ENOUGH = 1_000_000n

const few = (
  contract: Contract,
  data: Uint8Array,
  gasLimit: bigint,
  { name, pair }: { readonly name: string; readonly pair: number }
): Promise<ExecResult> | ExecResult =>
  // a pair costs more than 30,000 gas since Istanbul, and more before
  data.length > PAIRS * pair && BigInt(Math.floor(data.length / pair)) * 30_000n <= gasLimit
    ? refuse(`the precompiled contract ${name} with more than ${PAIRS} pairs`)
    : contract(data, gasLimit)

const refuse = (what: string): never => {
  throw unsupported(what)
}

/** Reads a number; zeros follow the data. */
const numberAt = (data: Uint8Array, at: number, size: number): bigint => EvmWord.read(data, at, at + size)
