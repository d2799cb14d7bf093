/**
 * Values and their encoding by the ABI. viem encodes and decodes.
 *
 * viem drops bits that a type has no place for, and replaces bytes that are not UTF-8. So what was decoded is encoded
 * again, and counts only if it gives the bytes that were read.
 */
import * as Hex from "@plumbline/codec/hex/Hex"
import type { AbiParameter, DecodeAbiParametersReturnType } from "viem"
import { decodeAbiParameters, encodeAbiParameters } from "viem/utils"

/** Maximum size of what is decoded, in bytes. Values that share their bytes can be many more than the data. */
const MAX_SIZE = 2 ** 20

/** Decodes bytes; undefined if they are not the encoding of values of these types, which more bytes may follow. */
export const decode = <const Types extends ReadonlyArray<AbiParameter>>(
  types: Types,
  data: Hex.Hex
): DecodeAbiParametersReturnType<Types> | undefined => {
  if (Hex.size(data) > MAX_SIZE) return undefined
  try {
    const values = decodeAbiParameters(types, data)
    return data.toLowerCase().startsWith(encodeAbiParameters(types, values as never))
      ? (values as DecodeAbiParametersReturnType<Types>)
      : undefined
  } catch {
    return undefined
  }
}

/** Decodes what follows a selector of 4 bytes. */
export const decodeBody = <const Types extends ReadonlyArray<AbiParameter>>(
  types: Types,
  data: Hex.Hex
): DecodeAbiParametersReturnType<Types> | undefined => decode(types, `0x${data.slice(10)}`)

/** Returns the data of a call or an error: the selector and the encoded values. The values must be of the types. */
export const encode = <const Types extends ReadonlyArray<AbiParameter>>(
  selector: Hex.Hex,
  types: Types,
  values: DecodeAbiParametersReturnType<Types>
): Hex.Hex => `${selector}${encodeAbiParameters(types, values as never).slice(2)}`

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
