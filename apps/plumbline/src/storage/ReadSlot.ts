/** Runs `plumbline read-slot`. Loaded when the command is called. */
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as AccountQuestion from "../ens/AccountQuestion.ts"
import type { EnsFlags } from "../ens/EnsFlags.ts"
import * as AccountReference from "./AccountReference.ts"
import * as SlotView from "./SlotView.ts"

interface SlotFlags extends ReadFlags.ReadFlags, EnsFlags {
  readonly address: string
  readonly slot: string
  readonly block: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: SlotFlags) {
  const slot = yield* Effect.fromResult(AccountReference.slot(flags.slot, "slot"))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const question = yield* AccountQuestion.make(flags, target, (eth, address) =>
    Effect.map(eth.getStorageAt(address, slot, BlockTarget.parameter(target)), (verdict) =>
      Verdict.map(
        verdict,
        (word) => ({ address, word, isAbsent: EthEvidence.isAbsent(verdict.proven) }),
        ReadAnswer.samePaths
      )
    )
  )
  yield* ChainReading.answer(flags, {
    ...question,
    basis: target,
    encode: ({ value }) => value.word,
    block: ({ block }) => block,
    view: ({ block, value: { address, isAbsent, word } }, claimed, style) =>
      SlotView.view({ block, value: word }, { address, slot, isAbsent, claimed, style }),
    absent: "No such block"
  })
})
