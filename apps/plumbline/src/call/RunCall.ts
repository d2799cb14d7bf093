/** Runs `plumbline call`. Loaded when the command is called. */
import type * as CallOutcome from "@plumbline/eth-methods/call/CallOutcome"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as InBlock from "../answer/InBlock.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as AbiValues from "./AbiValues.ts"
import type { CallArguments } from "./CallArguments.ts"
import * as CallQuestion from "./CallQuestion.ts"
import * as CallRules from "./CallRules.ts"
import type { CallRulesFlags } from "./CallRulesFlags.ts"
import * as CallView from "./CallView.ts"

interface CallFlags extends ReadFlags.ReadFlags, CallRulesFlags, CallArguments {
  readonly block: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: CallFlags) {
  const { request, signature, to } = yield* Effect.fromResult(CallQuestion.read(flags))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const decode = (outcome: CallOutcome.CallOutcome) => AbiValues.decodeOutcome(signature, outcome)
  yield* ChainReading.answer(flags, {
    ask: InBlock.read(target, (eth) => eth.call(request, BlockTarget.parameter(target))),
    rules: (followed) => CallRules.known(flags, followed),
    basis: target,
    encode: ({ value }) => CallView.wire(value, decode(value)),
    block: ({ block }) => block,
    view: (answer, claimed, style) => CallView.view(answer, decode(answer.value), { address: to, claimed, style }),
    absent: "No such block"
  })
})
