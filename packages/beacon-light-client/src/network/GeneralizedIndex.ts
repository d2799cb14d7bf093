/**
 * Places of the proven leaves in the trees of states and bodies.
 *
 * A generalized index numbers the nodes of a tree from its root: the root is 1, and the children of `n` are `2n` and
 * `2n + 1`. The epoch of the header whose state or body is proven decides which index is used.
 *
 * Source: consensus-specs `specs/{altair,capella,electra,gloas}/light-client/sync-protocol.md`.
 */
import * as Fork from "./Fork.ts"

/** The leaves that a light client proves. */
export type ProvenLeaf =
  /** The root of the finalized checkpoint, under a state root. */
  | "finalizedRoot"
  /** The committee that signs in the state's period, under a state root. */
  | "currentSyncCommittee"
  /** The committee of the next period, under a state root. */
  | "nextSyncCommittee"
  /** The header of the execution payload, under a body root. Gloas has none. */
  | "executionPayload"
  /** The hash of the execution block, under a body root. In Gloas, it is the hash of the parent. */
  | "executionBlockHash"

/** For each leaf, its generalized indices, each with the first fork that uses it. The newest comes first. */
const INDICES: Readonly<Record<ProvenLeaf, ReadonlyArray<readonly [since: Fork.Fork, index: number]>>> = {
  finalizedRoot: [
    ["gloas", 735],
    ["electra", 169],
    ["altair", 105]
  ],
  currentSyncCommittee: [
    ["gloas", 2945],
    ["electra", 86],
    ["altair", 54]
  ],
  nextSyncCommittee: [
    ["gloas", 2946],
    ["electra", 87],
    ["altair", 55]
  ],
  executionPayload: [["capella", 25]],
  executionBlockHash: [
    ["gloas", 2856],
    ["deneb", 812],
    ["capella", 412]
  ]
}

/**
 * Returns the generalized index of a leaf in the states and bodies of a fork, or undefined if they have no such leaf.
 *
 * ```ts import.meta.vitest
 * import { GeneralizedIndex } from "@plumbline/beacon-light-client"
 *
 * GeneralizedIndex.at("finalizedRoot", "deneb") // => 105
 * GeneralizedIndex.at("executionPayload", "altair") // => undefined
 * ```
 */
export const at = (leaf: ProvenLeaf, fork: Fork.Fork): number | undefined => {
  if (leaf === "executionPayload" && fork === "gloas") return undefined
  return INDICES[leaf].find(([since]) => Fork.isFrom(fork, since))?.[1]
}

/**
 * Returns the depth of a node: the number of hashes in its branch.
 *
 * ```ts import.meta.vitest
 * import { GeneralizedIndex } from "@plumbline/beacon-light-client"
 *
 * GeneralizedIndex.depthOf(105) // => 6
 * ```
 */
export const depthOf = (index: number): number => 31 - Math.clz32(index)
