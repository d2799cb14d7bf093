/**
 * Checks Merkle branches by the rules of the protocol: if a container is newer than its block, the branch has
 * additional zero words in front.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import * as Merkle from "../ssz/merkle.ts"
import { hash32 } from "../ssz/sszType.ts"

/** True if all words are zero, which means that the container has no such proof. */
export const isEmpty = (branch: ReadonlyArray<Hash32.Hash32>): boolean => branch.every((word) => word === Hash32.ZERO)

/**
 * Returns the root that a leaf and its branch lead to. Returns undefined if the branch is shorter than the leaf's
 * depth, or if an additional word is not zero.
 *
 * Source: consensus-specs `specs/electra/light-client/sync-protocol.md`, `is_valid_normalized_merkle_branch`.
 */
export const rootOf = (
  leaf: Hash32.Hash32,
  branch: ReadonlyArray<Hash32.Hash32>,
  generalizedIndex: number
): Hash32.Hash32 | undefined => {
  const depth = GeneralizedIndex.depthOf(generalizedIndex)
  const extra = branch.length - depth
  if (extra < 0 || !isEmpty(branch.slice(0, extra))) return undefined
  const words = branch.slice(extra).map(hash32.encode)
  return hash32.decode(Merkle.rootOfBranch(hash32.encode(leaf), words, generalizedIndex - 2 ** depth), "root")
}
