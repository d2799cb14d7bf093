/**
 * The instructions of a hardfork, and the loop that runs them.
 *
 * The machine's own loop waits for a promise at each instruction, although few need one, and looks for the targets of
 * jumps anew in each call. This one waits only where there is something to wait for. What an instruction does and costs
 * is the machine's, except for those in `OWN`.
 */
import type { Common } from "@ethereumjs/common"
import { EVMError, getOpcodesForHF } from "@ethereumjs/evm"
import { Address } from "@ethereumjs/util"

import * as EvmWord from "../rules/evmWord.ts"
import type { Pace } from "./pace.ts"
import type { ProvenStateManager } from "./provenStateManager.ts"

type Opcode = ReturnType<typeof getOpcodesForHF>["opcodeMap"][number]
type GasHandler = (state: RunState, fee: bigint, common: Common) => Promise<bigint> | bigint
type OpHandler = (state: RunState, common: Common) => Promise<void> | void

/** One call in progress: its stack, its memory, and its place in the code. */
export type RunState = Parameters<NonNullable<Opcode["gasHandler"]>>[0]

/** One instruction. */
interface Instruction {
  /** The gas that it costs at least. */
  readonly fee: bigint
  /** Adds the gas that depends on the operands. */
  readonly gas: GasHandler | undefined
  /** The bytes of memory that it touches, if its gas depends on nothing else. */
  readonly touched: number
  readonly run: OpHandler
}

/** The instructions of a hardfork by their byte. */
export type Instructions = ReadonlyArray<Instruction>

/** Returns the instructions of the hardfork that `common` names. */
export const make = (common: Common): Instructions =>
  getOpcodesForHF(common).opcodeMap.map(({ gasHandler, opcodeInfo, opHandler }, code) => ({
    fee: opcodeInfo.feeBigInt,
    gas: opcodeInfo.isInvalid ? invalid : opcodeInfo.dynamicGas ? gasOf(code, gasHandler, common) : undefined,
    touched: TOUCHED.get(code) ?? 0,
    run: code >= PUSH1 && code <= PUSH32 ? push : (OWN.get(code) ?? opHandler)
  }))

/** The number of instructions of a fixed price between two turns. */
const STEPS = 64

/**
 * Runs the code of a call from its place on, until it ends: by an `EVMError`, or because its code is over.
 *
 * Others get their turn every few instructions, and before each one whose price, and so its time, is not fixed.
 */
export const run = async (state: RunState, instructions: Instructions, common: Common, pace: Pace): Promise<void> => {
  const { code, interpreter } = state
  let isAnalysed = false
  let left = STEPS
  while (state.programCounter < code.length) {
    const opcode = code[state.programCounter]!
    const { fee, gas, run, touched } = instructions[opcode]!
    const isFixed = gas === undefined || isWithin(state, touched)
    if (!isFixed || --left === 0) {
      left = STEPS
      const others = pace.turn()
      if (others !== undefined) await others
    }
    if (!isAnalysed && (opcode === JUMP || opcode === JUMPI)) {
      state.validJumps = targetsOf(code)
      isAnalysed = true
    }
    state.opCode = opcode
    const price = isFixed ? fee : gas(state, fee, common)
    interpreter.useGas(typeof price === "bigint" ? price : await price)
    state.programCounter++
    const done = run(state, common)
    if (done !== undefined) await done
  }
}

const ADD = 0x01
const MUL = 0x02
const SUB = 0x03
const CALLDATALOAD = 0x35
const EXTCODESIZE = 0x3b
const EXTCODECOPY = 0x3c
const RETURNDATACOPY = 0x3e
const EXTCODEHASH = 0x3f
const MLOAD = 0x51
const MSTORE = 0x52
const MSTORE8 = 0x53
const SLOAD = 0x54
const JUMP = 0x56
const JUMPI = 0x57
const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f
const CREATE = 0xf0
const CREATE2 = 0xf5

const TOUCHED = new Map([
  [MLOAD, 32],
  [MSTORE, 32],
  [MSTORE8, 1]
])

/** True if the memory already has the bytes that an instruction touches. */
const isWithin = ({ memoryWordCount, stack }: RunState, touched: number): boolean =>
  touched > 0 && Number(stack.peek()[0]) + touched <= 32 * Number(memoryWordCount)

const invalid = (): never => {
  throw new EVMError(EVMError.errorMessages.INVALID_OPCODE)
}

const gasOf = (code: number, gas: GasHandler, common: Common): GasHandler => {
  if (code === SLOAD && common.isActivatedEIP(2929)) return loadGas(common)
  return code === RETURNDATACOPY
    ? (state, fee, common) => {
        if (state.gasLeft >= fee && copiesBehindEnd(state)) throw failure("return data out of bounds")
        return gas(state, fee, common)
      }
    : gas
}

/** The price of SLOAD by EIP-2929. */
const loadGas = (common: Common): GasHandler => {
  const [cold, warm] = [common.param("coldsloadGas"), common.param("warmstoragereadGas")]
  return ({ interpreter, stack }, fee) => {
    const address = interpreter.getAddress().bytes
    const key = EvmWord.toBytes(stack.peek()[0]!)
    if (interpreter.journal.isWarmedStorage(address, key)) return fee + warm
    interpreter.journal.addWarmedStorage(address, key)
    return fee + cold
  }
}

/** True if RETURNDATACOPY would read behind the end of the return data (EIP-211). The machine calls this "out of gas". */
const copiesBehindEnd = ({ interpreter, stack }: RunState): boolean => {
  const [, offset, length] = stack.peek(3)
  return offset! + length! > interpreter.getReturnDataSize()
}

/** A halt that the machine has no name for. */
export const failure = (name: string): EVMError => new EVMError(name as EVMError["error"])

/** PUSH1 to PUSH32. Zeros follow the code. */
const push = (state: RunState): void => {
  const { code, opCode, programCounter: from } = state
  const end = from + opCode - (PUSH1 - 1)
  state.programCounter = end
  state.stack.push(EvmWord.read(code, from, end))
}

const addressOf = (word: bigint): Address => new Address(EvmWord.toBytes(word).slice(12))

/** Makes a contract: CREATE, or with a salt CREATE2. */
const creating =
  (isSalted: boolean): OpHandler =>
  async ({ interpreter, memory, messageGasLimit, stack }, common) => {
    const [value, offset, length] = stack.popN(3) as [bigint, bigint, bigint]
    const salt = isSalted ? EvmWord.toBytes(stack.pop()) : undefined
    // EIP-3860
    if (common.isActivatedEIP(3860) && length > common.param("maxInitCodeSize")) {
      throw new EVMError(EVMError.errorMessages.INITCODE_SIZE_VIOLATION)
    }
    const code = length === 0n ? new Uint8Array(0) : memory.read(Number(offset), Number(length), true)
    // the price was worked out before, and with it the gas that the new contract gets
    stack.push(await interpreter.create(messageGasLimit!, value, code, salt))
  }

/**
 * Instructions that the machine runs otherwise or slowly.
 *
 * It takes each code that begins with 0xef00 for an object of the format EIP-3540, although no hardfork has that format:
 * it makes no contract from such a code, and shows only its first two bytes. To nodes it is a code like any other. For
 * the rest, the machine makes text of each word, or divides to keep the sum in 256 bits.
 */
const OWN = new Map<number, OpHandler>([
  [CREATE, creating(false)],
  [CREATE2, creating(true)],
  [
    EXTCODESIZE,
    async ({ stack, stateManager }) => {
      const code = await stateManager.getCode(addressOf(stack.pop()))
      stack.push(BigInt(code.length))
    }
  ],
  [
    EXTCODECOPY,
    async ({ memory, stack, stateManager }) => {
      const [address, to, from, length] = stack.popN(4) as [bigint, bigint, bigint, bigint]
      if (length === 0n) return
      const code = await stateManager.getCode(addressOf(address))
      // zeros follow the code
      const copied = new Uint8Array(Number(length))
      if (from < code.length) copied.set(code.subarray(Number(from), Number(from) + copied.length))
      memory.write(Number(to), copied.length, copied)
    }
  ],
  [
    EXTCODEHASH,
    async ({ stack, stateManager }) => {
      const account = await stateManager.getAccount(addressOf(stack.pop()))
      stack.push(account === undefined || account.isEmpty() ? 0n : EvmWord.read(account.codeHash, 0, 32))
    }
  ],
  [ADD, ({ stack }) => stack.push(BigInt.asUintN(256, stack.pop() + stack.pop()))],
  [MUL, ({ stack }) => stack.push(BigInt.asUintN(256, stack.pop() * stack.pop()))],
  [SUB, ({ stack }) => stack.push(BigInt.asUintN(256, stack.pop() - stack.pop()))],
  [
    CALLDATALOAD,
    ({ interpreter, stack }) => {
      const at = stack.pop()
      const size = interpreter.getCallDataSize()
      stack.push(at >= size ? 0n : EvmWord.read(interpreter.getCallData(), Number(at), Number(at) + 32))
    }
  ],
  [
    MLOAD,
    ({ memory, stack }) => {
      stack.push(EvmWord.read(memory.read(Number(stack.pop()), 32, true), 0, 32))
    }
  ],
  [
    MSTORE,
    ({ memory, stack }) => {
      const at = Number(stack.pop())
      const value = stack.pop()
      memory.extend(at, 32)
      EvmWord.write(memory._store, at, value)
    }
  ],
  [
    SLOAD,
    ({ interpreter, stack, stateManager }) => {
      const word = (stateManager as ProvenStateManager).word(interpreter.getAddress(), EvmWord.toBytes(stack.pop()))
      stack.push(EvmWord.read(word, 0, word.length))
    }
  ]
])

/** The targets of jumps in the codes that were run: 1 at the place of each. */
const analysed = new WeakMap<Uint8Array, Uint8Array>()

const targetsOf = (code: Uint8Array): Uint8Array => {
  const known = analysed.get(code)
  if (known !== undefined) return known
  const targets = new Uint8Array(code.length)
  for (let i = 0; i < code.length; i++) {
    const opcode = code[i]!
    if (opcode === JUMPDEST) targets[i] = 1
    else if (opcode >= PUSH1 && opcode <= PUSH32) i += opcode - (PUSH1 - 1)
  }
  analysed.set(code, targets)
  return targets
}
