/** The digests by which nodes name the forks of updates in a stream of SSZ. */
import * as Bytes from "@plumbline/codec/hex/Bytes"
import * as PlainHex from "@plumbline/codec/hex/PlainHex"

import * as Merkle from "../ssz/merkle.ts"
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
  const genesis = PlainHex.toBytesUnsafe(genesisValidatorsRoot)
  const known = forks.find(({ version }) => {
    const [chunk] = Merkle.chunksOf(PlainHex.toBytesUnsafe(version))
    return Bytes.equals(Merkle.hashPair(chunk!, genesis).subarray(0, SIZE), digest)
  })
  return known !== undefined && Fork.isFork(known.name) ? [known.name] : [WITH_BLOBS, "gloas"]
}
