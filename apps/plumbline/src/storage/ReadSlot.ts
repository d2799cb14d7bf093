/** Runs `plumbline read-slot`. Loaded when the command is called. */
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as InBlock from "../answer/InBlock.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as AccountReference from "./AccountReference.ts"
import * as SlotView from "./SlotView.ts"

interface SlotFlags extends ReadFlags.ReadFlags {
  readonly address: string
  readonly slot: string
  readonly block: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: SlotFlags) {
  const address = yield* Effect.fromResult(AccountReference.address(flags.address))
  const slot = yield* Effect.fromResult(AccountReference.slot(flags.slot, "slot"))
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  yield* ChainReading.answer(flags, {
    ask: InBlock.read(target, (eth) =>
      Effect.map(eth.getStorageAt(address, slot, BlockTarget.parameter(target)), (verdict) =>
        Verdict.map(verdict, (word) => ({ word, isAbsent: EthEvidence.isAbsent(verdict.proven) }), ReadAnswer.samePaths)
      )
    ),
    basis: target,
    encode: ({ value }) => value.word,
    block: ({ block }) => block,
    view: ({ block, value: { isAbsent, word } }, claimed, style) =>
      SlotView.view({ block, value: word }, { address, slot, isAbsent, claimed, style }),
    absent: "No such block"
  })
})
