/** Computes the hash tree roots of containers to which other containers commit. */
import type * as Hash32 from "@plumbline/codec/hash/Hash32"

import { hash32, KEY } from "../ssz/sszType.ts"
import type * as BeaconHeader from "./BeaconHeader.ts"
import * as types from "./containerTypes.ts"
import type * as SyncCommittee from "./SyncCommittee.ts"

/** Returns the root of a beacon block's header: the beacon block root, which a checkpoint names. */
export const beaconBlock = (header: BeaconHeader.BeaconBlockHeader): Hash32.Hash32 =>
  hash32.decode(types.beaconBlockHeader.root(header), "root")

/**
 * Returns the root of a payload's header. The block's fork determines the shape: 15 fields in Capella, 17 from Deneb to
 * Fulu. It is not the hash of the execution block.
 */
export const executionPayload = (
  execution: BeaconHeader.ExecutionPayloadHeader,
  shape: "capella" | "deneb"
): Hash32.Hash32 => {
  const root =
    shape === "capella"
      ? types.capellaPayload.root(execution)
      : types.denebPayload.root({ blobGasUsed: 0n, excessBlobGas: 0n, ...execution })
  return hash32.decode(root, "root")
}

const committees = /* @__PURE__ */ new WeakMap<SyncCommittee.SyncCommittee, Hash32.Hash32>()

/** Returns the root of a committee, which states commit to. It is computed once for each object. */
export const syncCommittee = (committee: SyncCommittee.SyncCommittee): Hash32.Hash32 => {
  const known = committees.get(committee)
  if (known !== undefined) return known
  const type = types.syncCommittee(committee.pubkeys.length / KEY)
  const root = hash32.decode(type.root(committee), "root")
  committees.set(committee, root)
  return root
}
