/** Follows the contracts of a rollup on L1, from SystemConfig to the registry, and chooses their layouts. */
import * as Address from "@plumbline/codec/value/Address"
import type { JsonRpcError } from "@plumbline/jsonrpc-core/error/JsonRpcError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as Effect from "effect/Effect"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as ContractLayout from "../contract/ContractLayout.ts"
import * as StorageWord from "../contract/storageWord.ts"
import { type Read, type Unsettled, unsettled, type Words } from "./l1Words.ts"
import * as OpStackReason from "./OpStackReason.ts"

/** The registry and the portal, and where they keep the anchor and the games that count. */
export interface RollupContracts {
  readonly registry: Address.Address
  readonly portal: Address.Address
  readonly layout: ContractLayout.RegistryLayout
  readonly portalLayout: ContractLayout.PortalLayout
  /** The versions of the contracts, by name. */
  readonly versions: Readonly<Record<string, string>>
}

/** Follows the contracts, by proven words. */
export const find = Effect.fnUntraced(function* (
  words: Words,
  chain: OpStackChain
): Effect.fn.Return<RollupContracts, JsonRpcError | RefutedError | Unsettled> {
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
  const versions = { optimismPortal: portalVersion.version, anchorStateRegistry: registryVersion.version }
  return { registry, portal, layout, portalLayout, versions }
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

/** True if the guardian voided a game: the registry's mapping or the portal's has it, whichever contract keeps it. */
export const isVoided = Effect.fnUntraced(function* (
  words: Words,
  { layout, portal, portalLayout, registry }: RollupContracts,
  game: Address.Address
): Effect.fn.Return<boolean, JsonRpcError | RefutedError | Unsettled> {
  return (
    (yield* isListed(words, game, layout.blacklist, "AnchorStateRegistry", registry)) ||
    (yield* isListed(words, game, portalLayout.blacklist, "OptimismPortal", portal))
  )
})

/** True if a contract's mapping of voided games has the game. A contract without the mapping voids none. */
const isListed = (
  words: Words,
  game: Address.Address,
  mapping: bigint | undefined,
  contract: OpStackReason.ContractName,
  address: Address.Address
): Read<boolean> =>
  mapping === undefined
    ? Effect.succeed(false)
    : Effect.map(words.of(contract, address, [StorageWord.mapping(BigInt(game), mapping)]), ([word]) => word !== 0n)
