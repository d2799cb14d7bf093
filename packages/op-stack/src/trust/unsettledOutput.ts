/**
 * Finds games that are not settled: the newest that its defender won (`resolved`), or the newest that is open and that no
 * party disputes (`proposed`).
 *
 * The factory's list of games is proven, and so is each word of the game that is returned. The states of the games that
 * are passed over are hints of the node: a node that lies about them hides a game, so that an older one is found, but it
 * forges none.
 */
import type * as Address from "@plumbline/codec/value/Address"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as DisputeGame from "../contract/DisputeGame.ts"
import * as StorageWord from "../contract/storageWord.ts"
import * as L1Words from "./l1Words.ts"
import * as OpStackReason from "./OpStackReason.ts"
import * as ProvenGame from "./provenGame.ts"
import * as RollupContracts from "./rollupContracts.ts"
import { type Output, outputOf, type OutputRead, type ReadFrom } from "./settledOutput.ts"

/** The states in which a game claims a block that L1 does not settle. */
export type UnsettledState = "resolved" | "proposed"

/** An output root that a game claims, and that L1 does not settle. */
export type UnsettledOutput = Output<UnsettledState>

/** Number of games whose entries are read at once. The first page is small, because the newest game often serves. */
const PAGES: ReadonlyArray<number> = [8, 24, ...Array.from({ length: 31 }, () => 32)]

/** Maximum number of games that are proven in one read. Only a node that hints wrongly makes it prove several. */
const MOST_PROVEN = 8

type Stop = JsonRpcError | RefutedError | L1Words.Unsettled

/** The states that a reader accepts: `proposed` includes `resolved`. */
interface Accepted {
  readonly accept: UnsettledState
  /** Only a game about a newer block serves. Undefined if L1 settles none. */
  readonly above: bigint | undefined
}

/**
 * Returns the newest game in a state that the reader accepts, among the newest 1024 of the factory. It must have the
 * respected type, must not be retired or voided, and, since release 4.0, must have had the respected type when it was
 * created.
 */
export const read = Effect.fnUntraced(function* (
  l1: L1Words.L1Reader,
  chain: OpStackChain,
  { accept, above }: Accepted,
  { block: { hash, header }, used }: ReadFrom
): Effect.fn.Return<OutputRead<UnsettledOutput>, Stop> {
  const words = L1Words.make(l1, hash)
  yield* words.prefetch(used)
  const contracts = yield* RollupContracts.find(words, chain)
  const { layout, portal, portalLayout, registry } = contracts
  const [factoryWord] = yield* words.of("AnchorStateRegistry", registry, [layout.factory])
  const [respectedWord] =
    layout.respected === undefined
      ? yield* words.of("OptimismPortal", portal, [portalLayout.respected!])
      : yield* words.of("AnchorStateRegistry", registry, [layout.respected])
  const output = yield* newest({
    // the next read is about other games, so their slots are not asked for again
    words: L1Words.make(l1, hash),
    contracts,
    factory: StorageWord.address(factoryWord!),
    respected: DisputeGame.respectedOf(respectedWord!),
    accept,
    above,
    now: header.timestamp
  })
  return { output, used: words.used() }
})

interface Search extends Accepted {
  readonly words: L1Words.Words
  readonly contracts: RollupContracts.RollupContracts
  readonly factory: Address.Address
  readonly respected: DisputeGame.Respected
  /** The time of the block of L1. */
  readonly now: bigint
}

/** Goes from the newest game to older ones. */
const newest = Effect.fnUntraced(function* (search: Search): Effect.fn.Return<UnsettledOutput, Stop> {
  const { accept, factory, words } = search
  const [count] = yield* words.of("DisputeGameFactory", factory, [DisputeGame.COUNT])
  let end = count!
  let proven = 0
  let cause: Reason | undefined
  for (const size of PAGES) {
    if (end === 0n) break
    const from = end > BigInt(size) ? end - BigInt(size) : 0n
    for (const game of yield* hinted(search, from, end)) {
      if (proven === MOST_PROVEN) break
      proven += 1
      const output = yield* Effect.result(confirmed(search, game))
      if (output._tag === "Success") return output.success
      if (output.failure._tag !== "Unsettled") return yield* Effect.fail(output.failure)
      cause = output.failure.reason
    }
    end = from
  }
  return yield* L1Words.unsettled(OpStackReason.NoGame({ state: accept, factory, cause }))
})

/** Returns the games of a page that may serve, newest first: by their proven entries, and by hints about their states. */
const hinted = Effect.fnUntraced(function* (
  { accept, factory, respected, words }: Search,
  from: bigint,
  end: bigint
): Effect.fn.Return<ReadonlyArray<Address.Address>, Stop> {
  const slots = Array.from({ length: Number(end - from) }, (_, at) => DisputeGame.slotAt(end - 1n - BigInt(at)))
  const entries = (yield* words.of("DisputeGameFactory", factory, slots)).map(DisputeGame.idOf)
  const games = entries.filter(
    ({ createdAt, gameType }) => gameType === respected.gameType && createdAt > respected.retiredUntil
  )
  const states = yield* Effect.forEach(games, ({ game }) => words.hintAt(game, DisputeGame.STATE), {
    concurrency: "unbounded"
  })
  return games.flatMap(({ game }, at) => {
    const word = states[at]
    const status = word === undefined ? undefined : DisputeGame.stateOf(word).status
    return status === "defender wins" || (status === "in progress" && accept === "proposed") ? [game] : []
  })
})

/** Proves that a game has a state that the reader accepts. */
const confirmed = Effect.fnUntraced(function* (
  search: Search,
  address: Address.Address
): Effect.fn.Return<UnsettledOutput, Stop> {
  const { above, accept, contracts, factory, now, words } = search
  const game = yield* ProvenGame.read(words, factory, address)
  if (above !== undefined && game.number <= above) {
    return yield* ProvenGame.refuse(address, "game-number", `it is about block ${game.number}, which is not newer`)
  }
  if (yield* RollupContracts.isVoided(words, contracts, address)) {
    return yield* ProvenGame.refuse(address, "game-blacklisted", "the guardian voided it")
  }
  if (contracts.layout.respected !== undefined) {
    const { offset, slot } = DisputeGame.respectedAt(game.form)
    const [word] = yield* words.of("the dispute game", address, [slot])
    if (StorageWord.field(word!, offset, 8) !== 1n) {
      return yield* ProvenGame.refuse(address, "game-retired", "its type was not respected when it was created")
    }
  }
  if (accept === "proposed" && game.state.status === "in progress") {
    yield* undisputed(words, game)
    return outputOf(game, "proposed", contracts.versions)
  }
  yield* ProvenGame.won(game, now)
  return outputOf(game, "resolved", contracts.versions)
})

/** Stops if a party disputes an open game: its claim is then in doubt. */
const undisputed = Effect.fnUntraced(function* (
  words: L1Words.Words,
  { address, claim, form, state }: ProvenGame.ProvenGame
): Effect.fn.Return<void, Stop> {
  if (state.isNumberChallenged) {
    return yield* ProvenGame.refuse(address, "game-status", "its block number was disproved")
  }
  if (form !== "fault") {
    return yield* ProvenGame.refuse(address, "game-status", `open games of type ${claim.gameType} are not read`)
  }
  const [claims] = yield* words.of("the dispute game", address, [DisputeGame.CLAIM_COUNT])
  if (claims !== 1n) return yield* ProvenGame.refuse(address, "game-status", "a party disputes its claim")
})
