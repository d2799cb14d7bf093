/** The outcomes of calls that were run here: the answer of the method, or the way in which the call failed. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Result from "effect/Result"

import type * as AccessListResult from "../model/AccessListResult.ts"
import type * as Simulation from "../model/Simulation.ts"

/** The call ended without failure. */
export interface Returned {
  readonly _tag: "Returned"
  /** The returned bytes. For a creation: the code of the new contract. */
  readonly data: Hex.Hex
  /** The gas that a transaction with this call uses, refunds deducted. */
  readonly gasUsed: bigint
}

/** The code reverted: opcode REVERT. */
export interface Reverted {
  readonly _tag: "Reverted"
  /** The bytes of the revert, which may be empty. */
  readonly data: Hex.Hex
  /** The text of `Error(string)`, or the meaning of `Panic(uint256)`; undefined for other bytes. */
  readonly reason: string | undefined
  readonly gasUsed: bigint
}

/**
 * The call failed in another way. It used all of its gas, or did not begin.
 */
export interface Halted {
  readonly _tag: "Halted"
  /** The name of the failure, such as `out of gas` or `insufficient funds`. */
  readonly halt: string
  readonly gasUsed: bigint
}

/** The outcome of a call. A revert and a halt are results too: they follow from the same state. */
export type CallOutcome = Returned | Reverted | Halted

/** An amount of gas with which the call succeeds. */
export interface Estimated {
  readonly _tag: "Estimated"
  /** The call succeeded in a run with this gas limit. */
  readonly gas: bigint
  /**
   * The highest lower gas limit that is known to be too low: the call failed in a run with it, or it is below the gas that
   * a transaction costs before its code runs.
   */
  readonly tooLow: bigint
}

/** The outcome of an estimate. It is a revert or a halt if the call fails with all gas that it can have. */
export type EstimateOutcome = Estimated | Reverted | Halted

/** An access list, and the gas that the call uses with it. */
export interface Listed {
  readonly _tag: "Listed"
  /** Its `error` is the failure of the call, if it failed with this list. */
  readonly list: AccessListResult.AccessListResult
}

/** The outcome of eth_createAccessList. It is a halt if the call could not begin. */
export type AccessListOutcome = Listed | Halted

/** The results of all calls of a simulation. */
export interface Simulated {
  readonly _tag: "Simulated"
  /**
   * The blocks, without the fields that only the whole state of a block gives: `hash`, `parentHash` and the roots. The
   * `parentHash` of the first block is known.
   */
  readonly blocks: ReadonlyArray<Simulation.SimulatedBlock>
}

/** The simulation did not begin, or stopped at a call that no block could contain. */
export interface Refused {
  readonly _tag: "Refused"
  /** The code of the error in execution-apis, such as -38014 for a sender without funds. */
  readonly code: number
  readonly message: string
}

/** The outcome of a simulation. */
export type SimulationOutcome = Simulated | Refused

/** The outcome of any method that an engine runs. */
export type AnyOutcome = CallOutcome | EstimateOutcome | AccessListOutcome | SimulationOutcome

/** The answer of a method that has this outcome. */
export type AnswerOf<O extends AnyOutcome> =
  | (O extends Returned ? Hex.Hex : never)
  | (O extends Estimated ? bigint : never)
  | (O extends Listed ? AccessListResult.AccessListResult : never)
  | (O extends Simulated ? ReadonlyArray<Simulation.SimulatedBlock> : never)

/**
 * Returns the answer of the method, or the error with which nodes answer. A revert has the code 3 and its bytes as
 * `data`. Default of `method`: eth_call.
 *
 * ```ts import.meta.vitest
 * import { CallOutcome } from "@plumbline/eth-methods"
 * import { Result } from "effect"
 *
 * CallOutcome.toAnswer({ _tag: "Returned", data: "0x2a", gasUsed: 21_000n }) // => Result.succeed("0x2a")
 * CallOutcome.toAnswer({ _tag: "Estimated", gas: 30_000n, tooLow: 29_900n }) // => Result.succeed(30_000n)
 * const reverted = { _tag: "Reverted", data: "0x", reason: undefined, gasUsed: 21_000n } as const
 * const failed = CallOutcome.toAnswer(reverted, "eth_estimateGas")
 * Result.isFailure(failed) && failed.failure.message // => "eth_estimateGas: execution reverted (code 3)"
 * ```
 */
export const toAnswer = <const O extends AnyOutcome>(
  outcome: O,
  method = "eth_call"
): Result.Result<AnswerOf<O>, JsonRpcError> => answer(outcome, method) as Result.Result<AnswerOf<O>, JsonRpcError>

const answer = (outcome: AnyOutcome, method: string): Result.Result<unknown, JsonRpcError> => {
  const fail = (error: { readonly code: number; readonly message: string; readonly data?: Hex.Hex }) => {
    const failure = new JsonRpcError({ method, reason: new RemoteError(error) })
    outcomes.add(failure)
    return Result.fail(failure)
  }
  switch (outcome._tag) {
    case "Returned":
      return Result.succeed(outcome.data)
    case "Estimated":
      return Result.succeed(outcome.gas)
    case "Listed":
      return Result.succeed(outcome.list)
    case "Simulated":
      return Result.succeed(outcome.blocks)
    case "Reverted":
      return fail({ code: REVERTED, message: revertMessage(outcome), data: outcome.data })
    case "Halted":
      return fail({ code: FAILED, message: outcome.halt })
    case "Refused":
      return fail({ code: outcome.code, message: outcome.message })
  }
}

/** The errors that `toAnswer` made. */
const outcomes = /* @__PURE__ */ new WeakSet<JsonRpcError>()

/** True for an error that `toAnswer` made: a run ended so, and no node said it. */
export const isOutcome = (error: JsonRpcError): boolean => outcomes.has(error)

/** Returns the message with which nodes report a revert. */
export const revertMessage = ({ reason }: Pick<Reverted, "reason">): string =>
  `execution reverted${reason === undefined ? "" : `: ${reason}`}`

/** The code of a revert, in all nodes. */
const REVERTED = 3

/** The code of other failures, in geth. */
const FAILED = -32_000
