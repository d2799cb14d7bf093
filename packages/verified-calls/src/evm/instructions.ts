/**
 * The instructions of a hardfork, and the loop that runs them.
 *
 * The machine's own loop waits for a promise at each instruction, although few need one, and looks for the targets of
 * jumps anew in each call. This one waits only where there is something to wait for. What an instruction does and costs
 * is the machine's.
 */
import type { Common } from "@ethereumjs/common"
import { EVMError, getOpcodesForHF } from "@ethereumjs/evm"

import type { Pace } from "./pace.ts"
import * as Word from "./word.ts"

type Opcode = ReturnType<typeof getOpcodesForHF>["opcodeMap"][number]
type GasHandler = (...input: Parameters<NonNullable<Opcode["gasHandler"]>>) => Promise<bigint> | bigint
type OpHandler = (state: RunState, common: Common) => Promise<void> | void

/** One call in progress: its stack, its memory, and its place in the code. */
export type RunState = Parameters<GasHandler>[0]

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
    gas: opcodeInfo.isInvalid ? invalid : opcodeInfo.dynamicGas ? gasOf(code, gasHandler) : undefined,
    touched: TOUCHED.get(code) ?? 0,
    run: code >= PUSH1 && code <= PUSH32 ? push : (QUICK.get(code) ?? opHandler)
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
    interpreter.useGas(isFixed ? fee : await gas(state, fee, common))
    state.programCounter++
    const done = run(state, common)
    if (done !== undefined) await done
  }
}

const CALLDATALOAD = 0x35
const RETURNDATACOPY = 0x3e
const MLOAD = 0x51
const MSTORE = 0x52
const MSTORE8 = 0x53
const JUMP = 0x56
const JUMPI = 0x57
const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f

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

const gasOf = (code: number, gas: GasHandler): GasHandler =>
  code === RETURNDATACOPY
    ? (state, fee, common) => {
        if (state.gasLeft >= fee && copiesBehindEnd(state)) throw failure("return data out of bounds")
        return gas(state, fee, common)
      }
    : gas

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
  state.stack.push(Word.read(code, from, end))
}

/** Instructions for which the machine makes text of each word. */
const QUICK = new Map<number, OpHandler>([
  [
    CALLDATALOAD,
    ({ interpreter, stack }) => {
      const at = stack.pop()
      const size = interpreter.getCallDataSize()
      stack.push(at >= size ? 0n : Word.read(interpreter.getCallData(), Number(at), Number(at) + 32))
    }
  ],
  [
    MLOAD,
    ({ memory, stack }) => {
      stack.push(Word.read(memory.read(Number(stack.pop()), 32, true), 0, 32))
    }
  ],
  [
    MSTORE,
    ({ memory, stack }) => {
      const at = Number(stack.pop())
      const value = stack.pop()
      memory.extend(at, 32)
      Word.write(memory._store, at, value)
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
