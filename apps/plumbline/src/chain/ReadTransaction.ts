/** Runs `plumbline tx`. Loaded when the command is called. */
import * as Hex from "@plumbline/codec/hex/Hex"
import * as Transaction from "@plumbline/eth-methods/model/Transaction"
import { type VerdictRead, VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Anchor from "@plumbline/verdict/Anchor"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

import * as BlockReference from "../answer/BlockReference.ts"
import * as ChainReading from "../answer/ChainReading.ts"
import * as ReaderTrust from "../answer/ReaderTrust.ts"
import type * as ReadFlags from "../answer/ReadFlags.ts"
import { UsageError } from "../terminal/UsageError.ts"
import * as TransactionView from "./TransactionView.ts"

interface TransactionFlags extends ReadFlags.ReadFlags {
  readonly hash: Option.Option<string>
  readonly block: Option.Option<string>
  readonly index: Option.Option<string>
}

export const run = Effect.fnUntraced(function* (flags: TransactionFlags) {
  const trust = yield* Effect.fromResult(ReaderTrust.parse(flags))
  const question = yield* Option.isSome(flags.hash)
    ? byHash(flags.hash.value, flags, trust)
    : byPlace(flags.block, flags.index, trust)
  yield* ChainReading.answer(flags, {
    ...question,
    encode: Schema.encodeSync(Transaction.Transaction),
    view: TransactionView.view,
    absent: "No such transaction"
  })
})

type TransactionQuestion = Pick<
  ChainReading.ChainQuestion<Transaction.Transaction, Effect.Error<VerdictRead<unknown>>>,
  "ask" | "basis"
>

const byHash = (
  text: string,
  flags: { readonly block: Option.Option<string>; readonly index: Option.Option<string> },
  trust: ReaderTrust.ReaderTrust
): Effect.Effect<TransactionQuestion, UsageError> =>
  Option.isSome(flags.block) || Option.isSome(flags.index)
    ? Effect.fail(new UsageError({ problem: "give either a transaction's hash, or --block and --index" }))
    : Effect.map(Effect.fromResult(BlockReference.hash(text, "hash")), (hash) => ({
        ask: VerdictEthClient.use((eth) => eth.getTransactionByHash(hash)),
        basis: { trust, anchor: Anchor.transaction(hash) }
      }))

const byPlace = Effect.fnUntraced(function* (
  block: Option.Option<string>,
  position: Option.Option<string>,
  trust: ReaderTrust.ReaderTrust
) {
  if (Option.isNone(block) || Option.isNone(position)) {
    return yield* new UsageError({ problem: "give a transaction's hash, or both --block and --index" })
  }
  const hash = yield* Effect.fromResult(BlockReference.hash(block.value, "--block"))
  const index = yield* Effect.fromResult(BlockReference.index(position.value, "--index"))
  if (trust !== undefined && !Hex.equals(hash, trust)) {
    return yield* new UsageError({ problem: "--trust: what is in the block of --block is proven from that hash" })
  }
  const asked: TransactionQuestion = {
    ask: VerdictEthClient.use((eth) => eth.getTransactionByBlockHashAndIndex(hash, index)),
    basis: { trust, anchor: Anchor.block(hash) }
  }
  return asked
})
