/** One reading: the block, the rounds of proofs, and what follows from them. */
import type * as Address from "@plumbline/codec/Address"
import * as Hash32 from "@plumbline/codec/Hash32"
import * as AccountProof from "@plumbline/eth-methods/AccountProof"
import type * as Block from "@plumbline/eth-methods/Block"
import type * as BlockParameter from "@plumbline/eth-methods/BlockParameter"
import { Refuted } from "@plumbline/eth-methods/Refuted"
import * as StorageKey from "@plumbline/eth-methods/StorageKey"
import { claim, type Verdict } from "@plumbline/eth-methods/Verified"
import type * as VerifiedEthClient from "@plumbline/eth-methods/VerifiedEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/JsonRpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import { NoBlock } from "../NoBlock.ts"
import * as Plan from "../Plan.ts"
import type { Decoded } from "../Value.ts"

/** The most slots that one eth_getProof is asked for. */
export const MAX_SLOTS = 1024

/** How many eth_getProof calls of a round wait at a time. */
const CONCURRENCY = 4

/** A block by its hash, and what ties it to trust where the caller did not name the hash. */
export interface At {
  readonly block: BlockParameter.BlockParameter
  readonly hash: Hash32.Hash32
  /** Undefined where the node knows no block of the hash that the caller named. */
  readonly number: bigint | undefined
  readonly verdict: Verdict<Block.WithHashes | null> | undefined
}

/**
 * Reads the block, also where its hash was given: its number is part of the answer, and whoever proves the words needs its
 * header, once before many proofs are asked for at the same time.
 */
export const locate = Effect.fnUntraced(function* (
  eth: VerifiedEthClient.Client,
  block: BlockParameter.BlockParameter
): Effect.fn.Return<At, NoBlock | JsonRpcError | Refuted> {
  const named = Hash32.isHash32(block)
    ? block
    : typeof block === "object" && "blockHash" in block
      ? block.blockHash
      : undefined
  if (named !== undefined) {
    const { value } = yield* eth.getBlockByHash(named)
    return { block, hash: named, number: value?.number ?? undefined, verdict: undefined }
  }
  const asked = typeof block === "object" && "blockNumber" in block ? block.blockNumber : block
  // some nodes give it a hash, which is of nothing that will be
  if (asked === "pending") return yield* new NoBlock({ reason: "Pending" })
  const verdict = yield* eth.getBlockByNumber(asked as BlockParameter.NumberOrTag)
  if (verdict.value === null) return yield* new NoBlock({ reason: "Unknown" })
  const { hash, number } = verdict.value
  if (hash === null || number === null) return yield* new NoBlock({ reason: "Pending" })
  return { block: { blockHash: hash }, hash, number, verdict }
})

/** An account and some of its words, as they were asked for. */
export type Proofs = ReadonlyArray<Verdict<AccountProof.AccountProof>>

/** The values, and the proofs of their words. */
export interface Outcome {
  readonly values: ReadonlyArray<Decoded>
  readonly words: Plan.Words
  readonly proofs: Proofs
}

/** Asks for the words of a plan round by round. `before` are proofs of the account that there are already. */
export const run = Effect.fnUntraced(function* (
  eth: VerifiedEthClient.Client,
  address: Address.Address,
  start: Plan.Plan,
  at: At,
  before: Proofs = []
): Effect.fn.Return<Outcome, JsonRpcError | Refuted> {
  let plan = start
  const proofs = [...before]
  // an account is proven even where no word is wanted: a verdict needs something to stand on
  while (plan._tag === "Want" || proofs.length === 0) {
    const slots: ReadonlyArray<bigint> = plan._tag === "Want" ? plan.slots : []
    const answers = yield* Effect.forEach(
      chunks(slots),
      (slots) => eth.getProof(address, slots.map(StorageKey.fromSlot), at.block),
      { concurrency: CONCURRENCY }
    )
    proofs.push(...answers)
    if (plan._tag === "Done") break
    const words = yield* Effect.fromResult(wordsOf(slots, answers))
    plan = Plan.give(plan, (slot) => words.get(slot)!)
  }
  return { values: plan.values, words: plan.words, proofs }
})

const chunks = (slots: ReadonlyArray<bigint>): ReadonlyArray<ReadonlyArray<bigint>> =>
  Array.from({ length: Math.max(1, Math.ceil(slots.length / MAX_SLOTS)) }, (_, i) =>
    slots.slice(i * MAX_SLOTS, (i + 1) * MAX_SLOTS)
  )

/** The word of each slot. A proof has them all; an answer that nothing proves may not. */
const wordsOf = (slots: ReadonlyArray<bigint>, answers: Proofs): Result.Result<Plan.Words, Refuted> => {
  const words = new Map(
    answers.flatMap(({ value }) => value.storageProof.map((proof) => [AccountProof.keyOf(proof), proof.value]))
  )
  const missing = slots.find((slot) => !words.has(slot))
  return missing === undefined
    ? Result.succeed(words)
    : Result.fail(new Refuted({ check: "storageProof", expected: StorageKey.fromSlot(missing), got: "other slots" }))
}

/**
 * What follows from the proofs. The value is computed from proven words alone, so the verdict on the words is its own;
 * that the block is the one that a tag or number means is as sure as the block's own verdict.
 *
 * `shown` says what the proofs show, beside that the account is there.
 */
export const settle = <A>(value: A, at: At, proofs: ReadonlyArray<Verdict<unknown>>, shown: string): Verdict<A> => {
  const word = [...proofs, ...(at.verdict === undefined ? [] : [at.verdict])].find(({ _tag }) => _tag === "CLAIMED")
  const [first] = proofs
  const account = first!.proven.slice(0, 1)
  const proven = proofs.every(({ _tag }) => _tag === "VERIFIED") ? [...account, shown] : []
  if (word !== undefined) {
    const reason = word.claimed.find(({ field }) => field === "value")?.reason ?? "the node's word"
    return claim(value, reason, proven)
  }
  const tie = at.verdict ?? first!
  return {
    ...first!,
    value,
    anchor: tie.anchor,
    // that its transactions and uncles are proven, too, says nothing about the state
    proven: [...proven, ...(at.verdict?.proven ?? []).filter((sentence) => ABOUT_HEADER.test(sentence))],
    claimed: tie.claimed.filter(({ field }) => field === "block")
  } as Verdict<A>
}

const ABOUT_HEADER = /^(?:every header field|its block is on the chain)/u

/** Two verdicts about one thing: as sure as the weaker of them. The anchor is that of the second. */
export const both = <A, B, C>(first: Verdict<A>, second: Verdict<B>, value: C): Verdict<C> => {
  const distinct = <T>(items: ReadonlyArray<T>, text: (item: T) => string): ReadonlyArray<T> =>
    Array.from(new Map(items.map((item) => [text(item), item])).values())
  const proven = distinct([...first.proven, ...second.proven], (sentence) => sentence)
  const word = [first, second].find(({ _tag }) => _tag === "CLAIMED")
  if (word !== undefined) {
    return claim(value, word.claimed.find(({ field }) => field === "value")?.reason ?? "the node's word", proven)
  }
  const claimed = distinct([...first.claimed, ...second.claimed], ({ field, reason }) => `${field} ${reason}`)
  return { ...second, value, proven, claimed }
}

/** `3 words of the storage of 0x…, at block 0x…` */
export const wordsAt = (words: number, address: Address.Address, at: At): string =>
  `${words} word${words === 1 ? "" : "s"} of the storage of ${address}, at block ${at.hash}`
