/**
 * The slots in which the contracts of a release keep the anchor, by the proven version of an implementation.
 *
 * Source: ethereum-optimism/optimism, the storage layouts of OptimismPortal2, AnchorStateRegistry and SystemConfig in
 * the releases 2 to 7.
 */
import type * as Address from "@plumbline/codec/value/Address"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as RegistryData from "../chain/registryData.ts"
import * as StorageWord from "./storageWord.ts"

/** Slots of AnchorStateRegistry: the address of the newest game, and a root that counts as long as there is no game. */
export interface RegistryLayout {
  readonly factory: bigint
  readonly game: bigint
  /** The starting root. Its block number is in the next slot. */
  readonly startingRoot: bigint
  /** The mapping of games that the guardian voided. Undefined if the portal has it. */
  readonly blacklist: bigint | undefined
  /** The type of games that counts, and the time up to which games are retired. Undefined if the portal has it. */
  readonly respected: bigint | undefined
}

/**
 * Returns the layout of an AnchorStateRegistry, by the version of its implementation; undefined if it is not known.
 *
 * The registry of release 1.8 and older (versions 1.0 and 2.0) is left out, although its slots are known: it takes a
 * root as soon as a game is won, without the delay in which the guardian can void the game, and it keeps the root of a
 * voided game.
 *
 * ```ts import.meta.vitest
 * import { ContractLayout } from "@plumbline/op-stack"
 *
 * ContractLayout.registryOf("3.9.0")?.game // => 2n
 * ContractLayout.registryOf("2.0.0") // => undefined
 * ContractLayout.registryOf("4.0.0") // => undefined
 * ```
 */
export const registryOf = (version: string): RegistryLayout | undefined => REGISTRIES[version]

const SINCE_4: RegistryLayout = { factory: 1n, game: 2n, startingRoot: 3n, blacklist: 5n, respected: 6n }

const REGISTRIES: Readonly<Record<string, RegistryLayout>> = {
  "2.2.2": { factory: 1n, game: 3n, startingRoot: 4n, blacklist: undefined, respected: undefined },
  "3.5.0": SINCE_4,
  "3.7.0": SINCE_4,
  "3.9.0": SINCE_4
}

/** Slots of OptimismPortal2. */
export interface PortalLayout {
  /** The slot with the address of AnchorStateRegistry. Undefined if the portal does not name it. */
  readonly registry: bigint | undefined
  /** The mapping of games that the guardian voided. Undefined if the registry has it. */
  readonly blacklist: bigint | undefined
  /** The type of games that counts, and the time up to which games are retired. Undefined if the registry has it. */
  readonly respected: bigint | undefined
}

/** Returns the layout of an OptimismPortal2, by the version of its implementation; undefined if it is not known. */
export const portalOf = (version: string): PortalLayout | undefined => PORTALS[version]

const BEFORE_4: PortalLayout = { registry: undefined, blacklist: 58n, respected: 59n }
const NAMES_REGISTRY: PortalLayout = { registry: 62n, blacklist: undefined, respected: undefined }

const PORTALS: Readonly<Record<string, PortalLayout>> = {
  "3.13.0": BEFORE_4,
  "3.14.0": BEFORE_4,
  "4.6.0": NAMES_REGISTRY,
  "5.0.0": NAMES_REGISTRY,
  "5.1.1": NAMES_REGISTRY,
  "5.2.0": NAMES_REGISTRY,
  "5.6.1": NAMES_REGISTRY
}

/** A contract whose implementation decides its layout. */
export type VersionedContract = "optimismPortal" | "anchorStateRegistry"

/** Returns the version of an implementation, by the chain's own table and the public registry's; undefined if unknown. */
export const versionOf = (
  chain: OpStackChain,
  contract: VersionedContract,
  implementation: Address.Address
): string | undefined => {
  const key = implementation.toLowerCase()
  const own = Object.entries(chain.implementations?.[contract] ?? {}).find(([address]) => address.toLowerCase() === key)
  return own?.[1] ?? RegistryData.implementations[contract][key]
}

/** Returns the slot with the address of the implementation behind a proxy (ERC-1967). */
export const implementationSlot = (): bigint => StorageWord.named("eip1967.proxy.implementation")

/** Returns the slot of SystemConfig with the address of the portal. */
export const portalSlot = (): bigint => StorageWord.named("systemconfig.optimismportal")
