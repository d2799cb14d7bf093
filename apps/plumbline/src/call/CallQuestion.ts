/** The call that the arguments of a command describe. */
import * as Hex from "@plumbline/codec/hex/Hex"
import { AbiArgumentError } from "@plumbline/contracts/abi/AbiError"
import * as AbiFunction from "@plumbline/contracts/abi/AbiFunction"
import * as AbiSignature from "@plumbline/contracts/abi/AbiSignature"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type * as CallRequest from "@plumbline/eth-methods/model/CallRequest"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as AccountReference from "../answer/AccountReference.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as WholeNumber from "../terminal/WholeNumber.ts"
import type { CallArguments } from "./CallArguments.ts"

export interface CallQuestion {
  /** The fields of the request, without its receiver. */
  readonly request: CallRequest.CallRequest
  /** The signature that the data was made from; undefined if the data itself was given. */
  readonly signature: AbiSignature.AbiSignature | undefined
}

/** Reads the arguments, except for the receiver. */
export const read = (given: CallArguments): Result.Result<CallQuestion, UsageError> =>
  Result.gen(function* () {
    const { data, signature } = yield* asked(given)
    const from = Option.isNone(given.from) ? {} : { from: yield* AccountReference.address(given.from.value, "--from") }
    const value = yield* numberOf("--value", given.value, 256)
    const gas = yield* numberOf("--gas", given.gas, 64)
    const request = {
      data,
      ...from,
      ...(value === undefined ? {} : { value }),
      ...(gas === undefined ? {} : { gas })
    }
    return { request, signature }
  })

/** Returns the data of the call, and the signature if there is one. */
const asked = ({
  args,
  signature
}: CallArguments): Result.Result<{ data: Hex.Hex; signature?: AbiSignature.AbiSignature }, UsageError> => {
  if (!signature.startsWith("0x")) {
    const parsed = Result.mapError(
      AbiSignature.parse(signature),
      ({ message }) => new UsageError({ problem: `${message}, or 0x and the data of the call` })
    )
    return Result.flatMap(parsed, (signature) =>
      AbiText.read(signature.item.inputs, args).pipe(
        Result.flatMap((values) => AbiFunction.encode(signature.item, values)),
        Result.mapBoth({
          onFailure: ({ reason }) => {
            const types = AbiFunction.signature(signature.item)
            return new UsageError({ problem: new AbiArgumentError({ types, reason }).message })
          },
          onSuccess: (data) => ({ data, signature })
        })
      )
    )
  }
  if (args.length > 0) return Result.fail(new UsageError({ problem: "the data of a call has its arguments in it" }))
  return Hex.isHex(signature)
    ? Result.succeed({ data: signature })
    : Result.fail(new UsageError({ problem: "the data of a call must be 0x and an even number of hex digits" }))
}

/** Reads a number, decimal or 0x, of at most so many bits. */
const numberOf = (
  flag: string,
  given: Option.Option<string>,
  bits: number
): Result.Result<bigint | undefined, UsageError> => {
  const text = Option.getOrUndefined(given)
  if (text === undefined) return Result.succeed(undefined)
  const number = WholeNumber.parse(text, bits)
  return number !== undefined
    ? Result.succeed(number)
    : Result.fail(new UsageError({ problem: `${flag} must be a number, decimal or 0x, of at most ${bits} bits` }))
}
