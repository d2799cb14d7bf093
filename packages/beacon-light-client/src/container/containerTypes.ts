/**
 * The SSZ types of the containers, from Altair to Gloas.
 *
 * Source: consensus-specs `specs/{altair,capella,deneb,electra,gloas}/light-client/sync-protocol.md`.
 */
import * as PlainHex from "@plumbline/codec/hex/PlainHex"

import * as GeneralizedIndex from "../network/GeneralizedIndex.ts"
import { type SszContainer, container } from "../ssz/sszContainer.ts"
import { address, branch, byteList, bytes, hash32, KEY, keys, type SszType, uint256, uint64 } from "../ssz/sszType.ts"
import type * as BeaconHeader from "./BeaconHeader.ts"
import type * as Bootstrap from "./Bootstrap.ts"
import type * as Form from "./Form.ts"
import type * as SyncCommittee from "./SyncCommittee.ts"
import type * as Update from "./Update.ts"

/** Bytes of a compressed signature. */
const SIGNATURE = 96

/** Maximum bytes of a payload's extra data. */
const EXTRA_DATA = 32

/** Bytes of a bloom filter. */
const BLOOM = 256

export const beaconBlockHeader: SszType<BeaconHeader.BeaconBlockHeader> = /* @__PURE__ */ container({
  slot: uint64,
  proposerIndex: uint64,
  parentRoot: hash32,
  stateRoot: hash32,
  bodyRoot: hash32
})

const payloadFields = () => ({
  parentHash: hash32,
  feeRecipient: address,
  stateRoot: hash32,
  receiptsRoot: hash32,
  logsBloom: bytes(BLOOM),
  prevRandao: hash32,
  blockNumber: uint64,
  gasLimit: uint64,
  gasUsed: uint64,
  timestamp: uint64,
  extraData: byteList(EXTRA_DATA),
  baseFeePerGas: uint256,
  blockHash: hash32,
  transactionsRoot: hash32,
  withdrawalsRoot: hash32
})

/** The payload header of Capella, with 15 fields. Writing a newer value leaves out its blob fields. */
export const capellaPayload: SszContainer<BeaconHeader.ExecutionPayloadHeader> = /* @__PURE__ */ container(
  /* @__PURE__ */ payloadFields()
)

/**
 * The payload header from Deneb to Fulu, with 17 fields. Its values have both blob fields. Values from Capella have
 * neither.
 */
export const denebPayload = /* @__PURE__ */ container(
  /* @__PURE__ */ (() => ({ ...payloadFields(), blobGasUsed: uint64, excessBlobGas: uint64 }))()
)

/** Returns the branch of a leaf in the containers of a family. */
const branchOf = (
  leaf: GeneralizedIndex.ProvenLeaf,
  family: Form.ForkFamily
): SszType<Update.FinalityUpdate["finalityBranch"]> =>
  branch(GeneralizedIndex.depthOf(GeneralizedIndex.at(leaf, family)!))

/** Returns the type of a header. */
export const header = (family: Form.ForkFamily): SszType<BeaconHeader.LightClientHeader> => {
  const beacon = beaconBlockHeader
  switch (family) {
    case "altair":
      return container({ beacon }, { _tag: "BeaconOnly" as const }) as SszType<any>
    case "capella":
    case "deneb":
    case "electra": {
      const execution: SszType<any> = family === "capella" ? capellaPayload : denebPayload
      const executionBranch = branchOf("executionPayload", family)
      return container({ beacon, execution, executionBranch }, { _tag: "WithPayload" as const }) as SszType<any>
    }
    case "gloas": {
      const executionBranch = branchOf("executionBlockHash", family)
      const fields = { beacon, executionBlockHash: hash32, executionBranch }
      return container(fields, { _tag: "WithBlockHash" as const }) as SszType<any>
    }
  }
}

/** Returns the type of a committee. */
export const syncCommittee = (size: number): SszType<SyncCommittee.SyncCommittee> =>
  container({ pubkeys: keys(size), aggregatePubkey: keyBytes() })

const keyBytes = (): SszType<Uint8Array> => {
  const text = bytes(KEY)
  return {
    ...text,
    zero: new Uint8Array(KEY),
    decode: (encoded, path) => text.encode(text.decode(encoded, path)),
    encode: (value) => value,
    root: (value) => text.root(PlainHex.fromBytes(value)),
    fromJson: (json, path) => text.encode(text.fromJson(json, path)),
    toJson: PlainHex.fromBytes
  }
}

const syncAggregate = (size: number): SszType<SyncCommittee.SyncAggregate> =>
  container({ syncCommitteeBits: bytes(size / 8), syncCommitteeSignature: bytes(SIGNATURE) })

/** Returns the type of a bootstrap. */
export const bootstrap = (family: Form.ForkFamily, size: number): SszType<Bootstrap.Bootstrap> =>
  container({
    header: header(family),
    currentSyncCommittee: syncCommittee(size),
    currentSyncCommitteeBranch: branchOf("currentSyncCommittee", family)
  })

/** Returns the type of an update. */
export const update = (family: Form.ForkFamily, size: number): SszType<Update.Update> =>
  container({
    attestedHeader: header(family),
    nextSyncCommittee: syncCommittee(size),
    nextSyncCommitteeBranch: branchOf("nextSyncCommittee", family),
    finalizedHeader: header(family),
    finalityBranch: branchOf("finalizedRoot", family),
    syncAggregate: syncAggregate(size),
    signatureSlot: uint64
  })

/** Returns the type of a finality update. */
export const finalityUpdate = (family: Form.ForkFamily, size: number): SszType<Update.FinalityUpdate> =>
  container({
    attestedHeader: header(family),
    finalizedHeader: header(family),
    finalityBranch: branchOf("finalizedRoot", family),
    syncAggregate: syncAggregate(size),
    signatureSlot: uint64
  })

/** Returns the type of an optimistic update. */
export const optimisticUpdate = (family: Form.ForkFamily, size: number): SszType<Update.OptimisticUpdate> =>
  container({ attestedHeader: header(family), syncAggregate: syncAggregate(size), signatureSlot: uint64 })
