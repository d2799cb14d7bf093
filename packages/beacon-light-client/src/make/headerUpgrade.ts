/**
 * Converts headers to forms that are newer than the fork of their block.
 *
 * Source: consensus-specs `specs/{capella,deneb,electra,gloas}/light-client/fork.md`.
 */
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import type * as BeaconHeader from "../container/BeaconHeader.ts"
import * as types from "../container/containerTypes.ts"
import type * as Form from "../container/Form.ts"
import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import * as Merkle from "../ssz/merkle.ts"

/** Returns the branch with zero words in front, in the length that this family needs. */
export const padded = (
  branch: ReadonlyArray<Hash32.Hash32>,
  leaf: GeneralizedIndex.ProvenLeaf,
  family: Form.ForkFamily
): ReadonlyArray<Hash32.Hash32> => {
  const depth = GeneralizedIndex.depthOf(GeneralizedIndex.at(leaf, family)!)
  return [...Array.from({ length: depth - branch.length }, () => Hash32.ZERO), ...branch]
}

/** Returns the header in the form of `family`. This form must not be older than the form of `old`. */
export const header = (
  old: BeaconHeader.LightClientHeader,
  family: Form.ForkFamily
): BeaconHeader.LightClientHeader => {
  const { beacon } = old
  if (family === "altair" || old._tag === "WithBlockHash") return old
  const empty = types.header(family).zero
  if (old._tag === "BeaconOnly") return { ...empty, beacon }
  if (family === "gloas") {
    const { blockHash } = old.execution
    const branch = [...branchOfBlockHash(old.execution), ...old.executionBranch]
    const executionBranch = padded(branch, "executionBlockHash", family)
    return { _tag: "WithBlockHash", beacon, executionBlockHash: blockHash, executionBranch }
  }
  const blobs = family === "capella" ? {} : { blobGasUsed: 0n, excessBlobGas: 0n }
  return { ...old, execution: { ...blobs, ...old.execution } }
}

/** Returns the branch from a payload's block hash to the payload's root. */
const branchOfBlockHash = (execution: BeaconHeader.ExecutionPayloadHeader): ReadonlyArray<Hash32.Hash32> => {
  const { blobGasUsed, excessBlobGas } = execution
  const isDeneb = blobGasUsed !== undefined && excessBlobGas !== undefined
  const leaves = isDeneb
    ? types.denebPayload.leaves({ ...execution, blobGasUsed, excessBlobGas })
    : types.capellaPayload.leaves(execution)
  const branch = Merkle.branchOf(leaves, Merkle.depthOf(leaves.length), BLOCK_HASH)
  return branch.map(Hash32.fromBytesUnsafe)
}

/** The position of the block hash among a payload's fields. */
const BLOCK_HASH = 12

/** Returns the placeholder for a missing header in the containers of a fork family. */
export const empty = (family: Form.ForkFamily): BeaconHeader.LightClientHeader => types.header(family).zero
