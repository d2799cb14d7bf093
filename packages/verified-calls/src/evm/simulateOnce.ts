/** Runs the calls of a simulation once, over the state that is proven so far. Each call sees the writes of those before. */
import type { EVM, EVMResult, Message } from "@ethereumjs/evm"
import { Account, createAddressFromString } from "@ethereumjs/util"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { Refused } from "@plumbline/eth-methods/call/CallOutcome"
import { revertMessage } from "@plumbline/eth-methods/call/CallOutcome"
import * as BaseFee from "@plumbline/eth-methods/model/BaseFee"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import type * as Simulation from "@plumbline/eth-methods/model/Simulation"

import type { CallBounds } from "../rules/CallBounds.ts"
import * as CallEnvironment from "../rules/callEnvironment.ts"
import { beyond, unsupported } from "../rules/callFailures.ts"
import { type AccountChange, MAX_NONCE } from "../rules/callOverrides.ts"
import * as EvmWord from "../rules/evmWord.ts"
import { isSince } from "../rules/Hardforks.ts"
import * as ProtocolContracts from "../rules/protocolContracts.ts"
import * as TransactionGas from "../rules/transactionGas.ts"
import type { SimulatedView } from "../state/simulatedView.ts"
import type { Pace } from "./pace.ts"
import { ProvenStateManager } from "./provenStateManager.ts"
import { applyChanges, type Ended, execute, over, type Run } from "./runOnce.ts"

/** A block to simulate. */
export interface SimulatedBlockPlan {
  readonly environment: CallEnvironment.BlockEnvironment
  /** True if the caller gave the base fee. Otherwise it is zero, or with validation follows from the block before. */
  readonly hasBaseFee: boolean
  readonly changes: ReadonlyArray<AccountChange>
  readonly calls: ReadonlyArray<CallRequest.CallRequest>
}

export interface SimulationPlan {
  readonly blocks: ReadonlyArray<SimulatedBlockPlan>
  /** The header fields of the real block by which the next base fee follows. */
  readonly base: Parameters<typeof BaseFee.next>[0]
  readonly parentHash: Simulation.SimulatedBlock["parentHash"]
  readonly validation: boolean
  readonly traceTransfers: boolean
  readonly bounds: CallBounds
}

/** The results of the calls, or the reason why no block could contain them. */
export type SimulatedRun =
  | { readonly _tag: "Blocks"; readonly blocks: ReadonlyArray<Simulation.SimulatedBlock>; readonly gasUsed: bigint }
  | Refused

export const simulateOnce = (
  plan: SimulationPlan,
  view: SimulatedView,
  signal: AbortSignal
): Promise<Run<SimulatedRun>> =>
  over(new ProvenStateManager(view), signal, (state, pace) => runBlocks(plan, view, state, pace))

/** The sums over all calls so far. */
interface Used {
  gas: bigint
  bytes: number
}

const runBlocks = async (
  plan: SimulationPlan,
  view: SimulatedView,
  state: ProvenStateManager,
  pace: Pace
): Promise<SimulatedRun> => {
  const used: Used = { gas: 0n, bytes: 0 }
  const blocks: Array<Simulation.SimulatedBlock> = []
  let parent = plan.base
  for (const { calls, changes, environment, hasBaseFee } of plan.blocks) {
    await pace.turn()
    if (blocks.length > 0 && ProtocolContracts.all.some((address) => state.hasWords(address))) {
      throw unsupported("a block after one whose calls write to a system contract")
    }
    const { block, hardfork } = environment
    const baseFee =
      hasBaseFee || block.baseFee === undefined ? block.baseFee : plan.validation ? BaseFee.next(parent) : 0n
    view.enter({ ...block, hardfork })
    await applyChanges(changes, state, pace)
    const results: Array<Simulation.SimulatedCall> = []
    let gasUsed = 0n
    let logIndex = 0n
    for (const call of calls) {
      await pace.turn()
      const at = { ...environment, block: { ...block, baseFee } }
      const end = await runCall(plan, at, call, state, pace, { gas: block.gasLimit - gasUsed, used })
      if (end._tag !== "Called") return end
      gasUsed += end.result.gasUsed
      results.push({
        ...end.result,
        logs: end.logs.map((log) => ({
          ...log,
          blockNumber: block.number,
          blockTimestamp: block.timestamp,
          transactionIndex: BigInt(results.length),
          logIndex: logIndex++,
          removed: false
        }))
      })
    }
    blocks.push({
      number: block.number,
      timestamp: block.timestamp,
      gasLimit: block.gasLimit,
      gasUsed,
      miner: block.coinbase as NonNullable<Simulation.SimulatedBlock["miner"]>,
      mixHash: Hex.fromBytes(block.prevRandao) as NonNullable<Simulation.SimulatedBlock["mixHash"]>,
      ...(baseFee === undefined ? {} : { baseFeePerGas: baseFee }),
      ...(blocks.length === 0 && plan.parentHash !== undefined ? { parentHash: plan.parentHash } : {}),
      calls: results
    })
    parent = { ...(baseFee === undefined ? {} : { baseFeePerGas: baseFee }), gasLimit: block.gasLimit, gasUsed }
  }
  return { _tag: "Blocks", blocks, gasUsed: used.gas }
}

type CallEnd =
  | {
      readonly _tag: "Called"
      readonly result: Omit<Simulation.SimulatedCall, "logs">
      readonly logs: ReadonlyArray<SimulatedLog>
    }
  | Refused

type SimulatedLog = Pick<Simulation.SimulatedLog, "address" | "topics" | "data">

const runCall = async (
  { bounds, traceTransfers, validation }: SimulationPlan,
  at: CallEnvironment.BlockEnvironment,
  request: CallRequest.CallRequest,
  state: ProvenStateManager,
  pace: Pace,
  left: { readonly gas: bigint; readonly used: Used }
): Promise<CallEnd> => {
  const { used } = left
  if ((request.gas ?? 0n) > left.gas) return refused(-38_015, "block gas limit reached")
  const pool = bounds.gas - used.gas
  const wanted = request.gas ?? left.gas
  const made = CallEnvironment.ofCall({ ...request, gas: wanted < pool ? wanted : pool }, at, bounds, true)
  if (made._tag === "Failure") throw made.failure
  const environment = made.success
  const { call } = environment
  const fault = validation ? await validate(environment, request, state) : undefined
  if (fault !== undefined) return fault
  if (pool < wanted && pool < TransactionGas.leastGas(call, at.hardfork)) {
    throw beyond("gas of all runs", bounds.gas)
  }
  const ended = await execute(environment, state, pace, traceTransfers ? reportTransfers : undefined)
  const { left: machine, outcome, peak } = ended
  if (machine === undefined && outcome._tag === "Halted" && outcome.gasUsed === 0n) {
    return refused(REFUSALS.find(([text]) => outcome.halt.startsWith(text))?.[1] ?? -32_603, outcome.halt)
  }
  if (traceTransfers && (machine?.result.selfdestruct?.size ?? 0) > 0) {
    throw unsupported("transfers of a call that runs SELFDESTRUCT")
  }
  await settle(environment, ended, state)
  used.gas += outcome.gasUsed
  // the bytes of a revert are in its error
  const returnData = outcome._tag === "Returned" ? outcome.data : "0x"
  const logs = outcome._tag === "Returned" ? logsOf(ended) : []
  used.bytes +=
    (outcome._tag === "Halted" ? 0 : Hex.size(outcome.data)) +
    logs.reduce((size, { data }) => size + 128 + Hex.size(data), 0)
  if (used.bytes > bounds.returnBytes) throw beyond("bytes of return data", bounds.returnBytes)
  return {
    _tag: "Called",
    logs,
    result: {
      status: outcome._tag === "Returned" ? 1n : 0n,
      returnData,
      gasUsed: outcome.gasUsed,
      maxUsedGas: peak,
      ...(outcome._tag === "Returned"
        ? {}
        : {
            error:
              outcome._tag === "Reverted"
                ? { code: 3, message: revertMessage(outcome), data: outcome.data }
                : { code: -32_015, message: outcome.halt }
          })
    }
  }
}

/** Returns the rule of a block that a call breaks; only with validation must calls keep to them. */
const validate = async (
  { block, call }: CallEnvironment.CallEnvironment,
  request: CallRequest.CallRequest,
  state: ProvenStateManager
): Promise<Refused | undefined> => {
  if (call.feeCap < (block.baseFee ?? 0n)) return refused(-38_012, "max fee per gas less than block base fee")
  if (call.blobVersionedHashes.length > 0 && call.blobFeeCap < (block.blobBaseFee ?? 0n)) {
    return refused(-32_603, "max fee per blob gas less than block blob gas fee")
  }
  const nonce = (await state.getAccount(createAddressFromString(call.from)))?.nonce ?? 0n
  if (request.nonce !== undefined && request.nonce !== nonce) {
    return request.nonce < nonce ? refused(-38_010, "nonce too low") : refused(-38_011, "nonce too high")
  }
  return nonce === MAX_NONCE ? refused(-32_603, "nonce has max value") : undefined
}

const refused = (code: number, message: string): Refused => ({ _tag: "Refused", code, message })

/** The codes of calls that no block could contain, by the beginning of their names. Source: execution-apis. */
const REFUSALS: ReadonlyArray<readonly [string, number]> = [
  ["insufficient funds", -38_014],
  ["intrinsic gas too low", -38_013],
  ["max initcode size exceeded", -38_025],
  ["max fee per gas less", -38_012],
  ["max priority fee", -32_602]
]

/** Does what follows a call in a block: gives gas back, pays the block's producer, and removes accounts. */
const settle = async (
  { block, call, hardfork }: CallEnvironment.CallEnvironment,
  { left, outcome }: Ended,
  state: ProvenStateManager
): Promise<void> => {
  const pay = async (to: string, amount: bigint): Promise<void> => {
    if (amount === 0n) return
    const address = createAddressFromString(to)
    const account = (await state.getAccount(address)) ?? new Account()
    account.balance += amount
    await state.putAccount(address, account)
  }
  await pay(call.from, (call.gasLimit - outcome.gasUsed) * call.gasPrice)
  const tip = call.gasPrice - (block.baseFee ?? 0n)
  if (tip > 0n) await pay(block.coinbase, outcome.gasUsed * tip)
  if (left !== undefined) {
    const { evm, result } = left
    for (const address of result.selfdestruct?.keys() ?? []) {
      // since EIP-6780, only a contract of the same transaction is removed
      if (isSince(hardfork, "cancun") && result.createdAddresses?.has(address) !== true) continue
      await evm.journal.deleteAccount(createAddressFromString(address))
    }
    await evm.journal.cleanup()
  }
  state.settle()
}

const logsOf = ({ left }: Ended): ReadonlyArray<SimulatedLog> =>
  (left?.result.logs ?? []).map(([address, topics, data]) => ({
    address: Hex.fromBytes(address) as SimulatedLog["address"],
    topics: topics.map((topic) => Hex.fromBytes(topic) as SimulatedLog["topics"][number]),
    data: Hex.fromBytes(data)
  }))

/** The emitter of the logs that stand for transfers of ether. */
const ETHER = new Uint8Array(20).fill(0xee)

/** Keccak-256 of `Transfer(address,address,uint256)` (EIP-20). */
const TRANSFER = Hex.toBytesUnsafe("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef")

/** Puts a log before those of each call that sends ether. The machine drops the logs of calls that fail. */
const reportTransfers = (evm: EVM): void => {
  const open: Array<Message> = []
  evm.events.on("beforeMessage", (message: Message) => void open.push(message))
  evm.events.on("afterMessage", ({ createdAddress, execResult }: EVMResult) => {
    const { caller, delegatecall, to, value } = open.pop()!
    const receiver = to ?? createdAddress
    if (value === 0n || delegatecall || execResult.exceptionError !== undefined || receiver === undefined) return
    execResult.logs = [
      [ETHER, [TRANSFER, wordOf(caller.bytes), wordOf(receiver.bytes)], EvmWord.toBytes(value)],
      ...(execResult.logs ?? [])
    ]
  })
}

const wordOf = (address: Uint8Array): Uint8Array => {
  const word = new Uint8Array(32)
  word.set(address, 12)
  return word
}
