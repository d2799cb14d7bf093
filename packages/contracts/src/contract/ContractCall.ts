/**
 * A call of a contract's function: its data, and the meaning of what comes back.
 *
 * It is a value: nothing is sent. `Contract` and `VerdictContract` run it, alone or together with others.
 */
import type * as Hex from "@plumbline/codec/hex/Hex"
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import type * as Input from "@plumbline/eth-methods/model/Input"
import type { Verdict } from "@plumbline/verdict/Verdict"
import * as Result from "effect/Result"

import type { AbiArgumentError, AbiNameError } from "../abi/AbiError.ts"
import * as AbiFunction from "../abi/AbiFunction.ts"
import * as AbiParameters from "../abi/AbiParameters.ts"
import * as AbiRevert from "../abi/AbiRevert.ts"
import type {
  Abi,
  BareFunctionName,
  ErrorArgs,
  ErrorName,
  FunctionArgs,
  FunctionName,
  FunctionValue
} from "../abi/AbiType.ts"
import { type DecodedRevert, ReturnedDataError, RevertedError } from "./ContractError.ts"

/** A contract: its address and its ABI. Write the ABI `as const`, or by viem's `parseAbi`, for inferred types. */
export interface DeployedContract<A extends Abi = Abi> {
  readonly address: Input.Address
  readonly abi: A
}

/** The errors with which a contract of this ABI reverts, and those of Solidity itself. */
export type DecodedRevertOf<A extends Abi> =
  | (Abi extends A
      ? DecodedRevert
      : {
          readonly [Name in ErrorName<A>]: {
            readonly name: Name
            readonly args: ErrorArgs<A, Name> extends infer Args extends ReadonlyArray<unknown> ? Args : never
          }
        }[ErrorName<A>])
  | { readonly name: "Error"; readonly args: readonly [reason: string] }
  | { readonly name: "Panic"; readonly args: readonly [code: bigint] }

/** A call of a function that gives a `Value`, or reverts with a `Revert`. */
export interface ContractCall<out Value = unknown, out Revert extends DecodedRevert = DecodedRevert> {
  /** The fields of the call, for `eth_call`. */
  readonly request: { readonly to: Input.Address; readonly data: Hex.Hex }
  /** The function, such as `balanceOf(address)`. */
  readonly function: string
  /** Returns the value in the bytes that the call returned. */
  readonly decode: (
    data: Hex.Hex,
    verdict?: Verdict<CallOutcome.CallOutcome>
  ) => Result.Result<Value, ReturnedDataError>
  /** Returns the error in the bytes of a revert. */
  readonly reverted: (data: Hex.Hex, verdict?: Verdict<CallOutcome.CallOutcome>) => RevertedError<Revert>
}

/** A call, or the reason why the ABI has none. */
export type MadeCall<Value, Revert extends DecodedRevert, E = AbiArgumentError | AbiNameError> = Result.Result<
  ContractCall<Value, Revert>,
  E
>

/** A call of any function. */
export type AnyCall = MadeCall<any, any, any>

/** Makes calls of an ABI's functions. The arguments may be left out if there are none. */
export interface Make {
  <const A extends Abi, const Name extends BareFunctionName<A>>(
    contract: DeployedContract<A>,
    name: Name,
    args?: readonly []
  ): MadeCall<FunctionValue<A, Name>, DecodedRevertOf<A>>
  <const A extends Abi, const Name extends FunctionName<A>, const Args extends FunctionArgs<A, Name>>(
    contract: DeployedContract<A>,
    name: Name,
    args: Args
  ): MadeCall<FunctionValue<A, Name, Args>, DecodedRevertOf<A>>
}

/**
 * Makes a call of a function.
 *
 * ```ts import.meta.vitest
 * import { ContractCall } from "@plumbline/contracts"
 * import { Result } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const token = {
 *   address: "0x00000000219ab540356cBB839Cbe05303d7705Fa",
 *   abi: parseAbi(["function decimals() view returns (uint8)", "error Paused(uint256 until)"])
 * } as const
 * const call = Result.getOrThrow(ContractCall.make(token, "decimals"))
 * call.request // => { to: token.address, data: "0x313ce567" }
 * call.decode(`0x${"00".repeat(31)}12`) // => Result.succeed(18)
 * call.reverted(`0x32fb7c98${"00".repeat(31)}05`).decoded // => { name: "Paused", args: [5n] }
 * ```
 */
export const make: Make = (
  { abi, address }: DeployedContract,
  name: string,
  args: ReadonlyArray<unknown> = []
): MadeCall<any, any> =>
  Result.map(AbiFunction.call(abi, name, args), ({ data, item }): ContractCall => {
    const failed = (verdict: Verdict<CallOutcome.CallOutcome> | undefined) => ({
      address,
      function: AbiFunction.signature(item),
      verdict
    })
    return {
      request: { to: address, data },
      function: AbiFunction.signature(item),
      decode: (data, verdict) =>
        Result.mapBoth(AbiParameters.decode(item.outputs, data), {
          onFailure: (fault) => new ReturnedDataError({ ...failed(verdict), fault }),
          onSuccess: (values) => (values.length < 2 ? values[0] : values)
        }),
      reverted: (data, verdict) => new RevertedError({ ...failed(verdict), data, decoded: decodedOf(abi, data) })
    }
  })

/** Returns the error in the bytes of a revert; undefined if the ABI declares none with these bytes. */
const decodedOf = (abi: Abi, data: Hex.Hex): DecodedRevert | undefined => {
  const revert = AbiRevert.decode(abi, data)
  return revert === undefined ? undefined : { name: revert.item.name, args: revert.args }
}
