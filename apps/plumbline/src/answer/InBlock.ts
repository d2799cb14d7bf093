/** Adds the block to answers about something in one block, because most of these answers do not name it. */
import type * as Block from "@plumbline/eth-methods/model/Block"
import { type Client, type VerdictRead, VerdictEthClient } from "@plumbline/eth-methods/verified/VerdictEthClient"
import * as Verdict from "@plumbline/verdict/Verdict"
import * as Effect from "effect/Effect"

import type * as BlockReference from "./BlockReference.ts"
import type { BlockTarget } from "./BlockTarget.ts"
import * as ReadAnswer from "./ReadAnswer.ts"

/** A value and its block; the block is null for the pending block. */
export interface InBlock<A> {
  readonly block: ReadAnswer.BlockId | null
  readonly value: A
}

/**
 * Reads the block, and then asks about it. The verdict is about the second answer. Its value is null if there is no
 * such block.
 */
export const read = <A, E>(
  { reference }: BlockTarget,
  ask: (eth: Client, block: Block.WithHashes) => Effect.Effect<Verdict.Verdict<A>, E>
): Effect.Effect<Verdict.Verdict<InBlock<A> | null>, Effect.Error<VerdictRead<A>> | E, VerdictEthClient> =>
  VerdictEthClient.use((eth) =>
    Effect.flatMap(
      reference._tag === "Hash" ? eth.getBlockByHash(reference.hash) : eth.getBlockByNumber(reference.block),
      (found): Effect.Effect<Verdict.Verdict<InBlock<A> | null>, E> => {
        const block = found.value
        if (block === null) return Effect.succeed(Verdict.map(found, () => null, ReadAnswer.samePaths))
        const id = isPending(reference) ? null : idOf(block)
        return Effect.map(ask(eth, block), (verdict) =>
          Verdict.map(verdict, (value) => ({ block: id, value }), ReadAnswer.samePaths)
        )
      }
    )
  )

/** True for the pending block. Some nodes give it a number and a hash, which mean nothing yet. */
const isPending = (reference: BlockReference.BlockReference): boolean =>
  reference._tag === "NumberOrTag" && reference.block === "pending"

const idOf = ({ hash, number }: Block.WithHashes): ReadAnswer.BlockId | null =>
  hash === null || number === null ? null : { number, hash }
