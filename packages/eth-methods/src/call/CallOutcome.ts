/** The outcome of a call that was run here: the bytes that it returned, or the way in which it failed. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import { JsonRpcError, RemoteError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import * as Result from "effect/Result"

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

/**
 * Returns the answer of eth_call: the returned bytes, or the error with which nodes answer. A revert has the code 3 and
 * its bytes as `data`.
 *
 * ```ts import.meta.vitest
 * import { CallOutcome } from "@plumbline/eth-methods"
 * import { Result } from "effect"
 *
 * CallOutcome.toAnswer({ _tag: "Returned", data: "0x2a", gasUsed: 21_000n }) // => Result.succeed("0x2a")
 * const failed = CallOutcome.toAnswer({ _tag: "Reverted", data: "0x", reason: undefined, gasUsed: 21_000n })
 * Result.isFailure(failed) && failed.failure.message // => "eth_call: execution reverted (code 3)"
 * ```
 */
export const toAnswer = (outcome: CallOutcome): Result.Result<Hex.Hex, JsonRpcError> => {
  switch (outcome._tag) {
    case "Returned":
      return Result.succeed(outcome.data)
    case "Reverted":
      return fail({
        code: REVERTED,
        message: `execution reverted${outcome.reason === undefined ? "" : `: ${outcome.reason}`}`,
        data: outcome.data
      })
    case "Halted":
      return fail({ code: FAILED, message: outcome.halt })
  }
}

/** The code of a revert, in all nodes. */
const REVERTED = 3

/** The code of other failures, in geth. */
const FAILED = -32_000

const fail = (error: { readonly code: number; readonly message: string; readonly data?: Hex.Hex }) =>
  Result.fail(new JsonRpcError({ method: "eth_call", reason: new RemoteError(error) }))
