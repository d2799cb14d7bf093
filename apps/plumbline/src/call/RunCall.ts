/** Runs `plumbline call`. Loaded when the command is called. */
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as AccountQuestion from "../ens/AccountQuestion.ts"
import type { EnsFlags } from "../ens/EnsFlags.ts"
import * as CallRules from "../rules/CallRules.ts"
import type { CallArguments } from "./CallArguments.ts"
import * as CallQuestion from "./CallQuestion.ts"
import * as CallView from "./CallView.ts"
import * as DecodedCall from "./DecodedCall.ts"

interface CallFlags extends ReadFlags.ReadFlags, EnsFlags, CallArguments {
  readonly block: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: CallFlags) {
  const { request, signature } = yield* Effect.fromResult(CallQuestion.read(flags))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const decode = (outcome: CallOutcome.CallOutcome) => DecodedCall.outcome(signature, outcome)
  const question = yield* AccountQuestion.make(
    flags,
    target,
    (eth, to) =>
      Effect.map(eth.call({ ...request, to }, BlockTarget.parameter(target)), (verdict) =>
        Verdict.map(verdict, (outcome) => ({ address: to, outcome }), ReadAnswer.samePaths)
      ),
    (followed) => CallRules.known(flags, followed)
  )
  yield* ChainReading.answer(flags, {
    ...question,
    basis: target,
    encode: ({ value: { outcome } }) => CallView.wire(outcome, decode(outcome)),
    block: ({ block }) => block,
    view: ({ block, value: { address, outcome } }, claimed, style) =>
      CallView.view({ block, value: outcome }, decode(outcome), {
        address,
        hasTypes: signature?.hasOutputs === true,
        claimed,
        style
      }),
    absent: "No such block"
  })
})
