/** Making bundles. */
import * as TrustedBlock from "@plumbline/eth-methods/TrustedBlock"
import * as VerifiedEthClient from "@plumbline/eth-methods/VerifiedEthClient"
import * as ProofBundle from "@plumbline/proof-bundle/ProofBundle"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"

import * as AccountReference from "../AccountReference.ts"
import * as Answer from "../Answer.ts"
import * as ContractFlags from "../ContractFlags.ts"
import * as InBlock from "../InBlock.ts"
import * as OutputFile from "../OutputFile.ts"
import type { ReadFlags } from "../ReadFlags.ts"
import * as Reading from "../Reading.ts"
import * as BundleView from "../view/BundleView.ts"
import * as Printing from "./Printing.ts"
import * as Variables from "./Variables.ts"

/** What the flags say. */
export interface Flags extends ReadFlags, ContractFlags.ContractFlags {
  readonly address: string
  readonly paths: ReadonlyArray<string>
  readonly block: Option.Option<string>
  readonly output: string
  readonly code: boolean
  readonly force: boolean
}

/** `plumbline prove`: what is printed was read from the bundle, after it was made. */
export const run = Effect.fnUntraced(function* (flags: Flags) {
  const address = yield* Effect.fromResult(AccountReference.address(flags.address))
  const trust = yield* Reading.trusted(flags)
  const target = yield* Effect.fromResult(InBlock.targetOf(flags.block, trust))
  const subject = yield* Variables.find(address, yield* ContractFlags.layout(flags), flags.paths)
  const output = yield* OutputFile.find(flags.output)
  yield* OutputFile.checkJson(output, flags.json)
  yield* OutputFile.checkFree(output, flags.force)
  const eth = VerifiedEthClient.VerifiedEthClient.layer.pipe(
    Layer.provide([
      yield* Reading.transportOf(flags),
      trust === undefined ? TrustedBlock.layerNone : TrustedBlock.layerPinned(trust)
    ])
  )
  const ask = Effect.gen(function* () {
    const made = yield* ProofBundle.make({
      block: InBlock.parameter(target),
      contracts: [{ address, layout: subject.layout, paths: Variables.paths(subject), code: flags.code }]
    }).pipe(Effect.provide(eth))
    const bundle = made.value
    const { beside, block, value, verdict, view } = yield* Variables.read(bundle, subject)
    yield* OutputFile.write(output, ProofBundle.encode(bundle))
    const proven = [...verdict.proven, ...made.proven]
    const shown: Printing.Shown = {
      reply: Answer.accepted({ ...made, proven }, () => value, InBlock.wire({ block, value })),
      beside: { ...beside, bundle: { file: flags.output, ...Printing.summary(bundle) } },
      view: (style) => [
        ...view(new Set(made.claimed.map(({ field }) => field)), style),
        ...BundleView.lines(bundle, flags.output, style)
      ]
    }
    return shown
  })
  yield* Printing.answer(
    flags,
    { ask, anchor: target.anchor, subject: "the node's answer" },
    output._tag === "Stdout" ? "stderr" : "stdout"
  )
})
