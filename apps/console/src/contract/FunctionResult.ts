/** Codes calls of a function, and decodes what a call returned or with which error it reverted. */
import type { Hex } from "@plumbline/codec/hex/Hex"
import * as AbiFunctions from "@plumbline/contracts/abi/AbiFunction"
import * as AbiParameters from "@plumbline/contracts/abi/AbiParameters"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { AbiFunction, AbiParameter } from "@plumbline/contracts/abi/AbiType"
import type { AbiError } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"

import type { CallEnd } from "../chain/CallReads.ts"

/** Returns the data of a call whose arguments are known to fit. */
export const dataOf = (item: AbiFunction, args: ReadonlyArray<unknown> = []): Hex =>
  Result.getOrThrow(AbiFunctions.encode(item, args))

/** Returns the values that a call returned, or the reason why there are none. */
export const valuesOf = (
  { outputs }: AbiFunction,
  end: CallEnd
): Result.Result<ReadonlyArray<AbiText.AbiValue>, string> =>
  end._tag === "Returned"
    ? Result.mapBoth(AbiParameters.decode(outputs, end.data), {
        onSuccess: (values) => plain(outputs, values),
        onFailure: ({ message }) => message
      })
    : Result.fail(end._tag === "Reverted" ? "the call reverted" : end.halt)

const plain = (types: ReadonlyArray<AbiParameter>, values: ReadonlyArray<unknown>): ReadonlyArray<AbiText.AbiValue> =>
  types.map((type, at) => AbiText.fromDecoded(type, values[at]))

/** An error with which a contract reverted, as the ABI names it. */
export interface RevertError {
  readonly name: string
  readonly inputs: ReadonlyArray<AbiParameter>
  readonly values: ReadonlyArray<AbiText.AbiValue>
}

/** Returns the error in the bytes of a revert; undefined if none of the errors has these bytes. */
export const errorOf = (errors: ReadonlyArray<AbiError>, data: Hex): RevertError | undefined => {
  for (const { inputs, name } of [...errors, ...BUILT_IN]) {
    if (AbiFunctions.selector({ name, inputs }) !== data.slice(0, 10).toLowerCase()) continue
    const values = AbiParameters.decode(inputs, `0x${data.slice(10)}`, { exact: true })
    if (Result.isSuccess(values)) {
      return { name, inputs, values: plain(inputs, values.success) }
    }
  }
  return undefined
}

/** The errors that Solidity itself reverts with. */
const BUILT_IN: ReadonlyArray<AbiError> = [
  { type: "error", name: "Error", inputs: [{ name: "message", type: "string" }] },
  { type: "error", name: "Panic", inputs: [{ name: "code", type: "uint256" }] }
]
