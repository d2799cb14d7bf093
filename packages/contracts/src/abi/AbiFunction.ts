/** Codes calls of a function that an ABI describes. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"

import type { AbiArgumentError, AbiNameError } from "./AbiError.ts"
import * as AbiItems from "./abiItems.ts"
import * as AbiParameters from "./AbiParameters.ts"
import type { Abi, AbiFunction } from "./AbiType.ts"
import * as AbiTypes from "./abiTypes.ts"

/**
 * Returns the name of a function with the types of its arguments. No two functions of a contract share it.
 *
 * ```ts import.meta.vitest
 * import { AbiFunction, AbiSignature } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * const { item } = Result.getOrThrow(AbiSignature.parse("transfer(address to, uint amount)(bool)"))
 * AbiFunction.signature(item) // => "transfer(address,uint256)"
 * AbiFunction.selector(item) // => "0xa9059cbb"
 * ```
 */
export const signature = ({ inputs, name }: Pick<AbiFunction, "inputs" | "name">): string =>
  name + AbiTypes.names(inputs)

/** Returns the first four bytes of a call: those of the hash of the signature. */
export const selector = (item: Pick<AbiFunction, "inputs" | "name">): Hex.Hex =>
  Keccak256.hashHex(encoder.encode(signature(item))).slice(0, 10) as Hex.Hex

const encoder = /* @__PURE__ */ new TextEncoder()

/**
 * Returns the data of a call: the selector and the encoded arguments.
 *
 * ```ts import.meta.vitest
 * import { AbiFunction } from "@plumbline/contracts"
 * import { Result } from "effect"
 *
 * AbiFunction.encode({ name: "totalSupply", inputs: [] }, []) // => Result.succeed("0x18160ddd")
 * ```
 */
export const encode = (
  item: Pick<AbiFunction, "inputs" | "name">,
  args: ReadonlyArray<unknown>
): Result.Result<Hex.Hex, AbiArgumentError> =>
  Result.map(AbiParameters.encode(item.inputs, args), (data): Hex.Hex => `${selector(item)}${data.slice(2)}`)

/** A call of a function of an ABI: the function, and the data of the call. */
export interface EncodedCall {
  readonly item: AbiFunction
  readonly data: Hex.Hex
}

/**
 * Finds the function of an ABI that has this name and takes these arguments, and encodes the call.
 *
 * ```ts import.meta.vitest
 * import { AbiFunction } from "@plumbline/contracts"
 * import { Result } from "effect"
 * import { parseAbi } from "viem/utils"
 *
 * const abi = parseAbi(["function balanceOf(address) view returns (uint256)", "function mint(bool)", "function mint(bytes4)"])
 * const { data } = Result.getOrThrow(AbiFunction.call(abi, "mint", [true]))
 * data.slice(0, 10) // => "0x18c41a80"
 * const misspelt = AbiFunction.call(abi, "balancOf", [])
 * Result.isFailure(misspelt) && misspelt.failure.message // => "the ABI has no function balancOf. Did you mean balanceOf?"
 * ```
 */
export const call = (
  abi: Abi,
  name: string,
  args: ReadonlyArray<unknown>
): Result.Result<EncodedCall, AbiArgumentError | AbiNameError> => {
  const named = AbiItems.named(abi, "function", name)
  if (named.length === 0) return Result.fail(AbiItems.unknown(abi, "function", name))
  const [first] = named
  if (named.length === 1) return Result.map(encode(first!, args), (data) => ({ item: first!, data }))
  const fitting = named.flatMap((item): ReadonlyArray<EncodedCall> => {
    const data = encode(item, args)
    return Result.isSuccess(data) ? [{ item, data: data.success }] : []
  })
  return fitting.length === 1
    ? Result.succeed(fitting[0]!)
    : Result.fail(AbiItems.ambiguous("function", name, named.map(signature)))
}
