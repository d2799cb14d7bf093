/** Codes calls of a function that an ABI describes. */
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as Result from "effect/Result"
import type { AbiFunction } from "viem"

import type { AbiArgumentError } from "./AbiError.ts"
import * as AbiParameters from "./AbiParameters.ts"
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
