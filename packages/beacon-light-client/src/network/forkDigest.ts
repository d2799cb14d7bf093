/** The digests by which nodes name the forks of updates in a stream of SSZ. */
import { sha256 } from "@noble/hashes/sha2.js"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import * as Bytes from "@plumbline/codec/hex/Bytes"
import type * as Hex from "@plumbline/codec/hex/Hex"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"

import * as Merkle from "../ssz/merkle.ts"
import * as Clock from "./Clock.ts"
import * as Fork from "./Fork.ts"
import type * as Network from "./Network.ts"

/** The bytes of a digest. */
const SIZE = 4

/** From this fork on, digests also depend on the blob schedule (EIP-7892), which a light client does not know. */
const WITH_BLOBS: Fork.Fork = "fulu"

/**
 * Returns the forks whose containers may follow a digest, the likeliest first. More than one means that a fork that the
 * network does not have may have the digest too.
 *
 * A digest is a hint for reading, and proves nothing. A digest that no older fork has is treated as a digest of Fulu or
 * later.
 *
 * Source: consensus-specs `specs/phase0/beacon-chain.md` and `specs/fulu/beacon-chain.md`, `compute_fork_digest`.
 */
export const forksOf = (
  { forks, genesisValidatorsRoot }: Network.Network,
  digest: Uint8Array
): readonly [Fork.Fork, ...ReadonlyArray<Fork.Fork>] => {
  const known = forks.find(({ version }) =>
    Bytes.equals(versionRoot(version, genesisValidatorsRoot).subarray(0, SIZE), digest)
  )
  return known !== undefined && Fork.isFork(known.name) ? [known.name] : [WITH_BLOBS, "gloas"]
}

/** Returns the root that binds a fork's version to a network: `compute_fork_data_root`. */
const versionRoot = (version: Hex.Hex, genesisValidatorsRoot: Hash32.Hash32): Uint8Array =>
  Merkle.hashPair(Merkle.chunksOf(PlainHex.toBytesUnsafe(version))[0]!, PlainHex.toBytesUnsafe(genesisValidatorsRoot))

/** Maximum number of blobs from Electra on, if no later entry of the schedule changes it. */
const ELECTRA_BLOBS = 9

/**
 * Returns the digest of an epoch from Altair on. If the network's blob schedule is not known, digests from Fulu on do
 * not depend on it, and only readers that know the fork by its version recognise them.
 */
export const at = (network: Network.Network, epoch: bigint): Uint8Array => {
  const { blobSchedule, forks, genesisValidatorsRoot } = network
  const { name, version } = Clock.scheduleAt(network, epoch) ?? forks[0]!
  const root = versionRoot(version, genesisValidatorsRoot)
  const hasBlobs = !Fork.isFork(name) || Fork.isFrom(name, WITH_BLOBS)
  if (blobSchedule === undefined || !hasBlobs) return root.slice(0, SIZE)
  const electra = forks.find(({ name }) => name === "electra")!
  const blobs = blobSchedule.findLast((entry) => epoch >= entry.epoch) ?? {
    epoch: electra.epoch,
    maxBlobs: ELECTRA_BLOBS
  }
  const parameters = new DataView(new ArrayBuffer(16))
  parameters.setBigUint64(0, blobs.epoch, true)
  parameters.setBigUint64(8, BigInt(blobs.maxBlobs), true)
  const mask = sha256(new Uint8Array(parameters.buffer))
  return root.slice(0, SIZE).map((byte, place) => byte ^ mask[place]!)
}
