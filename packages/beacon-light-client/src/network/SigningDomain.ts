/**
 * The domain of a sync committee's signatures: it binds them to a network and a fork.
 *
 * Source: consensus-specs `specs/phase0/beacon-chain.md`, `compute_domain` and `compute_signing_root`.
 */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"

import * as Merkle from "../ssz/merkle.ts"
import * as Clock from "./Clock.ts"
import type * as Network from "./Network.ts"

/** The type of the domain: `DOMAIN_SYNC_COMMITTEE`. */
const SYNC_COMMITTEE = [7, 0, 0, 0] as const

const domainOf = (network: Network.Network, fork: Network.ForkSchedule): Uint8Array => {
  const version = Merkle.chunksOf(PlainHex.toBytesUnsafe(fork.version))[0]!
  const root = Merkle.hashPair(version, PlainHex.toBytesUnsafe(network.genesisValidatorsRoot))
  const domain = new Uint8Array(Merkle.CHUNK)
  domain.set(SYNC_COMMITTEE)
  domain.set(root.subarray(0, Merkle.CHUNK - SYNC_COMMITTEE.length), SYNC_COMMITTEE.length)
  return domain
}

/**
 * Returns the 32 bytes that a committee signs for a beacon block root, or undefined for a slot before Altair.
 *
 * The slot before `signatureSlot` determines the fork, because members sign the head of that slot.
 */
export const signingRoot = (
  network: Network.Network,
  beaconRoot: Hash32.Hash32,
  signatureSlot: bigint
): Uint8Array | undefined => {
  const slot = signatureSlot > 1n ? signatureSlot - 1n : 0n
  const fork = Clock.scheduleAt(network, Clock.epochOf(network, slot))
  return fork === undefined ? undefined : Merkle.hashPair(PlainHex.toBytesUnsafe(beaconRoot), domainOf(network, fork))
}
