/** Reads a function as a person writes it: `balanceOf(address)(uint256)` is its name, its arguments, and its results. */
import * as Result from "effect/Result"
import { parseAbiItem } from "viem/utils"

import { AbiSignatureError } from "./AbiError.ts"
import type { AbiFunction, AbiParameter } from "./AbiType.ts"

/** A parsed signature. */
export interface AbiSignature {
  /** The function, with types and no names of arguments. */
  readonly item: AbiFunction
  /** False if the signature does not say what the function returns. */
  readonly hasOutputs: boolean
}

/** Maximum length of a signature, in characters. */
export const MAX_LENGTH = 2048

/**
 * Parses a signature. Names of arguments may stand in it, and have no meaning.
 *
 * ```ts import.meta.vitest
 * import { AbiSignature } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const { hasOutputs, item } = Result.getOrThrow(AbiSignature.parse("balanceOf(address owner)(uint)"))
 * item.inputs // => [{ type: "address" }]
 * item.outputs // => [{ type: "uint256" }]
 * hasOutputs // => true
 * Result.isFailure(AbiSignature.parse("balanceOf")) // => true
 * ```
 */
export const parse = (text: string): Result.Result<AbiSignature, AbiSignatureError> => {
  const match = text.length > MAX_LENGTH ? null : /^\s*([A-Za-z_$][\w$]*)\s*(\(.*\))\s*$/su.exec(text)
  const types = match?.[2]!.replaceAll(/\s*([(),[\]])\s*/gu, "$1") ?? ""
  const end = endOfGroup(types)
  const [inputs, outputs] = [types.slice(0, end), types.slice(end)]
  if (match === null || types.includes(",)") || (outputs !== "" && endOfGroup(outputs) !== outputs.length)) {
    return Result.fail(new AbiSignatureError())
  }
  return Result.try({
    try: () => {
      const item = parseAbiItem(
        `function ${match[1]}${inputs}${outputs === "" ? "" : ` returns ${outputs}`}`
      ) as AbiFunction
      return {
        item: { ...item, inputs: item.inputs.map(withoutName), outputs: item.outputs.map(withoutName) },
        hasOutputs: outputs !== ""
      }
    },
    catch: () => new AbiSignatureError()
  })
}

/** Returns the index behind the bracket that closes the first one; 0 if none does. */
const endOfGroup = (text: string): number => {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "(") depth += 1
    else if (text[at] === ")") depth -= 1
    if (depth === 0) return at + 1
  }
  return 0
}

/** Removes names, because values of a tuple with names would be objects. */
const withoutName = (parameter: AbiParameter): AbiParameter =>
  parameter.components !== undefined
    ? { type: parameter.type, components: parameter.components.map(withoutName) }
    : { type: parameter.type }
