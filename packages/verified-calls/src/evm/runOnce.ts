/** Runs a call once, over the state that is proven so far. This module holds the virtual machine: import it lazily. */
import { EVMError } from "@ethereumjs/evm"
import { Address, type PrefixedHexString } from "@ethereumjs/util"
import * as Hex from "@plumbline/codec/hex/Hex"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"

import { type CallEnvironment, usesSender } from "../rules/callEnvironment.ts"
import { isSince } from "../rules/Hardforks.ts"
import { revertReason } from "../rules/revertReason.ts"
import * as TransactionGas from "../rules/transactionGas.ts"
import { isNone, type Reads, type StateView } from "../state/stateView.ts"
import * as Machine from "./machine.ts"
import * as Pace from "./pace.ts"
import { ProvenStateManager } from "./provenStateManager.ts"

/** A whole run over proven reads, a run that lacks reads, or a run that needs what this machine does not have. */
export type Run =
  | { readonly _tag: "Whole"; readonly outcome: CallOutcome; readonly reads: Reads; readonly returned: number }
  | { readonly _tag: "Missing"; readonly missing: Reads; readonly reads: Reads }
  | { readonly _tag: "Unsupported"; readonly what: string }

/** Runs the call. `signal` cancels it at the next turn of the event loop. */
export const runOnce = async (environment: CallEnvironment, view: StateView, signal: AbortSignal): Promise<Run> => {
  const { call } = environment
  const state = new ProvenStateManager(view, usesSender(call) ? undefined : call.from)
  try {
    const outcome = await execute(environment, state, signal)
    return isNone(state.missing)
      ? { _tag: "Whole", outcome, reads: state.reads, returned: outcome._tag === "Halted" ? 0 : Hex.size(outcome.data) }
      : { _tag: "Missing", missing: state.missing, reads: state.reads }
  } catch (error) {
    if (error instanceof Pace.RunStopped && error.why === "cancelled") throw error
    // after a missing read, anything may happen
    if (!isNone(state.missing)) return { _tag: "Missing", missing: state.missing, reads: state.reads }
    return {
      _tag: "Unsupported",
      what: error instanceof Machine.Unsupported ? error.what : "a call at which the virtual machine itself fails"
    }
  }
}

const execute = async (
  { block, call, chainId, hardfork }: CallEnvironment,
  state: ProvenStateManager,
  signal: AbortSignal
): Promise<CallOutcome> => {
  const from = addressOf(call.from)
  const to = call.to === undefined ? undefined : addressOf(call.to)
  const halted = (halt: string, gasUsed = 0n): CallOutcome => ({ _tag: "Halted", halt, gasUsed })

  if (call.feeCap < call.tipCap) return halted("max priority fee per gas higher than max fee per gas")
  if (call.feeCap > 0n && call.feeCap < (block.baseFee ?? 0n)) return halted("max fee per gas less than block base fee")
  const blobGas = BLOB_GAS * BigInt(call.blobVersionedHashes.length)
  if (blobGas > 0n && call.blobFeeCap > 0n) {
    if (block.blobBaseFee === undefined) throw new Machine.Unsupported("blobs on a chain without a blob schedule")
    if (call.blobFeeCap < block.blobBaseFee) return halted("max fee per blob gas less than block blob gas fee")
  }
  const most = call.gasLimit * call.feeCap + blobGas * call.blobFeeCap + call.value
  const sender = await state.getAccount(from)
  if ((sender?.balance ?? 0n) < most) return halted("insufficient funds for gas * price + value")
  const intrinsic = TransactionGas.intrinsicGas(call, hardfork)
  const least = TransactionGas.floorGas(call, hardfork)
  if (call.gasLimit < intrinsic || call.gasLimit < least) return halted("intrinsic gas too low")
  if (to === undefined && sender?.nonce === LAST_NONCE) {
    return halted("nonce uint64 overflow", TransactionGas.usedGas(call, hardfork, intrinsic, 0n))
  }
  const fee = call.gasLimit * call.gasPrice + blobGas * (call.blobFeeCap === 0n ? 0n : (block.blobBaseFee ?? 0n))
  if (sender !== undefined && fee > 0n) {
    sender.balance -= fee
    await state.putAccount(from, sender)
  }

  const pace = Pace.make(signal, () => !isNone(state.missing))
  const evm = Machine.make(chainId, hardfork, state, pace)
  for (const precompile of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(precompile)
  evm.journal.addAlwaysWarmAddress(call.from)
  if (call.to !== undefined) evm.journal.addAlwaysWarmAddress(call.to)
  if (isSince(hardfork, "shanghai")) evm.journal.addAlwaysWarmAddress(block.coinbase)
  for (const { address, storageKeys } of call.accessList) {
    evm.journal.addAlwaysWarmAddress(address)
    for (const key of storageKeys) evm.journal.addAlwaysWarmSlot(address, key)
  }

  const { execResult } = await evm.runCall({
    caller: from,
    ...(to === undefined ? {} : { to }),
    data: call.data,
    value: call.value,
    gasPrice: call.gasPrice,
    gasLimit: call.gasLimit - intrinsic,
    blobVersionedHashes: call.blobVersionedHashes as Array<PrefixedHexString>,
    block: {
      header: {
        number: block.number,
        timestamp: block.timestamp,
        coinbase: addressOf(block.coinbase),
        difficulty: block.difficulty,
        prevRandao: block.prevRandao,
        gasLimit: block.gasLimit,
        ...(block.baseFee === undefined ? {} : { baseFeePerGas: block.baseFee }),
        getBlobGasPrice: () => {
          if (block.blobBaseFee === undefined)
            throw new Machine.Unsupported("BLOBBASEFEE on a chain without a blob schedule")
          return block.blobBaseFee
        }
      }
    }
  })
  const spent = intrinsic + execResult.executionGasUsed
  const selfdestructs = isSince(hardfork, "london") ? 0n : 24_000n * BigInt(execResult.selfdestruct?.size ?? 0)
  const gasUsed = TransactionGas.usedGas(call, hardfork, spent, (execResult.gasRefund ?? 0n) + selfdestructs)
  const error = execResult.exceptionError
  const data = Hex.fromBytes(execResult.returnValue)
  if (error === undefined) return { _tag: "Returned", data, gasUsed }
  if (error.error !== EVMError.errorMessages.REVERT) return halted(nameOf(error.error), gasUsed)
  return { _tag: "Reverted", data, reason: revertReason(execResult.returnValue), gasUsed }
}

/** The name of a failure. The machine adds the place of a wrong jump. */
const nameOf = (error: string): string => error.replace(/ at 0x.*$/u, "")

/** The nonce that cannot rise any more (EIP-2681). Its account creates nothing. */
const LAST_NONCE = 2n ** 64n - 1n

/** Gas of one blob (EIP-4844). */
const BLOB_GAS = 131_072n

const addressOf = (hex: string): Address => new Address(Hex.toBytesUnsafe(hex))
