/** The errors of reading a contract. They have a module of their own, because bundlers keep classes. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Data from "effect/Data"

import type { AbiDecodeError } from "../abi/AbiError.ts"

/** The call that has no value. */
export interface FailedCall {
  /** The contract. */
  readonly address: Hex.Hex
  /** The function, such as `balanceOf(address)`. */
  readonly function: string
  /**
   * The verdict on the outcome of the call: a failure is proven as a value is. Undefined if the client answers without
   * verdicts.
   */
  readonly verdict: Verdict<CallOutcome> | undefined
}

/** An error that a contract reverted with, decoded. */
export interface DecodedRevert {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/**
 * A contract reverted. `decoded` is one of the errors that the ABI declares, or Solidity's own `Error` or `Panic`. The
 * type lists them, so `error.decoded?.name` chooses one.
 *
 * ```ts import.meta.vitest
 * import { ContractError } from "@plumbline/contracts"
 *
 * const error = new ContractError.RevertedError({
 *   address: "0x00000000219ab540356cbb839cbe05303d7705fa",
 *   function: "withdraw(uint256)",
 *   verdict: undefined,
 *   data: "0x",
 *   decoded: { name: "Locked", args: [7n] }
 * })
 * error.message // => "withdraw(uint256) of 0x00000000219ab540356cbb839cbe05303d7705fa reverted: Locked"
 * ```
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it gives the errors of one ABI their types
export class RevertedError<out Revert extends DecodedRevert = DecodedRevert> extends Data.TaggedError("RevertedError")<
  FailedCall & {
    /** The bytes of the revert, which may be empty. */
    readonly data: Hex.Hex
    readonly decoded: DecodedRevert | undefined
  }
> {
  /** The decoded error; undefined if the bytes are none that the ABI declares. */
  declare readonly decoded: Revert | undefined

  override get message(): string {
    const { address, data, decoded } = this
    const why = decoded === undefined ? (data === "0x" ? "" : `: ${shortened(data)}`) : `: ${sentenceOf(decoded)}`
    return `${this.function} of ${address} reverted${why}`
  }
}

/** Maximum length of a contract's text in a message, in characters. */
const MAX_TEXT = 200

const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text)

const sentenceOf = ({ args, name }: DecodedRevert): string => {
  if (name === "Error" && typeof args[0] === "string") return JSON.stringify(shortened(args[0]))
  return name === "Panic" && typeof args[0] === "bigint" ? `panic 0x${args[0].toString(16)}` : name
}

/** A call ended without a result or a revert, for example because its gas was used up. It is run here by an engine. */
export class HaltedError extends Data.TaggedError("HaltedError")<
  FailedCall & {
    /** The name of the failure, such as `out of gas`. */
    readonly halt: string
  }
> {
  override get message(): string {
    return `${this.function} of ${this.address} halted: ${this.halt}`
  }
}

/** A contract returned bytes that are not values of the types that the ABI names. `fault` holds them. */
export class ReturnedDataError extends Data.TaggedError("ReturnedDataError")<
  FailedCall & { readonly fault: AbiDecodeError }
> {
  override get message(): string {
    const why =
      this.fault.fault === "Empty"
        ? "it returned no bytes. Check the address and the block: an account without code returns none."
        : this.fault.message
    return `${this.function} of ${this.address}: ${why}`
  }
}
