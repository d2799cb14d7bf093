/** Runs `plumbline call`. Loaded when the command is called. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as AbiFunction from "@plumbline/contracts/abi/AbiFunction"
import * as AbiParameters from "@plumbline/contracts/abi/AbiParameters"
import * as AbiSignature from "@plumbline/contracts/abi/AbiSignature"
import * as AbiText from "@plumbline/contracts/abi/AbiText"
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as AccountQuestion from "../ens/AccountQuestion.ts"
import type { EnsFlags } from "../ens/EnsFlags.ts"
import * as AccountReference from "../storage/AccountReference.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as WholeNumber from "../terminal/WholeNumber.ts"
import * as CallRules from "./CallRules.ts"
import * as CallView from "./CallView.ts"

interface CallFlags extends ReadFlags.ReadFlags, EnsFlags {
  readonly address: string
  readonly signature: string
  readonly args: ReadonlyArray<string>
  readonly from: Option.Option<string>
  readonly value: Option.Option<string>
  readonly gas: Option.Option<string>
  readonly block: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: CallFlags) {
  const { data, signature } = yield* Effect.fromResult(asked(flags))
  const from = Option.isNone(flags.from)
    ? {}
    : { from: yield* Effect.fromResult(AccountReference.address(flags.from.value, "--from")) }
  const value = yield* Effect.fromResult(numberOf("--value", flags.value, 256))
  const gas = yield* Effect.fromResult(numberOf("--gas", flags.gas, 64))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const request = {
    data,
    ...from,
    ...(value === undefined ? {} : { value }),
    ...(gas === undefined ? {} : { gas })
  }
  const decode = (outcome: CallOutcome.CallOutcome): CallView.Decoded =>
    signature?.hasOutputs !== true || outcome._tag !== "Returned"
      ? undefined
      : valuesOf(signature.item.outputs, outcome.data)
  const question = yield* AccountQuestion.make(flags, target, (eth, to) =>
    Effect.map(eth.call({ ...request, to }, BlockTarget.parameter(target)), (verdict) =>
      Verdict.map(verdict, (outcome) => ({ address: to, outcome }), ReadAnswer.samePaths)
    )
  )
  yield* ChainReading.answer(flags, {
    ask: question.ask,
    rules: question.rules ?? ((followed) => CallRules.known(flags, followed)),
    basis: target,
    encode: ({ value: { outcome } }) => CallView.wire(outcome, decode(outcome)),
    block: ({ block }) => block,
    view: ({ block, value: { address, outcome } }, claimed, style) =>
      CallView.view({ block, value: outcome }, decode(outcome), { address, claimed, style }),
    absent: "No such block"
  })
})

/** Returns the values that the call returned; undefined if the bytes are no such values. */
const valuesOf = (types: AbiSignature.AbiSignature["item"]["outputs"], data: Hex.Hex): CallView.Decoded =>
  Result.match(AbiParameters.decode(types, data), {
    onFailure: () => undefined,
    onSuccess: (values) => types.map((type, index) => AbiText.fromDecoded(type, values[index]))
  })

/** Returns the data of the call, and the signature if there is one. */
const asked = ({
  args,
  signature
}: CallFlags): Result.Result<{ data: Hex.Hex; signature?: AbiSignature.AbiSignature }, UsageError> => {
  if (!signature.startsWith("0x")) {
    const parsed = Result.mapError(
      AbiSignature.parse(signature),
      ({ message }) => new UsageError({ problem: `${message}, or 0x and the data of the call` })
    )
    return Result.flatMap(parsed, (signature) =>
      AbiText.read(signature.item.inputs, args).pipe(
        Result.flatMap((values) => AbiFunction.encode(signature.item, values)),
        Result.mapBoth({
          onFailure: ({ message }) => new UsageError({ problem: message }),
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
