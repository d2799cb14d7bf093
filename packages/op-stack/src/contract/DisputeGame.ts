/**
 * Dispute games: the contracts that claim output roots, and their entries in the factory.
 *
 * Source: ethereum-optimism/optimism, `src/dispute` (FaultDisputeGame, ZKDisputeGame, DisputeGameFactory), and the
 * storage layouts of its releases 1.8 and 7.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Keccak256 from "@plumbline/codec/hash/Keccak256"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as Hex from "@plumbline/codec/hex/Hex"
import type * as Address from "@plumbline/codec/value/Address"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"

import * as StorageWord from "./storageWord.ts"

/** The claim of a game. The factory knows a game by these three together. */
export interface GameClaim {
  readonly gameType: number
  /** The output root that the game claims. */
  readonly rootClaim: Hash32.Hash32
  /** The game's further data, whose form depends on the type. */
  readonly extraData: Hex.Hex
}

/**
 * Returns the key of a game in the factory's mapping: the Keccak-256 of the ABI encoding of type, claim and data.
 *
 * ```ts import.meta.vitest
 * import { DisputeGame } from "@plumbline/op-stack"
 *
 * // game 232 of Base Sepolia
 * const key = DisputeGame.keyOf({
 *   gameType: 0,
 *   rootClaim: "0x825d2d3c51ea0ebdf25199ebb3e9d5835b6d61c407ef388ae4cde1f592306c95" as never,
 *   extraData: "0x0000000000000000000000000000000000000000000000000000000000cc7205"
 * })
 * key.length // => 66
 * ```
 */
export const keyOf = ({ extraData, gameType, rootClaim }: GameClaim): Hash32.Hash32 => {
  const data = Hex.toBytesUnsafe(extraData)
  return Keccak256.hashHex(
    Bytes.concat(
      Hash32.toBytes(StorageKey.fromSlot(BigInt(gameType))),
      Hash32.toBytes(rootClaim),
      Hash32.toBytes(StorageKey.fromSlot(96n)),
      Hash32.toBytes(StorageKey.fromSlot(BigInt(data.length))),
      data,
      new Uint8Array((32 - (data.length % 32)) % 32)
    )
  )
}

/** Returns the slot of the factory whose word identifies the game with these claims: an entry of `_disputeGames`. */
export const slotOf = (claim: GameClaim): bigint => StorageWord.mapping(BigInt(keyOf(claim)), GAMES)

/** The slots of the factory: `_disputeGames` and `_disputeGameList`, in all releases. */
const GAMES = 103n
const GAME_LIST = 104n

/** The slot of the factory with the number of its games. */
export const COUNT: bigint = GAME_LIST

/** Returns the slot of the factory's list of games whose word identifies the game at an index. */
export const slotAt = (index: bigint): bigint => StorageWord.array(GAME_LIST) + index

/** An entry of the factory. */
export interface GameId {
  readonly gameType: number
  /** The time of creation, in seconds since 1970. */
  readonly createdAt: bigint
  readonly game: Address.Address
}

/** Reads an entry of the factory from its word (`GameId` of the contracts): type, time, address. */
export const idOf = (word: bigint): GameId => ({
  gameType: Number(StorageWord.field(word, 28, 32)),
  createdAt: StorageWord.field(word, 20, 64),
  game: StorageWord.address(word)
})

/** The state of a game: a word of its slot 0, which is the same in all types that this package reads. */
export interface GameState {
  /** Seconds since 1970. Zero for a game that is not resolved. */
  readonly createdAt: bigint
  readonly resolvedAt: bigint
  readonly status: "in progress" | "challenger wins" | "defender wins" | "unknown"
  readonly isInitialized: boolean
  /** True if the block number of the claim was proven to be wrong. Always false for a game with a validity proof. */
  readonly isNumberChallenged: boolean
}

/** The slot of a game's state. */
export const STATE = 0n

/** Reads the state of a game from the word of its slot 0. */
export const stateOf = (word: bigint): GameState => ({
  createdAt: StorageWord.field(word, 0, 64),
  resolvedAt: StorageWord.field(word, 8, 64),
  status: STATUS[Number(StorageWord.field(word, 16, 8))] ?? "unknown",
  isInitialized: StorageWord.field(word, 17, 8) === 1n,
  isNumberChallenged: StorageWord.field(word, 18, 8) === 1n
})

const STATUS = ["in progress", "challenger wins", "defender wins"] as const

/**
 * Returns the slot of a fault dispute game with its root claim: the fourth word of the first item of `claimData`. A game
 * with a validity proof has another layout.
 */
export const rootClaimSlot = (): bigint => StorageWord.array(2n) + 3n

/** The slot of a fault dispute game with its number of claims: 1 as long as no party disputes the root claim. */
export const CLAIM_COUNT = 2n

/**
 * Returns the place of `wasRespectedGameTypeWhenCreated`, which games have since release 4.0, as a slot and the offset of
 * a byte.
 */
export const respectedAt = (form: "fault" | "validity"): { readonly slot: bigint; readonly offset: number } =>
  form === "fault" ? { slot: 10n, offset: 0 } : { slot: 8n, offset: 1 }

/** The type of games that the contracts respect, and the time up to which games are retired. */
export interface Respected {
  readonly gameType: number
  /** Seconds since 1970. */
  readonly retiredUntil: bigint
}

/** Reads the respected type of games from its word. */
export const respectedOf = (word: bigint): Respected => ({
  gameType: Number(StorageWord.field(word, 0, 32)),
  retiredUntil: StorageWord.field(word, 4, 64)
})

/** The form of a game's extra data, by its type. */
export type GameForm = "fault" | "validity" | "super" | "unknown"

/**
 * Returns the form of a type of games: `fault` for games about one output root that are played with a fault proof,
 * `validity` for one that is decided by a validity proof, `super` for games about several chains at once.
 *
 * ```ts import.meta.vitest
 * import { DisputeGame } from "@plumbline/op-stack"
 *
 * DisputeGame.formOf(0) // => "fault"
 * DisputeGame.formOf(9) // => "super"
 * DisputeGame.formOf(255) // => "unknown"
 * ```
 */
export const formOf = (gameType: number): GameForm =>
  FAULT.has(gameType) ? "fault" : gameType === 10 ? "validity" : SUPER.has(gameType) ? "super" : "unknown"

const FAULT: ReadonlySet<number> = new Set([0, 1, 2, 3, 8])
const SUPER: ReadonlySet<number> = new Set([4, 5, 7, 9])

/**
 * Returns the number of the block that a game is about, from its extra data: 32 bytes, and for a game with a validity
 * proof 4 bytes more, the index of its parent. Undefined for another form or length.
 */
export const numberOf = ({ extraData, gameType }: GameClaim): bigint | undefined => {
  const form = formOf(gameType)
  const size = form === "fault" ? 32 : form === "validity" ? 36 : undefined
  return size === undefined || Hex.size(extraData) !== size ? undefined : BigInt(extraData.slice(0, 66))
}

/** The call of a game that returns its type, its claim and its extra data: the selector of `gameData()`. */
export const GAME_DATA = "0xfa24f743"

/** Maximum number of bytes of extra data that are read. */
const MAX_EXTRA = 1024

/**
 * Reads the answer of `gameData()`. Undefined unless it is the only encoding of a type, a claim and at most 1024 bytes.
 * The answer is the word of a node: only the factory's entry at `slotOf` proves it.
 */
export const claimOf = (returned: Hex.Hex): GameClaim | undefined => {
  const size = Hex.size(returned)
  if (size < 128 || size > 128 + MAX_EXTRA) return undefined
  const word = (i: number): bigint => BigInt(`0x${returned.slice(2 + 64 * i, 66 + 64 * i)}`)
  const length = word(3)
  if (word(0) >= 2n ** 32n || word(2) !== 96n || length > BigInt(MAX_EXTRA)) return undefined
  const bytes = Number(length)
  if (size !== 128 + 32 * Math.ceil(bytes / 32)) return undefined
  const padding = returned.slice(2 + 2 * (128 + bytes))
  if (/[^0]/u.test(padding)) return undefined
  return {
    gameType: Number(word(0)),
    rootClaim: StorageKey.fromSlot(word(1)),
    extraData: `0x${returned.slice(258, 258 + 2 * bytes)}`
  }
}
