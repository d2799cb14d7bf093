/** The containers as types of @chainsafe/ssz, written from the specification: an oracle for bytes, JSON and roots. */
import {
  ByteListType,
  ByteVectorType,
  ContainerType,
  type Type,
  UintBigintType,
  VectorCompositeType
} from "@chainsafe/ssz"
import type { Form } from "@plumbline/beacon-light-client"

const json = { jsonCase: "eth2" } as const
const root = new ByteVectorType(32)
const uint64 = new UintBigintType(8)
const key = new ByteVectorType(48)

export const beaconBlockHeader = new ContainerType(
  { slot: uint64, proposerIndex: uint64, parentRoot: root, stateRoot: root, bodyRoot: root },
  json
)

const capella = {
  parentHash: root,
  feeRecipient: new ByteVectorType(20),
  stateRoot: root,
  receiptsRoot: root,
  logsBloom: new ByteVectorType(256),
  prevRandao: root,
  blockNumber: uint64,
  gasLimit: uint64,
  gasUsed: uint64,
  timestamp: uint64,
  extraData: new ByteListType(32),
  baseFeePerGas: new UintBigintType(32),
  blockHash: root,
  transactionsRoot: root,
  withdrawalsRoot: root
}

export const capellaPayload = new ContainerType(capella, json)
export const denebPayload = new ContainerType({ ...capella, blobGasUsed: uint64, excessBlobGas: uint64 }, json)

export const syncCommittee = (size: number) =>
  new ContainerType({ pubkeys: new VectorCompositeType(key, size), aggregatePubkey: key }, json)

const branch = (depth: number) => new VectorCompositeType(root, depth)

const header = (family: Form.ForkFamily): Type<any> & ContainerType<any> => {
  const beacon = beaconBlockHeader
  switch (family) {
    case "altair":
      return new ContainerType({ beacon }, json)
    case "capella":
      return new ContainerType({ beacon, execution: capellaPayload, executionBranch: branch(4) }, json)
    case "deneb":
    case "electra":
      return new ContainerType({ beacon, execution: denebPayload, executionBranch: branch(4) }, json)
    case "gloas":
      return new ContainerType({ beacon, executionBlockHash: root, executionBranch: branch(11) }, json)
  }
}

/** Depths of the branches: finality, current committee, next committee. */
export const DEPTHS = {
  altair: [6, 5, 5],
  capella: [6, 5, 5],
  deneb: [6, 5, 5],
  electra: [7, 6, 6],
  gloas: [9, 11, 11]
} as const

/** Returns the four containers in the form of a family. */
export const containers = (family: Form.ForkFamily, size: number) => {
  const [finality, current, next] = DEPTHS[family]
  const syncAggregate = new ContainerType(
    { syncCommitteeBits: new ByteVectorType(size / 8), syncCommitteeSignature: new ByteVectorType(96) },
    json
  )
  const finalized = { finalizedHeader: header(family), finalityBranch: branch(finality) }
  const signed = { syncAggregate, signatureSlot: uint64 }
  return {
    bootstrap: new ContainerType(
      {
        header: header(family),
        currentSyncCommittee: syncCommittee(size),
        currentSyncCommitteeBranch: branch(current)
      },
      json
    ),
    update: new ContainerType(
      {
        attestedHeader: header(family),
        nextSyncCommittee: syncCommittee(size),
        nextSyncCommitteeBranch: branch(next),
        ...finalized,
        ...signed
      },
      json
    ),
    finalityUpdate: new ContainerType({ attestedHeader: header(family), ...finalized, ...signed }, json),
    optimisticUpdate: new ContainerType({ attestedHeader: header(family), ...signed }, json)
  } as const
}
