/** Runs `plumbline prove call`: runs the call, and writes what runs it again. */
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as AccountReference from "../answer/AccountReference.ts"
import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as Print from "../answer/Print.ts"
import type { ReadFlags } from "../answer/ReadFlags.ts"
import type { CallArguments } from "../call/CallArguments.ts"
import * as CallQuestion from "../call/CallQuestion.ts"
import * as OutputFile from "../files/OutputFile.ts"
import * as CallRules from "../rules/CallRules.ts"
import type { CallRulesFlags } from "../rules/CallRulesFlags.ts"
import * as BundledCall from "./BundledCall.ts"
import * as BundleRefusal from "./BundleRefusal.ts"
import * as BundleSummary from "./BundleSummary.ts"
import * as BundleView from "./BundleView.ts"

export interface ProveCallFlags extends ReadFlags, CallRulesFlags, CallArguments {
  readonly block: Option.Option<string>
  readonly output: string
  readonly force: boolean
}

/** Makes the bundle, and prints the outcome as a replay of the bundle gives it. */
export const run = Effect.fnUntraced(function* (flags: ProveCallFlags) {
  const to = yield* Effect.fromResult(AccountReference.address(flags.address))
  const { request, signature } = yield* Effect.fromResult(CallQuestion.read(flags))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const output = yield* OutputFile.find(flags.output)
  yield* OutputFile.checkJson(output, flags.json)
  yield* OutputFile.checkFree(output, flags.force)
  const eth = yield* ChainReading.client(flags, target, { rules: (followed) => CallRules.known(flags, followed) })
  const ask = Effect.gen(function* () {
    const call = {
      request: { ...request, to },
      signature: signature === undefined ? undefined : flags.signature.trim()
    }
    const made = yield* Effect.provide(ProofBundle.make({ block: BlockTarget.parameter(target), call }), eth)
    const bundle = made.value
    // the rules of this run are those that the bundle names
    const replayed = yield* BundledCall.replay(bundle, bundle.call?.rules)
    yield* OutputFile.write(output, ProofBundle.encode(bundle))
    const answer = BundledCall.answer(bundle, replayed, made)
    const shown: Print.PrintableAnswer = {
      ...answer,
      beside: { ...answer.beside, bundle: { file: flags.output, ...BundleSummary.of(bundle) } },
      view: (style) => [...answer.view(style), ...BundleView.lines(bundle, flags.output, style)]
    }
    return shown
  })
  yield* Print.answer(
    flags,
    { ask, refusal: BundleRefusal.refusal({ anchor: target.anchor, subject: "the node's answer" }) },
    output._tag === "Stdout" ? "stderr" : "stdout"
  )
})
