import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as AccountReference from "../answer/AccountReference.ts"
import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type { ReadFlags } from "../answer/ReadFlags.ts"
import * as OutputFile from "../files/OutputFile.ts"
import * as ContractFlags from "../storage/layout/ContractFlags.ts"
import * as BundleRefusal from "./BundleRefusal.ts"
import * as BundleSummary from "./BundleSummary.ts"
import * as BundleView from "./BundleView.ts"
import * as ProvenVariables from "./ProvenVariables.ts"

export interface ProveFlags extends ReadFlags, ContractFlags.ContractFlags {
  readonly address: string
  readonly paths: ReadonlyArray<string>
  readonly block: Option.Option<string>
  readonly output: string
  readonly code: boolean
  readonly force: boolean
}

/** `plumbline prove`: makes the bundle, and prints the values as the bundle gives them. */
export const run = Effect.fnUntraced(function* (flags: ProveFlags) {
  const address = yield* Effect.fromResult(AccountReference.address(flags.address))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const subject = yield* ProvenVariables.find(address, yield* ContractFlags.layout(flags), flags.paths)
  const output = yield* OutputFile.find(flags.output)
  yield* OutputFile.checkJson(output, flags.json)
  yield* OutputFile.checkFree(output, flags.force)
  const eth = yield* ChainReading.client(flags, target)
  const ask = Effect.gen(function* () {
    const made = yield* ProofBundle.make({
      block: BlockTarget.parameter(target),
      contracts: [{ address, layout: subject.layout, paths: ProvenVariables.paths(subject), code: flags.code }]
    }).pipe(Effect.provide(eth))
    const bundle = made.value
    const { beside, block, value, verdict, view } = yield* ProvenVariables.read(bundle, subject)
    yield* OutputFile.write(output, ProofBundle.encode(bundle))
    const reply = ReadAnswer.accepted(made, () => value, block)
    const shown: Print.PrintableAnswer = {
      reply: { ...reply, proven: [...verdict.proven, ...made.proven] },
      beside: { ...beside, bundle: { file: flags.output, ...BundleSummary.of(bundle) } },
      view: (style) => [
        ...view(new Set(made.claimed.map(({ field }) => field)), style),
        ...BundleView.lines(bundle, flags.output, style)
      ]
    }
    return shown
  })
  yield* Print.answer(
    flags,
    { ask, refusal: BundleRefusal.refusal({ anchor: target.anchor, subject: "the node's answer" }) },
    output._tag === "Stdout" ? "stderr" : "stdout"
  )
})
