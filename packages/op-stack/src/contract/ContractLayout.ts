/**
 * Where the contracts of a release keep the anchor: by the proven version of an implementation, never by a guess.
 *
 * Source: ethereum-optimism/optimism, the storage layouts of OptimismPortal2, AnchorStateRegistry and SystemConfig in
 * the releases 1.8 to 7.
 */
import type * as Address from "@plumbline/codec/value/Address"

import type { OpStackChain } from "../chain/OpStackChain.ts"
import * as RegistryData from "../chain/registryData.ts"
import * as StorageWord from "./storageWord.ts"

/** Slots of AnchorStateRegistry. */
export type RegistryLayout =
  /** Release 1.8: a mapping from the type of games to the newest root and its block number. */
  | { readonly _tag: "ByGameType"; readonly anchors: bigint }
  /** Later releases: the address of the newest game, and a root that counts as long as there is no game. */
  | {
      readonly _tag: "ByGame"
      readonly factory: bigint
      readonly game: bigint
      /** The starting root. Its block number is in the next slot. */
      readonly startingRoot: bigint
      /** The mapping of games that the guardian voided. Undefined if the portal has it. */
      readonly blacklist: bigint | undefined
    }

/**
 * Returns the layout of an AnchorStateRegistry, by the version of its implementation; undefined if it is not known.
 *
 * ```ts import.meta.vitest
 * import { ContractLayout } from "@plumbline/op-stack"
 *
 * ContractLayout.registryOf("3.9.0")?._tag // => "ByGame"
 * ContractLayout.registryOf("2.0.0")?._tag // => "ByGameType"
 * ContractLayout.registryOf("4.0.0") // => undefined
 * ```
 */
export const registryOf = (version: string): RegistryLayout | undefined => REGISTRIES[version]

const SINCE_4: RegistryLayout = {
  _tag: "ByGame",
  factory: 1n,
  game: 2n,
  startingRoot: 3n,
  blacklist: 5n
}

const REGISTRIES: Readonly<Record<string, RegistryLayout>> = {
  "2.0.0": { _tag: "ByGameType", anchors: 1n },
  "2.2.2": { _tag: "ByGame", factory: 1n, game: 3n, startingRoot: 4n, blacklist: undefined },
  "3.5.0": SINCE_4,
  "3.7.0": SINCE_4,
  "3.9.0": SINCE_4
}

/** Slots of OptimismPortal2. */
export interface PortalLayout {
  /** The slot with the address of AnchorStateRegistry. Undefined if the portal does not name it. */
  readonly registry: bigint | undefined
  /** The slot with the respected type of games. Undefined if the portal does not keep it. */
  readonly respectedGameType: bigint | undefined
  /** The mapping of games that the guardian voided. Undefined if the registry has it. */
  readonly blacklist: bigint | undefined
}

/** Returns the layout of an OptimismPortal2, by the version of its implementation; undefined if it is not known. */
export const portalOf = (version: string): PortalLayout | undefined => PORTALS[version]

const BEFORE_4: PortalLayout = { registry: undefined, respectedGameType: 59n, blacklist: 58n }
const NAMES_REGISTRY: PortalLayout = { registry: 62n, respectedGameType: undefined, blacklist: undefined }

const PORTALS: Readonly<Record<string, PortalLayout>> = {
  "3.10.0": BEFORE_4,
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
