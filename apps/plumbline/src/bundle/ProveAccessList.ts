/** Runs `plumbline prove access-list`: writes what a block touched and changed, proven by its header. */
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as ProofBundle from "@plumbline/proof-bundle/bundle/ProofBundle"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as InBlockView from "../answer/InBlockView.ts"
import * as Print from "../answer/Print.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type { ReadFlags } from "../answer/ReadFlags.ts"
import * as OutputFile from "../files/OutputFile.ts"
import * as AccessListView from "./AccessListView.ts"
import * as BundledAccessList from "./BundledAccessList.ts"
import * as BundleRefusal from "./BundleRefusal.ts"
import * as BundleSummary from "./BundleSummary.ts"
import * as BundleView from "./BundleView.ts"

export interface ProveAccessListFlags extends ReadFlags {
  readonly block: Option.Option<string>
  readonly output: string
  readonly force: boolean
}

/** Makes the bundle, and prints the list as the bundle gives it. */
export const run = Effect.fnUntraced(function* (flags: ProveAccessListFlags) {
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const output = yield* OutputFile.find(flags.output)
  yield* OutputFile.checkJson(output, flags.json)
  yield* OutputFile.checkFree(output, flags.force)
  const eth = yield* ChainReading.client(flags, target)
  const ask = Effect.gen(function* () {
    const making = ProofBundle.make({ block: BlockTarget.parameter(target), accessList: true })
    const made = yield* Effect.provide(making, eth)
    const bundle = made.value
    const { proven, value } = yield* BundledAccessList.read(bundle)
    const list = value ?? []
    yield* OutputFile.write(output, ProofBundle.encode(bundle))
    const block = { number: bundle.header.number!, hash: bundle.blockHash }
    const reply = ReadAnswer.accepted(made, () => BundledAccessList.wire(list), block)
    const shown: Print.PrintableAnswer = {
      reply: { ...reply, proven: [...proven.filter(EthEvidence.BlockAccessList.is), ...made.proven] },
      beside: { bundle: { file: flags.output, ...BundleSummary.of(bundle) } },
      view: (style) => [
        style.title(`What ${InBlockView.name(block)} touched`),
        ...AccessListView.lines(list, style),
        ...BundleView.size(bundle, flags.output, style)
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
