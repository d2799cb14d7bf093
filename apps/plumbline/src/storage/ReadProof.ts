/** Runs `plumbline proof`. Loaded when the command is called. */
import * as AccountProof from "@plumbline/eth-methods/model/AccountProof"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as AccountQuestion from "../ens/AccountQuestion.ts"
import type { EnsFlags } from "../ens/EnsFlags.ts"
import * as AccountReference from "./AccountReference.ts"
import * as ProofView from "./ProofView.ts"

interface ProofFlags extends ReadFlags.ReadFlags, EnsFlags {
  readonly address: string
  readonly slots: ReadonlyArray<string>
  readonly block: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: ProofFlags) {
  const { length } = flags.slots
  const keys = yield* Effect.fromResult(
    Result.all(
      flags.slots.map((text, i) => AccountReference.slot(text, length === 1 ? "slot" : `slot ${i + 1} of ${length}`))
    )
  )
  const target = yield* Effect.fromResult(BlockTarget.state(flags))
  const question = yield* AccountQuestion.make(flags, target, (eth, address) =>
    Effect.map(eth.getProof(address, keys, BlockTarget.parameter(target)), (verdict) =>
      Verdict.map(verdict, (proof) => ({ proof, isAbsent: isAbsent(verdict) }), ReadAnswer.samePaths)
    )
  )
  yield* ChainReading.answer(flags, {
    ...question,
    basis: target,
    encode: ({ value }) => encode(value.proof),
    block: ({ block }) => block,
    view: ProofView.view,
    absent: "No such block"
  })
})

/**
 * True if the evidence proves that there is no account. The fields are not enough, because an empty account (possible
 * before EIP-161) has the same fields.
 */
const isAbsent = ({ proven }: Verdict.Verdict<unknown>): boolean =>
  proven.some((shown) => EthEvidence.Account.is(shown) && !shown.exists)

const encode = Schema.encodeSync(AccountProof.AccountProof)
