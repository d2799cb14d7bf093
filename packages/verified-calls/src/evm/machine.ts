/** The virtual machine of one run. What does not change between runs is made once for each chain and hardfork. */
import { Common, Mainnet } from "@ethereumjs/common"
import {
  EVM,
  EVMError,
  type EVMResult,
  type ExecResult,
  type Message,
  NobleBLS,
  NobleBN254,
  paramsEVM
} from "@ethereumjs/evm"
import { Address } from "@ethereumjs/util"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Hex from "@plumbline/codec/hex/Hex"
import { BoundedMap } from "@plumbline/codec/value/BoundedMap"

import { unsupported } from "../rules/callFailures.ts"
import * as Hardforks from "../rules/Hardforks.ts"
import * as Instructions from "./instructions.ts"
import * as LongPrecompiles from "./longPrecompiles.ts"
import type { Pace } from "./pace.ts"
import type { ProvenStateManager } from "./provenStateManager.ts"

/** The precompiled contract that checks KZG proofs. It needs a trusted setup of 400 kB. */
const POINT_EVALUATION = "0x000000000000000000000000000000000000000a"

/** The precompiled contract that verifies signatures over P-256: since Osaka, and on many rollups before (RIP-7212). */
const P256_VERIFY = "0x0000000000000000000000000000000000000100"

/** The precompiled contract that raises to a power. Osaka raised its price, and op-geth keeps the old one after Karst. */
const MODEXP = "0x0000000000000000000000000000000000000005"

const OWN = "which other chains than Ethereum have from forks of their own on, at prices of their own"

/** The addresses of the precompiled contracts that can work for long. */
const LONG = [0x05, 0x08, 0x09, 0x0c, 0x0e, 0x0f]

/** Rules that do not change. Each machine adds the prices of gas to its rules anew, and listens for another hardfork. */
class FixedCommon extends Common {
  override updateParams(): void {}
}

/** The byte with which the code of a new contract does not begin (EIP-3541). */
const NEVER_FIRST = 0xef

/** The rules of a chain at a hardfork. They hold nothing of a run, so runs share them. */
interface Rules {
  readonly common: Common
  readonly instructions: Instructions.Instructions
}

const known = new BoundedMap<string, Rules>(32)

const rulesOf = (chainId: bigint, hardfork: Hardforks.Hardfork): Rules => {
  const name = `${chainId} ${hardfork}`
  let rules = known.use(name)
  if (rules === undefined) {
    // as text, because a number does not hold ids above 2^53
    const common = new FixedCommon({
      chain: { ...Mainnet, chainId: String(chainId) },
      hardfork,
      params: paramsEVM,
      customCrypto: { keccak256: Keccak256.hash }
    })
    rules = { common, instructions: Instructions.make(common) }
    known.set(name, rules)
  }
  return rules
}

/** Curves, which keep nothing between uses. */
const bls = new NobleBLS()
const bn254 = new NobleBN254()

/**
 * The machine. It runs code by the loop of `Instructions`, tells the state which reads it makes without a use, and halts
 * where nodes halt.
 */
class Machine extends EVM {
  readonly #instructions: Instructions.Instructions
  readonly #pace: Pace
  /** True on a chain that may have limits of its own, as rollups with fault proofs have. */
  readonly #isForeign: boolean
  /** The bytes with which a creation has just ended, if they begin with a byte that no code begins with. */
  #ended: Uint8Array | undefined

  constructor({ common, instructions }: Rules, state: ProvenStateManager, pace: Pace, isForeign: boolean) {
    super({
      common,
      bls,
      bn254,
      stateManager: state,
      blockchain: {
        getBlock: (number) => {
          const hash = state.blockHash(BigInt(number))
          return Promise.resolve({ hash: () => hash })
        },
        putBlock: () => Promise.resolve(),
        shallowCopy() {
          return this
        }
      },
      ...(common.isActivatedEIP(4844) ? { customPrecompiles: [pointEvaluation] } : {})
    })
    // the rules would keep each machine that listens
    common.events.removeAllListeners()
    this.#instructions = instructions
    this.#pace = pace
    this.#isForeign = isForeign
  }

  /** Leaves the instructions to `Instructions`: to the machine's own loop, each code is a single one. */
  override getActiveOpcodes(): ReturnType<EVM["getActiveOpcodes"]> {
    this._opcodes = new Map()
    this._opcodeMap = WHOLE
    return this._opcodes
  }

  /** Runs the code of a call. The machine's loop has passed the first byte of it. */
  runWhole(state: Instructions.RunState): Promise<void> {
    state.programCounter--
    return Instructions.run(state, this.#instructions, this.common, this.#pace)
  }

  /** A precompiled contract never reverts: a node halts at each of its failures. The machine calls some of them reverts. */
  protected override async runPrecompile(...input: Parameters<EVM["runPrecompile"]>): Promise<ExecResult> {
    const [code, all, gas] = input
    const contract: LongPrecompiles.Contract = (data, gasLimit) => super.runPrecompile(code, data, gasLimit)
    const address = LONG.find((at) => this.#contractAt(at) === code)
    if (this.#isForeign && address !== undefined) LongPrecompiles.checkSize(address, all)
    const result = await (address === undefined
      ? contract(all, gas)
      : LongPrecompiles.run(address, contract, all, gas, {
          other: (at, data) => super.runPrecompile(this.#contractAt(at)!, data, LongPrecompiles.ENOUGH),
          hasBoundedNumbers: this.common.isActivatedEIP(7823),
          turn: this.#pace.turn
        }))
    return result.exceptionError?.error === EVMError.errorMessages.REVERT
      ? { ...result, exceptionError: Instructions.failure("precompiled contract failed") }
      : result
  }

  #contractAt(address: number): ReturnType<EVM["getPrecompile"]> {
    return this.getPrecompile(`0x${address.toString(16)}`)
  }

  protected override async runInterpreter(...input: Parameters<EVM["runInterpreter"]>): Promise<ExecResult> {
    const result = await super.runInterpreter(...input)
    const { exceptionError, returnValue } = result
    if (input[0].isCreate !== true || returnValue[0] !== NEVER_FIRST) return result
    this.#ended = returnValue
    return exceptionError === undefined ? result : { ...result, returnValue: new Uint8Array(0) }
  }

  /**
   * The code of a new contract must not begin with 0xef (EIP-3541). The machine wants the same of the bytes of a revert,
   * and asks first whether the gas pays for the code.
   */
  protected override async _executeCreate(message: Message): Promise<EVMResult> {
    const created = await super._executeCreate(message)
    const ended = this.#ended
    if (ended === undefined) return created
    this.#ended = undefined
    const { execResult } = created
    switch (execResult.exceptionError?.error) {
      case EVMError.errorMessages.REVERT:
        return { ...created, execResult: { ...execResult, returnValue: ended } }
      case EVMError.errorMessages.OUT_OF_GAS: {
        if (!this.common.isActivatedEIP(3541)) return created
        const exceptionError = new EVMError(EVMError.errorMessages.INVALID_BYTECODE_RESULT)
        return { ...created, execResult: { ...execResult, exceptionError } }
      }
      default:
        return created
    }
  }

  protected override _executeCall(message: MessageTo): Promise<EVMResult> {
    if (message.delegatecall) (this.stateManager as ProvenStateManager).expectUnusedRead(message.caller.toString())
    return super._executeCall(message)
  }
}

type MessageTo = Message & Required<Pick<Message, "to">>

/** Returns the machine of one run. */
export const make = (chainId: bigint, hardfork: Hardforks.Hardfork, state: ProvenStateManager, pace: Pace): EVM => {
  const isForeign = Hardforks.hasOwnContracts(chainId)
  if (isForeign) {
    state.refuse(P256_VERIFY, `the precompiled contract 0x100, ${OWN}`)
    if (Hardforks.isSince(hardfork, "osaka")) state.refuse(MODEXP, `the precompiled contract 0x05 since Osaka, ${OWN}`)
  }
  return new Machine(rulesOf(chainId, hardfork), state, pace, isForeign)
}

const pointEvaluation = {
  address: new Address(Hex.toBytesUnsafe(POINT_EVALUATION)),
  function: () => {
    throw unsupported("the precompiled contract 0x0a, which checks KZG proofs")
  }
}

type OpcodeMap = EVM["_opcodeMap"]

/** Stands for each instruction in the machine's own loop, and runs the code to its end. */
const WHOLE: OpcodeMap = Array.from({ length: 256 }, (_, code) => ({
  opcodeInfo: {
    code,
    name: "CODE",
    fullName: "CODE",
    fee: 0,
    feeBigInt: 0n,
    isAsync: true,
    dynamicGas: false,
    isInvalid: false
  },
  opHandler: (state: Instructions.RunState) => (state.interpreter._evm as Machine).runWhole(state),
  gasHandler: (_, gas) => gas
}))
