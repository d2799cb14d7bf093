/** A function as a person types it: `balanceOf(address)(uint256)` is its name, its arguments, and what it returns. */
import * as Result from "effect/Result"
import type { AbiFunction, AbiParameter } from "viem"
import { parseAbiItem } from "viem/utils"

import { UsageError } from "../terminal/UsageError.ts"

/** A parsed signature. */
export interface AbiSignature {
  readonly item: AbiFunction
  /** False if the signature does not say what the function returns. */
  readonly hasOutputs: boolean
}

/** Maximum length of a signature, in characters. */
const MAX_TEXT = 2048

/** Parses a signature. Names of arguments may stand in it, and have no meaning. */
export const parse = (text: string): Result.Result<AbiSignature, UsageError> => {
  const match = text.length > MAX_TEXT ? null : /^\s*([A-Za-z_$][\w$]*)\s*(\(.*\))\s*$/su.exec(text)
  const types = match?.[2]!.replaceAll(/\s*([(),[\]])\s*/gu, "$1") ?? ""
  const end = endOfGroup(types)
  const [inputs, outputs] = [types.slice(0, end), types.slice(end)]
  if (match === null || types.includes(",)") || (outputs !== "" && endOfGroup(outputs) !== outputs.length)) {
    return Result.fail(malformed)
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
    catch: () => malformed
  })
}

const malformed = new UsageError({
  problem: "signature must be a name and types, such as balanceOf(address)(uint256), or 0x and the data of the call"
})

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
  "components" in parameter
    ? { type: parameter.type, components: parameter.components.map(withoutName) }
    : { type: parameter.type }
