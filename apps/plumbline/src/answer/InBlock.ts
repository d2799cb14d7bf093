/**
 * Answers about something in one block, with that block: most of them do not name it themselves.
 */
import type * as Hash32 from "@plumbline/codec/Hash32"
import * as Quantity from "@plumbline/codec/Quantity"
import type * as Block from "@plumbline/eth-methods/Block"
import type { Verdict } from "@plumbline/eth-methods/Verified"
import { type Client, type Read, VerifiedEthClient } from "@plumbline/eth-methods/VerifiedEthClient"
import * as Effect from "effect/Effect"

import type * as Answer from "../Answer.ts"
import type * as BlockReference from "../BlockReference.ts"
import type { Target } from "./Target.ts"

/** A value, and its block; null for the pending one. */
export interface InBlock<A> {
  readonly block: BlockId | null
  readonly value: A
}

/** A block, by both of its names. */
export interface BlockId {
  readonly number: bigint
  readonly hash: Hash32.Hash32
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
              value: { block: isPending(reference) ? null : idOf(block), value: answer.value }
            }))
    )
  )

/** The block of an answer in wire form. */
export const wire = (block: BlockId | null): Answer.Block | null =>
  block === null ? null : { number: Quantity.toHex(block.number), hash: block.hash }

/** Some nodes give it a number and a hash, which mean nothing yet. */
const isPending = (reference: BlockReference.BlockReference): boolean =>
  reference._tag === "NumberOrTag" && reference.block === "pending"

const idOf = ({ hash, number }: Block.WithHashes): BlockId | null =>
  hash === null || number === null ? null : { number, hash }
