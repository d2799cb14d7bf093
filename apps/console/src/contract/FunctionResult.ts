/** Codes calls of a function, and decodes what a call returned or with which error it reverted. */
import type { Hex } from "@plumbline/codec/hex/Hex"
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiParameters from "@plumbline/contracts/abi/AbiParameters"
import * as AbiRevert from "@plumbline/contracts/abi/AbiRevert"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { AbiError, AbiFunction, AbiParameter } from "@plumbline/contracts/abi/AbiType"
import * as Erc20 from "@plumbline/contracts/erc/Erc20"
import * as Result from "effect/Result"

import type { CallEnd } from "../chain/CallReads.ts"

/** Returns the data of a call whose arguments are known to fit. */
export const dataOf = (item: AbiFunction, args: ReadonlyArray<unknown> = []): Hex =>
  Result.getOrThrow(AbiFunctions.encode(item, args))

/** Returns the values that a call returned, or the reason why there are none. */
export const valuesOf = (item: AbiFunction, end: CallEnd): Result.Result<ReadonlyArray<AbiText.AbiValue>, string> => {
  if (end._tag !== "Returned") return Result.fail(end._tag === "Reverted" ? "the call reverted" : end.halt)
  const { outputs } = item
  const values = AbiParameters.decode(outputs, end.data)
  if (Result.isSuccess(values)) return Result.succeed(plain(outputs, values.success))
  const text = tokenText(item, end.data)
  return text === undefined ? Result.fail(values.failure.message) : Result.succeed([text])
}

/** Returns the name or the symbol of an old token, which returns 32 bytes in place of a text; undefined for other data. */
const tokenText = ({ inputs, name, outputs }: AbiFunction, data: Hex): string | undefined => {
  if (inputs.length > 0 || outputs.length !== 1 || outputs[0]!.type !== "string") return undefined
  if (name !== "name" && name !== "symbol") return undefined
  // both have the same two forms
  return Result.getOrUndefined(Result.getOrThrow(Erc20.symbol(NO_ADDRESS)).decode(data))
}

/** The address of a call that is not made: only the data that it would return is read. */
const NO_ADDRESS = "0x0000000000000000000000000000000000000000"

const plain = (types: ReadonlyArray<AbiParameter>, values: ReadonlyArray<unknown>): ReadonlyArray<AbiText.AbiValue> =>
  types.map((type, at) => AbiText.fromDecoded(type, values[at]))

/** An error with which a contract reverted. */
export interface RevertError {
  readonly name: string
  readonly inputs: ReadonlyArray<AbiParameter>
  readonly values: ReadonlyArray<AbiText.AbiValue>
}

/** Returns the error in the bytes of a revert: one of the ABI's errors or of Solidity itself; undefined for other bytes. */
export const errorOf = (errors: ReadonlyArray<AbiError>, data: Hex): RevertError | undefined => {
  const revert = AbiRevert.decode(errors, data)
  if (revert === undefined) return undefined
  const { inputs, name } = revert.item
  return { name, inputs, values: plain(inputs, revert.args) }
}
