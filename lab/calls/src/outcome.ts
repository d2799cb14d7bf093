/** The end of a call, in the same words for every node. */
import type { Hex } from "viem"

import { precompiles } from "./draw/precompiles.ts"
import type { Answer, Request, Send } from "./rpc.ts"

/** The request of a call. Absent fields are left out. */
export interface Transaction {
  readonly from?: Hex
  readonly to?: Hex
  readonly data?: Hex
  readonly value?: Hex
  readonly gas?: Hex
  readonly gasPrice?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
  readonly accessList?: ReadonlyArray<{ readonly address: Hex; readonly storageKeys: ReadonlyArray<Hex> }>
}

/** The end of a call. `gasUsed` counts the intrinsic gas, and what is left after refunds. */
export type Outcome =
  | { readonly _tag: "returned" | "reverted"; readonly data: Hex; readonly gasUsed: bigint }
  | { readonly _tag: "halted"; readonly by: Halt; readonly gasUsed: bigint }
  | { readonly _tag: "refused"; readonly by: Refusal }
  /** The side says that it cannot run the call. */
  | { readonly _tag: "declined"; readonly why: string }

/** A reason for which a run ends without data. */
export type Halt =
  | "out of gas"
  | "invalid opcode"
  | "stack limits"
  | "invalid jump"
  | "write protection"
  | "return data out of bounds"
  | "code too large"
  | "code starts with 0xef"
  | "address collision"
  | "precompile failed"
  | "nonce"

/** A reason for which a call does not run at all. */
export type Refusal = "insufficient funds" | "intrinsic gas" | "fee below base fee" | "initcode too large"

/** Messages of geth, of anvil's tracer, which repeats most of them, and of @ethereumjs/evm. */
const halts: ReadonlyArray<readonly [RegExp, Halt]> = [
  // anvil calls it an overflow if DUP finds no item
  [/^stack ?underflow|^stack (limit reached|overflow)|out of stack/iu, "stack limits"],
  [/^invalid opcode|^opcode not found|^not ?activated/iu, "invalid opcode"],
  [/^invalid jump/iu, "invalid jump"],
  [/^write protection|static ?call|static state change/iu, "write protection"],
  [/^return data out of bounds|^out of offset|outofoffset/iu, "return data out of bounds"],
  [/max(imum)? code size|contractsizelimit/iu, "code too large"],
  [/must not begin with 0xef|startingwithef|invalid bytecode deployed/iu, "code starts with 0xef"],
  [/address collision|create ?collision/iu, "address collision"],
  [/nonce/iu, "nonce"],
  [/out of gas|outofgas|gas uint64 overflow/iu, "out of gas"]
]

const refusals: ReadonlyArray<readonly [RegExp, Refusal]> = [
  [/insufficient funds|insufficient balance/iu, "insufficient funds"],
  [/intrinsic gas too|floor data gas|gas floor/iu, "intrinsic gas"],
  [/max fee per gas less than block base fee/iu, "fee below base fee"],
  [/initcode size/iu, "initcode too large"]
]

const wordFor = <A>(table: ReadonlyArray<readonly [RegExp, A]>, message: string): A | undefined =>
  table.find(([pattern]) => pattern.test(message))?.[1]

/** Returns the name of a halt. Throws if the message is not known. */
export const haltOf = (to: Hex | undefined, message: string): Halt => {
  // every precompile of every node has words of its own, and geth says "out of gas" for some inputs that are too large
  const by = isPrecompile(to) ? "precompile failed" : wordFor(halts, message)
  if (by === undefined) throw new Error(`a halt without a meaning: ${message}`)
  return by
}

/** Returns the reason for which a call did not run, if the message names one. */
export const refusalOf = (message: string): Refusal | undefined => wordFor(refusals, message)

const isPrecompile = (to: Hex | undefined): boolean => to !== undefined && precompiles.has(BigInt(to))

/** The calls of one question: the result as callers see it, and a trace, which says the exact gas. */
const requests = (transaction: Transaction, block: Hex): ReadonlyArray<Request> => [
  ["eth_call", transaction, block],
  ["debug_traceCall", transaction, block, { tracer: "callTracer", tracerConfig: { onlyTopCall: true } }]
]

/** Questions in one batch. */
const AT_ONCE = 25

/** Asks a node, and returns the ends of the calls in their order. */
export const ask = async (
  send: Send,
  block: Hex,
  transactions: ReadonlyArray<Transaction>
): Promise<ReadonlyArray<Outcome>> => {
  const outcomes: Array<Outcome> = []
  for (let at = 0; at < transactions.length; at += AT_ONCE) {
    const part = transactions.slice(at, at + AT_ONCE)
    const answers = await send(part.flatMap((transaction) => requests(transaction, block)))
    for (const [index, { to }] of part.entries()) {
      outcomes.push(outcomeOf(to, answers[index * 2]!, answers[index * 2 + 1]!))
    }
  }
  return outcomes
}

/** Reads the two answers. Throws if they contradict each other, or if a message is not known. */
const outcomeOf = (to: Hex | undefined, call: Answer, trace: Answer): Outcome => {
  const unknown = (): never => {
    throw new Error(`answers without a meaning: ${JSON.stringify(call)} and ${JSON.stringify(trace)}`)
  }
  if ("error" in trace) {
    const by = refusalOf(trace.error.message)
    if (by === undefined || !("error" in call) || refusalOf(call.error.message) !== by) return unknown()
    return { _tag: "refused", by }
  }
  const { error, gasUsed: used, output = "0x" } = trace.result
  const gasUsed = BigInt(used)
  if (error === undefined) {
    return "result" in call && call.result === output ? { _tag: "returned", data: output, gasUsed } : unknown()
  }
  if ("result" in call) return unknown()
  if (/revert/iu.test(error)) {
    // the data of an empty revert is left out by some
    return call.error.code === 3 && (call.error.data ?? "0x") === output
      ? { _tag: "reverted", data: output, gasUsed }
      : unknown()
  }
  return { _tag: "halted", by: haltOf(to, error), gasUsed }
}

/** Returns one line for the end of a call. */
export const shown = (outcome: Outcome): string => {
  switch (outcome._tag) {
    case "refused":
      return `refused: ${outcome.by}`
    case "declined":
      return `declined: ${outcome.why}`
    case "halted":
      return `halted: ${outcome.by}, ${outcome.gasUsed} gas`
    default:
      return `${outcome._tag} ${outcome.data}, ${outcome.gasUsed} gas`
  }
}
