/** Runs a call once, over the state that is proven so far. This module holds the virtual machine: import it lazily. */
import { type EVM, EVMError, type ExecResult } from "@ethereumjs/evm"
import { Account, Address, KECCAK256_RLP, type PrefixedHexString } from "@ethereumjs/util"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Hex from "@plumbline/codec/hex/Hex"
import { CallError } from "@plumbline/eth-methods/call/CallError"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type { AccessListItem } from "@plumbline/eth-methods/model/Transaction"

import { type CallEnvironment, usesSender } from "../rules/callEnvironment.ts"
import { unsupported } from "../rules/callFailures.ts"
import { type AccountChange, isGiven, MAX_NONCE } from "../rules/callOverrides.ts"
import { isSince } from "../rules/Hardforks.ts"
import { revertReason } from "../rules/revertReason.ts"
import * as TransactionGas from "../rules/transactionGas.ts"
import { isNone, type Reads, type StateView } from "../state/stateView.ts"
import * as Authorizations from "./authorizations.ts"
import * as Machine from "./machine.ts"
import * as Pace from "./pace.ts"
import { ProvenStateManager } from "./provenStateManager.ts"

/** A whole run over proven reads, a run that lacks reads, or a run that ended without an outcome. */
export type Run<A = Ended> =
  | { readonly _tag: "Whole"; readonly ended: A; readonly reads: Reads }
  | { readonly _tag: "Missing"; readonly missing: Reads }
  | { readonly _tag: "Failed"; readonly error: CallError }

/** The end of a call. */
export interface Ended {
  readonly outcome: CallOutcome
  /** The gas that the call used before refunds: it needs at least this much. */
  readonly peak: bigint
  /** The addresses and slots that the call touched, without those that are free: the sender, the receiver, precompiles. */
  readonly accessList: ReadonlyArray<AccessListItem>
  /** The machine after the call, and its own result; undefined if the call did not begin. */
  readonly left: { readonly evm: EVM; readonly result: ExecResult } | undefined
}

/** Runs the call. `signal` cancels it at the next turn of the event loop. */
export const runOnce = (environment: CallEnvironment, view: StateView, signal: AbortSignal): Promise<Run> => {
  const { call, changes = [] } = environment
  const isRead = usesSender(call) || changes.some(({ address }) => address === call.from)
  return over(new ProvenStateManager(view, isRead ? undefined : call.from), signal, async (state, pace) => {
    await applyChanges(changes, state, pace)
    return execute(environment, state, pace)
  })
}

/** Runs calls over a state. If a read was missing, the result is that of a probe, and is thrown away. */
export const over = async <A>(
  state: ProvenStateManager,
  signal: AbortSignal,
  run: (state: ProvenStateManager, pace: Pace.Pace) => Promise<A>
): Promise<Run<A>> => {
  const isProbe = (): boolean => !isNone(state.missing)
  try {
    const ended = await run(state, Pace.make(signal, isProbe))
    return isProbe() ? { _tag: "Missing", missing: state.missing } : { _tag: "Whole", ended, reads: state.reads }
  } catch (error) {
    if (error instanceof Pace.RunStopped && error.why === "cancelled") throw error
    // after a missing read, anything may happen
    if (isProbe()) return { _tag: "Missing", missing: state.missing }
    return {
      _tag: "Failed",
      error: error instanceof CallError ? error : unsupported("a call at which the virtual machine itself fails")
    }
  }
}

/** Writes the caller's changes to accounts. They are the state before the next transaction. */
export const applyChanges = async (
  changes: ReadonlyArray<AccountChange>,
  state: ProvenStateManager,
  { turn }: Pace.Pace
): Promise<void> => {
  for (const change of changes) {
    const { address: at, balance, code, isWhole, nonce, slots } = change
    // the hash of a code takes about a millisecond
    await turn()
    const address = addressOf(at)
    // an account whose fields are all given is not read, unless its storage decides if a contract can be made there
    const isVacant = nonce === 0n && code?.length === 0 && !isWhole
    const account = (isGiven(change) && !isVacant ? undefined : await state.getAccount(address)) ?? new Account()
    if (balance !== undefined) account.balance = balance
    if (nonce !== undefined) account.nonce = nonce
    // as in geth, no contract can be made over proven storage (EIP-7610), but one can over storage that is given
    if (isWhole) account.storageRoot = KECCAK256_RLP
    await state.putAccount(address, account)
    if (code !== undefined) await state.putCode(address, code)
    if (isWhole) await state.clearStorage(address)
    for (const [key, word] of slots) {
      await turn()
      await state.putStorage(address, Hex.toBytesUnsafe(key), Hex.toBytesUnsafe(word))
    }
  }
  state.settle()
}

/** Runs a call over the state, and leaves its writes there. `prepare` gets the machine before the code begins. */
export const execute = async (
  { block, call, chainId, hardfork }: CallEnvironment,
  state: ProvenStateManager,
  pace: Pace.Pace,
  prepare?: (evm: EVM) => void
): Promise<Ended> => {
  const from = addressOf(call.from)
  const to = call.to === undefined ? undefined : addressOf(call.to)
  const halted = (halt: string, gasUsed = 0n): Ended => ({
    outcome: { _tag: "Halted", halt, gasUsed },
    peak: gasUsed,
    accessList: [],
    left: undefined
  })

  if (call.feeCap < call.tipCap) return halted("max priority fee per gas higher than max fee per gas")
  if (call.feeCap > 0n && call.feeCap < (block.baseFee ?? 0n)) return halted("max fee per gas less than block base fee")
  const blobGas = TransactionGas.BLOB_GAS * BigInt(call.blobVersionedHashes.length)
  const blobPrice = blobGas > 0n && isSince(hardfork, "cancun") ? block.blobBaseFee : 0n
  if (blobPrice === undefined) throw unsupported("blobs on a chain without a blob schedule")
  if (call.blobFeeCap > 0n && call.blobFeeCap < blobPrice) {
    return halted("max fee per blob gas less than block blob gas fee")
  }
  const most = call.gasLimit * call.feeCap + blobGas * call.blobFeeCap + call.value
  const sender = await state.getAccount(from)
  if ((sender?.balance ?? 0n) < most) return halted("insufficient funds for gas * price + value")
  const intrinsic = TransactionGas.intrinsicGas(call, hardfork)
  const least = TransactionGas.floorGas(call, hardfork)
  if (call.gasLimit < intrinsic || call.gasLimit < least) return halted("intrinsic gas too low")
  if (to === undefined && isSince(hardfork, "shanghai") && call.data.length > TransactionGas.MAX_INITCODE) {
    return halted("max initcode size exceeded")
  }
  const fee = call.gasLimit * call.gasPrice + blobGas * blobPrice
  // in a simulation, a call that names no price of blobs pays that of the block
  if ((sender?.balance ?? 0n) < fee) throw unsupported("blobs that their sender cannot pay")
  if (sender !== undefined && fee > 0n) {
    sender.balance -= fee
    await state.putAccount(from, sender)
  }
  if (to === undefined && sender?.nonce === MAX_NONCE) {
    return halted("nonce uint64 overflow", TransactionGas.usedGas(call, hardfork, intrinsic, 0n))
  }

  const evm = Machine.make(chainId, hardfork, state, pace)
  evm.journal.startReportingAccessList()
  for (const precompile of evm.precompiles.keys()) evm.journal.addAlwaysWarmAddress(precompile)
  evm.journal.addAlwaysWarmAddress(call.from)
  if (call.to !== undefined) evm.journal.addAlwaysWarmAddress(call.to)
  if (isSince(hardfork, "shanghai")) evm.journal.addAlwaysWarmAddress(block.coinbase)
  for (const { address, storageKeys } of call.accessList) {
    evm.journal.addAlwaysWarmAddress(address, address !== call.from && address !== call.to)
    for (const key of storageKeys) evm.journal.addAlwaysWarmSlot(address, key, true)
  }
  const { authorizations = [] } = call
  let restored = 0n
  if (authorizations.length > 0) {
    // a transaction raises its sender's nonce before the list, which may name the sender too
    const account = (await state.getAccount(from)) ?? new Account()
    account.nonce += 1n
    await state.putAccount(from, account)
    restored = await Authorizations.apply(authorizations, chainId, state, pace.turn, (address) =>
      evm.journal.addAlwaysWarmAddress(address)
    )
  }

  prepare?.(evm)
  const { execResult } = await evm.runCall({
    caller: from,
    ...(to === undefined ? {} : { to }),
    data: call.data,
    value: call.value,
    gasPrice: call.gasPrice,
    gasLimit: call.gasLimit - intrinsic,
    skipNonceIncrement: authorizations.length > 0,
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
          if (block.blobBaseFee === undefined) throw unsupported("BLOBBASEFEE on a chain without a blob schedule")
          return block.blobBaseFee
        }
      }
    }
  })
  const spent = intrinsic + execResult.executionGasUsed
  const refund = (execResult.gasRefund ?? 0n) + restored
  const gasUsed = TransactionGas.usedGas(call, hardfork, spent, refund)
  const ended = (outcome: CallOutcome): Ended => ({
    outcome,
    peak: spent < least ? least : spent,
    accessList: listOf(evm, execResult),
    left: { evm, result: execResult }
  })
  const error = execResult.exceptionError
  const data = Hex.fromBytes(execResult.returnValue)
  if (error === undefined) return ended({ _tag: "Returned", data, gasUsed })
  if (error.error !== EVMError.errorMessages.REVERT) {
    return ended({ _tag: "Halted", halt: nameOf(error.error), gasUsed })
  }
  return ended({ _tag: "Reverted", data, reason: revertReason(execResult.returnValue), gasUsed })
}

/** Returns what the run touched. A contract that the call made is warm by itself, so it is listed only with slots. */
const listOf = (evm: EVM, { createdAddresses }: ExecResult): ReadonlyArray<AccessListItem> =>
  [...(evm.journal.accessList ?? [])].flatMap(([digits, slots]): ReadonlyArray<AccessListItem> => {
    const address = `0x${digits}` as const
    if (slots.size === 0 && createdAddresses?.has(address) === true) return []
    return [
      {
        address: address as AccessListItem["address"],
        storageKeys: [...slots].map((slot) => `0x${slot}` as Hash32.Hash32)
      }
    ]
  })

/** The name of a failure. The machine adds the place of a wrong jump. */
const nameOf = (error: string): string => error.replace(/ at 0x.*$/u, "")

const addressOf = (hex: string): Address => new Address(Hex.toBytesUnsafe(hex))
