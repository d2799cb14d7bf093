/** A dispute game whose claim, state and place in the factory are proven. */
import type * as Address from "@plumbline/codec/value/Address"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import * as DisputeGame from "../contract/DisputeGame.ts"
import { type Unsettled, unsettled, type Words } from "./l1Words.ts"
import * as OpStackReason from "./OpStackReason.ts"

/** A game, with what the contracts say of it. */
export interface ProvenGame {
  readonly address: Address.Address
  readonly form: "fault" | "validity"
  readonly claim: DisputeGame.GameClaim
  /** The number of the block that the claim is about. */
  readonly number: bigint
  readonly state: DisputeGame.GameState
}

/** Stops with the check of a game that failed. */
export const refuse = (game: Address.Address, check: OpStackReason.GameCheck, detail: string) =>
  unsettled(OpStackReason.GameUnconfirmed({ check, game, detail }))

/**
 * Reads a game. Its claim comes from the node as a hint, and counts only if the factory's entry for the claim names the
 * game. The status of the game is left to the caller.
 */
export const read = Effect.fnUntraced(function* (
  words: Words,
  factory: Address.Address,
  game: Address.Address
): Effect.fn.Return<ProvenGame, JsonRpcError | RefutedError | Unsettled> {
  const claim = yield* words.hint(game)
  if (claim === undefined) return yield* refuse(game, "game-data", "the node does not return its claim")
  const entrySlot = DisputeGame.slotOf(claim)
  const [entry] = yield* words.of("DisputeGameFactory", factory, [entrySlot])
  const id = DisputeGame.idOf(entry!)
  if (id.game !== game) {
    const detail = `the factory ${factory} has no game with its type, claim and data`
    return yield* refuse(game, "game-registered", detail)
  }
  if (id.gameType !== claim.gameType) {
    return yield* refuse(game, "game-type", `the factory has it as type ${id.gameType}, not ${claim.gameType}`)
  }
  // only now the claim is proven
  const form = DisputeGame.formOf(claim.gameType)
  if (form === "super" || form === "unknown") {
    return yield* unsettled(OpStackReason.UnsupportedGame({ gameType: claim.gameType, game }))
  }
  const number = DisputeGame.numberOf(claim)
  if (number === undefined) return yield* refuse(game, "game-number", "its data names no block number")

  const claimSlots = form === "fault" ? [DisputeGame.rootClaimSlot()] : []
  const [stateWord, rootClaim] = yield* words.of("the dispute game", game, [DisputeGame.STATE, ...claimSlots])
  const state = DisputeGame.stateOf(stateWord!)
  if (!state.isInitialized || state.createdAt !== id.createdAt) {
    return yield* refuse(game, "game-status", "its state is not that of the factory's game")
  }
  if (rootClaim !== undefined && StorageKey.fromSlot(rootClaim) !== claim.rootClaim) {
    return yield* refuse(game, "game-claim", "its storage has another root claim")
  }
  return { address: game, form, claim, number, state }
})

/** Stops unless the game's defender won before a time, in seconds since 1970. */
export const won = Effect.fnUntraced(function* (
  { address, state }: ProvenGame,
  now: bigint
): Effect.fn.Return<void, Unsettled> {
  if (state.status !== "defender wins" || state.isNumberChallenged) {
    const said = state.isNumberChallenged ? "its block number was disproved" : `its status is "${state.status}"`
    return yield* refuse(address, "game-status", said)
  }
  if (state.resolvedAt === 0n || state.resolvedAt > now) {
    return yield* refuse(address, "game-status", "the time of its resolution is not before the block")
  }
})
