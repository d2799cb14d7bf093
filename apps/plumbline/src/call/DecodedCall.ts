/** The values in the data of a call and in what it returned, by its signature. */
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as AbiFunction from "@plumbline/contracts/abi/AbiFunction"
import * as AbiParameters from "@plumbline/contracts/abi/AbiParameters"
import type { AbiSignature } from "@plumbline/contracts/abi/AbiSignature"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type { CallOutcome } from "@plumbline/eth-methods/call/CallOutcome"
import * as Result from "effect/Result"

/** Values without names; undefined if the bytes are none of the types that the signature names. */
export type Decoded = ReadonlyArray<AbiText.AbiValue> | undefined

/** Decodes what a call returned, if it returned and the signature says what its function returns. */
export const outcome = (signature: AbiSignature | undefined, outcome: CallOutcome): Decoded =>
  signature?.hasOutputs !== true || outcome._tag !== "Returned"
    ? undefined
    : valuesIn(signature.item.outputs, outcome.data)

/**
 * Returns the arguments in the data of a call; undefined if the data is not exactly that of this function. More bytes are
 * part of the question: a contract can read them, such as a sender that a forwarder appends (EIP-2771).
 */
export const argumentsIn = ({ item }: AbiSignature, data: Hex.Hex): Decoded =>
  data.toLowerCase().startsWith(AbiFunction.selector(item))
    ? valuesIn(item.inputs, `0x${data.slice(SELECTOR.length)}`, { exact: true })
    : undefined

const SELECTOR = "0x00000000"

const valuesIn = (
  types: AbiSignature["item"]["outputs"],
  data: Hex.Hex,
  options?: AbiParameters.AbiDecodeOptions
): Decoded =>
  Result.match(AbiParameters.decode(types, data, options), {
    onFailure: () => undefined,
    onSuccess: (values) => types.map((type, index) => AbiText.fromDecoded(type, values[index]))
  })
