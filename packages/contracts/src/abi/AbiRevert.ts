/** Decodes the error in the bytes of a revert. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import * as AbiFunction from "./AbiFunction.ts"
import * as AbiParameters from "./AbiParameters.ts"
import type { Abi, AbiError } from "./AbiType.ts"

/** An error of an ABI or of Solidity itself, with the values of its arguments. */
export interface AbiRevert {
  readonly item: AbiError
  readonly args: ReadonlyArray<unknown>
}

/**
 * Returns the error with which a contract reverted: one of the ABI, or Solidity's own `Error` or `Panic`; undefined if the
 * bytes are no such error.
 *
 * Source: Solidity's documentation (contract ABI specification, errors; control structures, panic and require).
 *
 * ```ts import.meta.vitest
 * import { AbiRevert } from "@plumbline/contracts"
 *
 * const errors = [{ type: "error", name: "Paused", inputs: [{ name: "until", type: "uint256" }] }] as const
 * AbiRevert.decode(errors, `0x32fb7c98${"00".repeat(31)}05`) // => { item: errors[0], args: [5n] }
 * AbiRevert.decode([], `0x4e487b71${"00".repeat(31)}11`)?.item.name // => "Panic"
 * AbiRevert.decode(errors, "0x") // => undefined
 * ```
 */
export const decode = (abi: Abi, data: Hex.Hex): AbiRevert | undefined => {
  const selector = data.slice(0, 10).toLowerCase()
  for (const item of [...abi, ...SOLIDITY]) {
    if (item.type !== "error" || AbiFunction.selector(item) !== selector) continue
    const args = AbiParameters.decode(item.inputs, `0x${data.slice(10)}`, { exact: true })
    if (Result.isSuccess(args)) return { item, args: args.success }
  }
  return undefined
}

/** The errors of Solidity itself: `require` and `revert` with a text, and failed checks of the compiler. */
const SOLIDITY: Abi = [
  { type: "error", name: "Error", inputs: [{ name: "reason", type: "string" }] },
  { type: "error", name: "Panic", inputs: [{ name: "code", type: "uint256" }] }
]
