/** Values and their encoding by the ABI, for the few functions and errors of ENS, which are named by their selectors. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as AbiParameters from "@plumbline/contracts/abi/AbiParameters"
import type { AbiParameter, ValuesOf } from "@plumbline/contracts/abi/AbiType"
import * as Result from "effect/Result"

/** Decodes bytes; undefined if they are not the encoding of values of these types, which more bytes may follow. */
export const decode = <const Types extends ReadonlyArray<AbiParameter>>(
  types: Types,
  data: Hex.Hex
): ValuesOf<Types> | undefined => Result.getOrUndefined(AbiParameters.decode(types, data))

/** Decodes what follows a selector of 4 bytes. */
export const decodeBody = <const Types extends ReadonlyArray<AbiParameter>>(
  types: Types,
  data: Hex.Hex
): ValuesOf<Types> | undefined => decode(types, `0x${data.slice(10)}`)

/** Returns the data of a call or an error: the selector and the encoded values, which must be of the types. */
export const encode = <const Types extends ReadonlyArray<AbiParameter>>(
  selector: Hex.Hex,
  types: Types,
  values: ValuesOf<Types>
): Hex.Hex => `${selector}${Result.getOrThrow(AbiParameters.encode(types, values as ReadonlyArray<unknown>)).slice(2)}`

/** Returns the first 4 bytes. */
export const selectorOf = (data: Hex.Hex): Hex.Hex => data.slice(0, 10).toLowerCase() as Hex.Hex

export const bytes = { type: "bytes" } as const
export const bytes4 = { type: "bytes4" } as const
export const bytes32 = { type: "bytes32" } as const
export const address = { type: "address" } as const
export const string = { type: "string" } as const
export const strings = { type: "string[]" } as const
export const uint256 = { type: "uint256" } as const
export const uint16 = { type: "uint16" } as const
