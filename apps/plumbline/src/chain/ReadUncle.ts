/** Runs `plumbline uncle`. Loaded when the command is called. */
import * as Block from "@plumbline/eth-methods/model/Block"
import * as EthEvidence from "@plumbline/eth-methods/proof/EthEvidence"
import type { Client, VerdictRead } from "@plumbline/eth-methods/verified/VerdictEthClient"
import type * as Claim from "@plumbline/verdict/Claim"
import type * as Evidence from "@plumbline/verdict/Evidence"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

import * as BlockReference from "../answer/BlockReference.ts"
import * as BlockTarget from "../answer/BlockTarget.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as InBlock from "../answer/InBlock.ts"
import * as ReadAnswer from "../answer/ReadAnswer.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import * as UncleView from "./UncleView.ts"

interface UncleFlags extends ReadFlags.ReadFlags {
  readonly block: string
  readonly index: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: UncleFlags) {
  const target = yield* Effect.fromResult(BlockTarget.named(flags.block, flags))
  const uncleAt = at(target.reference)
  const common = { basis: target, block: blockOf, absent: "No such block" }
  if (Option.isNone(flags.index)) {
    return yield* ChainReading.answer(flags, {
      ...common,
      ask: InBlock.read(target, (eth, block) => all(block, uncleAt(eth))),
      encode: ({ value }) => value.map((uncle) => encode(uncle)),
      order: eachFirst,
      view: UncleView.list
    })
  }
  const index = yield* Effect.fromResult(BlockReference.index(flags.index.value, "index"))
  return yield* ChainReading.answer(flags, {
    ...common,
    ask: InBlock.read(target, (eth) => uncleAt(eth)(index)),
    encode: ({ value }) => (value === null ? null : encode(value)),
    view: (answer, claimed, style) => UncleView.view(answer, index, claimed, style)
  })
})

const blockOf = ({ block }: InBlock.InBlock<unknown>): ReadAnswer.BlockId | null => block

const encode = Schema.encodeSync(Block.Uncle)

type UnclePosition = (index: bigint) => VerdictRead<Verdict.Verdict<Block.Uncle | null>>

const at =
  (reference: BlockReference.BlockReference) =>
  (eth: Client): UnclePosition =>
  (index) =>
    reference._tag === "Hash"
      ? eth.getUncleByBlockHashAndIndex(reference.hash, index)
      : eth.getUncleByBlockNumberAndIndex(reference.block, index)

/** Reads all uncles, which are proven together. An empty list is proven by the absence of a first uncle. */
const all = (
  block: Block.WithHashes,
  uncleAt: UnclePosition
): VerdictRead<Verdict.Verdict<ReadonlyArray<Block.Uncle>>> =>
  Effect.map(
    Effect.forEach(
      Array.from({ length: asking(block) }, (_, index) => BigInt(index)),
      uncleAt,
      {
        concurrency: "unbounded"
      }
    ),
    ([first, ...others]) =>
      others.reduce(
        (list, verdict) => inAny(Verdict.zip(list, listOf(verdict)), ([before, after]) => [...before, ...after]),
        inAny(listOf(first!), (list) => list)
      )
  )

const listOf = (verdict: Verdict.Verdict<Block.Uncle | null>): Verdict.Verdict<ReadonlyArray<Block.Uncle>> =>
  Verdict.map(verdict, (uncle) => (uncle === null ? [] : [uncle]), ReadAnswer.samePaths)

/**
 * Returns a verdict on a list. Claims about the same field of several items become one claim about the field of all
 * items.
 */
const inAny = <A, B>(verdict: Verdict.Verdict<A>, f: (value: A) => B): Verdict.Verdict<B> => {
  const fields = new Set<string>()
  const claims = (claim: Claim.Claim): ReadonlyArray<Claim.Claim> => {
    const field = claim.about === "Field" ? `[].${claim.field.replace(/^(?:\[\d*\]\.)+/u, "")}` : claim.field
    if (fields.has(field)) return []
    fields.add(field)
    return [{ ...claim, field }]
  }
  return Verdict.map(verdict, f, { claims })
}

/** Sorts the evidence: first the evidence of each uncle, then the evidence of the whole list. */
const eachFirst = (proven: ReadonlyArray<Evidence.Evidence>): ReadonlyArray<Evidence.Evidence> => [
  ...proven.filter(EthEvidence.Member.is),
  ...proven.filter((shown) => !EthEvidence.Member.is(shown))
]

/**
 * Returns the number of uncles to ask for. It is at least one, because asking for the first uncle proves that a list is
 * empty. If the node does not give the number, the result is the maximum that a block can have.
 */
const asking = ({ uncles }: Block.WithHashes): number => Math.min(Math.max(uncles?.length ?? MAX_UNCLES, 1), MAX_UNCLES)

/** Maximum number of uncles of a block (Yellow Paper, section 11.1). */
const MAX_UNCLES = 2
