/** Reads from the contracts of L1, by storage proofs under one trusted block, which output root is settled. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type * as Address from "@plumbline/codec/value/Address"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as StorageWord from "../contract/storageWord.ts"
import * as L1Words from "./l1Words.ts"
import * as OpStackReason from "./OpStackReason.ts"
import * as ProvenGame from "./provenGame.ts"
import * as RollupContracts from "./rollupContracts.ts"

/** An output root that contracts of L1 name. */
export interface Output<State extends string> {
  readonly outputRoot: Hash32.Hash32
  /** The number of the block that the root commits to, by the contracts. */
  readonly number: bigint
  readonly state: State
  readonly game: OutputGame | undefined
  readonly contracts: Readonly<Record<string, string>>
}

/** The game that claims an output root. Times are in seconds since 1970. */
export interface OutputGame {
  readonly address: Address.Address
  readonly gameType: number
  readonly createdAt: bigint
  /** Zero for a game that is open. */
  readonly resolvedAt: bigint
}

/** An output root that L1 settles. */
export type SettledOutput = Output<"settled" | "starting">

/** The proven block of L1 that a read starts from, and the slots of the read before. */
export interface ReadFrom {
  readonly block: { readonly hash: Hash32.Hash32; readonly header: Block.Header }
  readonly used: L1Words.UsedSlots
}

/** An output, with the slots that were read. */
export interface OutputRead<A> {
  readonly output: A
  readonly used: L1Words.UsedSlots
}

/**
 * Returns the output root that L1 settles at a block, with the slots that were read.
 *
 * The first read follows the contracts one by one. A later read asks for the slots of the last one at once, and follows
 * only what has changed.
 */
export const read = Effect.fnUntraced(function* (
  l1: L1Words.L1Reader,
  chain: OpStackChain,
  { block: { hash, header }, used }: ReadFrom
): Effect.fn.Return<OutputRead<SettledOutput>, JsonRpcError | RefutedError | L1Words.Unsettled> {
  const words = L1Words.make(l1, hash)
  yield* words.prefetch(used)
  const contracts = yield* RollupContracts.find(words, chain)
  const output = yield* anchorOf(words, contracts, header)
  return { output, used: words.used() }
})

/** Reads the anchor: the newest game, or the starting root as long as there is none. */
const anchorOf = Effect.fnUntraced(function* (
  words: L1Words.Words,
  contracts: RollupContracts.RollupContracts,
  header: Block.Header
): Effect.fn.Return<SettledOutput, JsonRpcError | RefutedError | L1Words.Unsettled> {
  const { layout, registry, versions } = contracts
  const { startingRoot } = layout
  const slots = [layout.game, layout.factory, startingRoot, startingRoot + 1n]
  const [gameWord, factoryWord, root, number] = yield* words.of("AnchorStateRegistry", registry, slots)
  if (gameWord === 0n) {
    if (root === 0n) {
      const empty = { contract: "AnchorStateRegistry", field: "anchor root", address: registry } as const
      return yield* L1Words.unsettled(OpStackReason.EmptySlot(empty))
    }
    const outputRoot = StorageKey.fromSlot(root!)
    return { outputRoot, number: number!, state: "starting", game: undefined, contracts: versions }
  }
  const address = StorageWord.address(gameWord!)
  if (yield* RollupContracts.isVoided(words, contracts, address)) {
    return yield* ProvenGame.refuse(address, "game-blacklisted", "the guardian voided it")
  }
  const game = yield* ProvenGame.read(words, StorageWord.address(factoryWord!), address)
  yield* ProvenGame.won(game, header.timestamp)
  return outputOf(game, "settled", versions)
})

/** Returns the output root that a game claims. */
export const outputOf = <State extends string>(
  { address, claim, number, state: { createdAt, resolvedAt } }: ProvenGame.ProvenGame,
  state: State,
  contracts: Readonly<Record<string, string>>
): Output<State> => ({
  outputRoot: claim.rootClaim,
  number,
  state,
  game: { address, gameType: claim.gameType, createdAt, resolvedAt },
  contracts
})
