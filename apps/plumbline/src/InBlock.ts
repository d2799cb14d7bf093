/**
 * Answers about something in one block: which block that is, the answer itself does not say.
 */
import type * as Hash32 from "@plumbline/codec/Hash32"
import * as Hex from "@plumbline/codec/Hex"
import * as Quantity from "@plumbline/codec/Quantity"
import type * as Block from "@plumbline/eth-methods/Block"
import type * as BlockParameter from "@plumbline/eth-methods/BlockParameter"
import type { Verdict } from "@plumbline/eth-methods/Verified"
import { type Client, type Read, VerifiedEthClient } from "@plumbline/eth-methods/VerifiedEthClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"

import type * as Answer from "./Answer.ts"
import * as BlockReference from "./BlockReference.ts"
import { UsageError } from "./terminal/UsageError.ts"

/** A value, and its block; null for the pending one. */
export interface InBlock<A> {
  readonly block: Place | null
  readonly value: A
}

/** The block of an answer. */
export interface Place {
  readonly number: bigint
  readonly hash: Hash32.Hash32
}

/** Which block is asked about, and the hash that answers about it are checked against, if the question names one. */
export interface Target {
  readonly reference: BlockReference.BlockReference
  readonly anchor: Answer.Anchor | null
}

/** The block of `--block`; without it the trusted one, of which all can be proven, and without trust the latest. */
export const targetOf = (
  block: Option.Option<string>,
  trust: Hash32.Hash32 | undefined
): Result.Result<Target, UsageError> => {
  if (Option.isSome(block)) {
    return Result.flatMap(BlockReference.parse(block.value, "--block"), (reference) => target(reference, trust))
  }
  return target(trust === undefined ? { _tag: "NumberOrTag", block: "latest" } : { _tag: "Hash", hash: trust }, trust)
}

/** Joins a block that was named with what is trusted. A block named by its hash is proven from that hash. */
export const target = (
  reference: BlockReference.BlockReference,
  trust: Hash32.Hash32 | undefined
): Result.Result<Target, UsageError> => {
  const hash = reference._tag === "Hash" ? reference.hash : trust
  return hash === undefined || trust === undefined || Hex.equals(hash, trust)
    ? Result.succeed({ reference, anchor: hash === undefined ? null : { kind: "block", hash } })
    : Result.fail(new UsageError({ problem: "--trust: a block asked for by its hash is proven from that hash" }))
}

/**
 * Reads the block, and then what is asked about it: the verdict is that of the latter. Null when there is no such block.
 */
export const read = <A, E>(
  { reference }: Target,
  ask: (eth: Client, block: Block.WithHashes) => Effect.Effect<Verdict<A>, E>
): Effect.Effect<Verdict<InBlock<A> | null>, Effect.Error<Read<A>> | E, VerifiedEthClient> =>
  VerifiedEthClient.use((eth) =>
    Effect.flatMap(
      reference._tag === "Hash" ? eth.getBlockByHash(reference.hash) : eth.getBlockByNumber(reference.block),
      ({ value: block, ...verdict }): Effect.Effect<Verdict<InBlock<A> | null>, E> =>
        block === null
          ? Effect.succeed({ ...verdict, value: null })
          : Effect.map(ask(eth, block), (answer) => ({
              ...answer,
              value: { block: isPending(reference) ? null : placeOf(block), value: answer.value }
            }))
    )
  )

/** The block of an answer in wire form. */
export const wire = ({ block }: InBlock<unknown>): Answer.Place | null =>
  block === null ? null : { number: Quantity.toHex(block.number), hash: block.hash }

/** The block as a parameter of methods about the state. */
export const parameter = ({ reference }: Target): BlockParameter.BlockParameter =>
  reference._tag === "Hash" ? reference.hash : reference.block

/** Some nodes give it a number and a hash, which mean nothing yet. */
const isPending = (reference: BlockReference.BlockReference): boolean =>
  reference._tag === "NumberOrTag" && reference.block === "pending"

const placeOf = ({ hash, number }: Block.WithHashes): Place | null =>
  hash === null || number === null ? null : { number, hash }
