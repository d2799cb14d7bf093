/** Reads from the contracts of L1, by storage proofs under one trusted block, which output root is settled. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Address from "@plumbline/codec/value/Address"
import type * as EthClient from "@plumbline/eth-methods/client/EthClient"
import type * as Block from "@plumbline/eth-methods/model/Block"
import * as StorageKey from "@plumbline/eth-methods/model/StorageKey"
import type * as VerdictEthClient from "@plumbline/eth-methods/verified/VerdictEthClient"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { Reason } from "@plumbline/verdict/Reason"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as ContractLayout from "../contract/ContractLayout.ts"
import * as DisputeGame from "../contract/DisputeGame.ts"
import * as StorageWord from "../contract/storageWord.ts"
import * as OpStackReason from "./OpStackReason.ts"

/** An output root that L1 settles. */
export interface SettledOutput {
  readonly outputRoot: Hash32.Hash32
  /** The number of the block that the root commits to, by the contracts. */
  readonly number: bigint
  readonly state: "settled" | "starting"
  readonly game:
    | {
        readonly address: Address.Address
        readonly gameType: number
        readonly createdAt: bigint
        readonly resolvedAt: bigint
      }
    | undefined
  readonly contracts: Readonly<Record<string, string>>
}

/** A stop of a read: the contracts, or the node's lack of proofs, name no settled output. */
export interface Unsettled {
  readonly _tag: "Unsettled"
  readonly reason: Reason
}

export const unsettled = (reason: Reason): Effect.Effect<never, Unsettled> =>
  Effect.fail<Unsettled>({ _tag: "Unsettled", reason })

/** The methods of a verifying client of L1, and of the plain client whose answer is only a hint. */
export interface L1Reader {
  readonly verdicts: Pick<VerdictEthClient.Client, "getProof">
  readonly eth: Pick<EthClient.Client, "call">
}

/** The slots that a read used, by account. The next read asks for all of them at once. */
export type UsedSlots = ReadonlyMap<Address.Address, ReadonlySet<bigint>>

/** The proven block of L1 that a read starts from, and the slots of the read before. */
export interface ReadFrom {
  readonly block: { readonly hash: Hash32.Hash32; readonly header: Block.Header }
  readonly used: UsedSlots
}

type Read<A> = Effect.Effect<A, JsonRpcError | RefutedError | Unsettled>

/**
 * Returns the output root that L1 settles at a block, with the slots that were read.
 *
 * The first read follows the contracts one by one. A later read asks for the slots of the last one at once, and follows
 * only what has changed.
 */
export const read = Effect.fnUntraced(function* (
  l1: L1Reader,
  chain: OpStackChain,
  { block: { hash, header }, used }: ReadFrom
): Effect.fn.Return<
  { readonly output: SettledOutput; readonly used: UsedSlots },
  JsonRpcError | RefutedError | Unsettled
> {
  const words = makeWords(l1, hash)
  yield* words.prefetch(used)
  const systemConfig = Address.fromHexUnsafe(chain.systemConfig)

  const [portalWord] = yield* words.of("SystemConfig", systemConfig, [ContractLayout.portalSlot()])
  if (portalWord === 0n) {
    return yield* unsettled(
      OpStackReason.EmptySlot({ contract: "SystemConfig", field: "portal", address: systemConfig })
    )
  }
  const portal = StorageWord.address(portalWord!)
  const portalVersion = yield* versionAt(words, chain, "optimismPortal", portal)
  const portalLayout = ContractLayout.portalOf(portalVersion.version)
  if (portalLayout === undefined) return yield* unknownLayout("OptimismPortal", portalVersion)

  const registry = yield* registryOf(words, chain, portal, portalLayout, portalVersion.version)
  const registryVersion = yield* versionAt(words, chain, "anchorStateRegistry", registry)
  const layout = ContractLayout.registryOf(registryVersion.version)
  if (layout === undefined) return yield* unknownLayout("AnchorStateRegistry", registryVersion)
  const contracts = { optimismPortal: portalVersion.version, anchorStateRegistry: registryVersion.version }

  const output = yield* outputOf(words, { registry, portal, layout, portalLayout }, header)
  return { output: { ...output, contracts }, used: words.used() }
})

const registryOf = Effect.fnUntraced(function* (
  words: Words,
  chain: OpStackChain,
  portal: Address.Address,
  layout: ContractLayout.PortalLayout,
  portalVersion: string
): Effect.fn.Return<Address.Address, JsonRpcError | RefutedError | Unsettled> {
  if (layout.registry === undefined) {
    return chain.anchorStateRegistry === undefined
      ? yield* unsettled(OpStackReason.RegistryNotNamed({ portalVersion }))
      : Address.fromHexUnsafe(chain.anchorStateRegistry.address)
  }
  const [word] = yield* words.of("OptimismPortal", portal, [layout.registry])
  return word === 0n
    ? yield* unsettled(
        OpStackReason.EmptySlot({ contract: "OptimismPortal", field: "AnchorStateRegistry", address: portal })
      )
    : StorageWord.address(word!)
})

/** The version of a contract, and the address of its implementation. */
interface ProvenVersion {
  readonly version: string
  readonly implementation: Address.Address
}

const NAMES = { optimismPortal: "OptimismPortal", anchorStateRegistry: "AnchorStateRegistry" } as const

const versionAt = Effect.fnUntraced(function* (
  words: Words,
  chain: OpStackChain,
  contract: ContractLayout.VersionedContract,
  proxy: Address.Address
): Effect.fn.Return<ProvenVersion, JsonRpcError | RefutedError | Unsettled> {
  const [word] = yield* words.of(NAMES[contract], proxy, [ContractLayout.implementationSlot()])
  const implementation = StorageWord.address(word!)
  const version = ContractLayout.versionOf(chain, contract, implementation)
  return version === undefined
    ? yield* unsettled(OpStackReason.UnknownImplementation({ contract: NAMES[contract], implementation }))
    : { version, implementation }
})

const unknownLayout = (contract: OpStackReason.ContractName, { implementation, version }: ProvenVersion) =>
  unsettled(OpStackReason.UnknownImplementation({ contract, implementation, version }))

type Output = Omit<SettledOutput, "contracts">

/** The registry and the portal, and where the registry keeps the anchor. */
interface Registry {
  readonly registry: Address.Address
  readonly portal: Address.Address
  readonly layout: ContractLayout.RegistryLayout
  readonly portalLayout: ContractLayout.PortalLayout
}

/** Reads the anchor: the newest game, or the starting root as long as there is none. */
const outputOf = Effect.fnUntraced(function* (
  words: Words,
  { layout, portal, portalLayout, registry }: Registry,
  header: Block.Header
): Effect.fn.Return<Output, JsonRpcError | RefutedError | Unsettled> {
  const { startingRoot } = layout
  const slots = [layout.game, layout.factory, startingRoot, startingRoot + 1n]
  const [gameWord, factoryWord, root, number] = yield* words.of("AnchorStateRegistry", registry, slots)
  if (gameWord === 0n) {
    const field = "anchor root"
    return root === 0n
      ? yield* unsettled(OpStackReason.EmptySlot({ contract: "AnchorStateRegistry", field, address: registry }))
      : { outputRoot: StorageKey.fromSlot(root!), number: number!, state: "starting", game: undefined }
  }
  const game = StorageWord.address(gameWord!)
  const refuse = (check: OpStackReason.GameCheck, detail: string) =>
    unsettled(OpStackReason.GameUnconfirmed({ check, game, detail }))

  const factory = StorageWord.address(factoryWord!)
  if (
    (yield* isVoided(words, game, layout.blacklist, "AnchorStateRegistry", registry)) ||
    (yield* isVoided(words, game, portalLayout.blacklist, "OptimismPortal", portal))
  )
    return yield* refuse("game-blacklisted", "the guardian voided it")

  const claim = yield* words.hint(game)
  if (claim === undefined) return yield* refuse("game-data", "the node does not return its claim")
  const entrySlot = DisputeGame.slotOf(claim)
  const [entry] = yield* words.of("DisputeGameFactory", factory, [entrySlot])
  const id = DisputeGame.idOf(entry!)
  if (id.game !== game) {
    return yield* refuse("game-registered", `the factory ${factory} has no game with its type, claim and data`)
  }
  if (id.gameType !== claim.gameType) {
    return yield* refuse("game-type", `the factory has it as type ${id.gameType}, not ${claim.gameType}`)
  }
  // only now the claim is proven
  const form = DisputeGame.formOf(claim.gameType)
  if (form === "super" || form === "unknown") {
    return yield* unsettled(OpStackReason.UnsupportedGame({ gameType: claim.gameType, game }))
  }
  const claimed = DisputeGame.numberOf(claim)
  if (claimed === undefined) return yield* refuse("game-number", "its data names no block number")

  const claimSlots = form === "fault" ? [DisputeGame.rootClaimSlot()] : []
  const [stateWord, rootClaim] = yield* words.of("the dispute game", game, [DisputeGame.STATE, ...claimSlots])
  const state = DisputeGame.stateOf(stateWord!)
  if (!state.isInitialized || state.createdAt !== id.createdAt) {
    return yield* refuse("game-status", "its state is not that of the factory's game")
  }
  if (state.status !== "defender wins" || state.isNumberChallenged) {
    const said = state.isNumberChallenged ? "its block number was disproved" : `its status is "${state.status}"`
    return yield* refuse("game-status", said)
  }
  if (state.resolvedAt === 0n || state.resolvedAt > header.timestamp) {
    return yield* refuse("game-status", "the time of its resolution is not before the block")
  }
  if (rootClaim !== undefined && StorageKey.fromSlot(rootClaim) !== claim.rootClaim) {
    return yield* refuse("game-claim", "its storage has another root claim")
  }
  const { createdAt, resolvedAt } = state
  return {
    outputRoot: claim.rootClaim,
    number: claimed,
    state: "settled",
    game: { address: game, gameType: claim.gameType, createdAt, resolvedAt }
  }
})

/** True if a contract's mapping of voided games has the game. A contract without the mapping voids none. */
const isVoided = (
  words: Words,
  game: Address.Address,
  mapping: bigint | undefined,
  contract: OpStackReason.ContractName,
  address: Address.Address
): Read<boolean> =>
  mapping === undefined
    ? Effect.succeed(false)
    : Effect.map(words.of(contract, address, [StorageWord.mapping(BigInt(game), mapping)]), ([word]) => word !== 0n)

/** Proven words of storage at one block. */
interface Words {
  /** Returns words of an account, in the order of the slots. */
  readonly of: (
    contract: OpStackReason.ContractName,
    account: Address.Address,
    slots: ReadonlyArray<bigint>
  ) => Read<ReadonlyArray<bigint>>
  /** Returns the claim of a game, as the node says. Undefined if the node says nothing that can be read. */
  readonly hint: (game: Address.Address) => Effect.Effect<DisputeGame.GameClaim | undefined, JsonRpcError>
  /** Reads the slots of an earlier read, for all accounts at the same time. A failure is reported when a word is used. */
  readonly prefetch: (used: UsedSlots) => Effect.Effect<void>
  readonly used: () => UsedSlots
}

/** True if the node answered a call, with an error or with something that is no result. */
const isAnswered = ({ reason: { _tag } }: JsonRpcError): boolean => _tag === "RemoteError" || _tag === "DecodeError"

const makeWords = ({ eth, verdicts }: L1Reader, blockHash: Hash32.Hash32): Words => {
  const known = new Map<Address.Address, Map<bigint, bigint>>()
  const touched = new Map<Address.Address, Set<bigint>>()

  const fetch = (account: Address.Address, slots: ReadonlyArray<bigint>) =>
    Effect.map(verdicts.getProof(account, slots.map(StorageKey.fromSlot), { blockHash }), (verdict) => {
      if (verdict._tag === "CLAIMED") return verdict.claimed[0]!.reason
      const of = known.get(account) ?? new Map<bigint, bigint>()
      known.set(account, of)
      verdict.value.storageProof.forEach(({ value }, i) => of.set(slots[i]!, value))
      return undefined
    })

  return {
    of: Effect.fnUntraced(function* (contract, account, slots): Effect.fn.Return<
      ReadonlyArray<bigint>,
      JsonRpcError | RefutedError | Unsettled
    > {
      const missing = slots.filter((slot) => known.get(account)?.has(slot) !== true)
      if (missing.length > 0) {
        const cause = yield* fetch(account, missing)
        if (cause !== undefined) return yield* unsettled(OpStackReason.L1Unproven({ contract, cause }))
      }
      const set = touched.get(account) ?? new Set<bigint>()
      touched.set(account, set)
      for (const slot of slots) set.add(slot)
      return slots.map((slot) => known.get(account)!.get(slot)!)
    }),
    hint: (game) =>
      eth.call({ to: game, data: DisputeGame.GAME_DATA }, { blockHash }).pipe(
        Effect.map(DisputeGame.claimOf),
        // a node that cannot be reached says nothing about the game
        Effect.catchIf(isAnswered, () => Effect.undefined)
      ),
    prefetch: (used) =>
      Effect.forEach([...used], ([account, slots]) => Effect.ignore(fetch(account, [...slots])), {
        concurrency: "unbounded",
        discard: true
      }),
    used: () => touched
  }
}
