import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/beacon-light-client"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "BeaconApi: JSON_TYPE SSZ_TYPE bootstrap chunk decode finalityUpdate genesis optimisticUpdate parse prefersSsz spec toJson update",
    "BeaconApiError: BeaconApiError ConnectionError EndpointError OtherChainError ProtocolError Reason StatusError TimeoutError UnavailableError UnknownForkError",
    "BeaconNode: MAX_UPDATES make",
    "BeaconNodes: BeaconNodes defaults isUnknownFork layer layerFetch lieBetween make worst",
    "Bls: Bls noble",
    "BlstEngine: layer make",
    "LightClientCheck: refuse",
    "Clock: epochOf forkAt periodOf scheduleAt slotAt slotsPerPeriod timeOf unknownForkAt",
    "Codec: bootstrap finalityUpdate header optimisticUpdate syncCommittee update",
    "EngineUnavailableError: ",
    "FileStore: layer",
    "FollowError: CheckpointAgeError CheckpointError FollowError NoCheckpointError",
    "Fork: all isFork isFrom",
    "Form: familyOf",
    "GeneralizedIndex: at depthOf",
    "BeaconHeader: blockHash",
    "LightClientHeads: ageOf headOf",
    "IndexedDbStore: defaults layer",
    "LightClient: LightClient defaults layer make",
    "LightClientEvidence: BeaconLie CommitteeSigned FromCheckpoint",
    "LightClientReason: NewerThanHead NoExecutionBlock StaleHead ThinHead UnknownFork",
    "LightClientStore: force fromBootstrap process refusalOf",
    "LightClientTrust: ageOf blockOf distrustReason finalityOf layer make unknownForkOf",
    "MadeChain: defaults make",
    "MadeNetwork: defaults make",
    "Network: Network hoodi mainnet sepolia",
    "PeriodUpdate: check isBetter periodOf",
    "RecordError: ",
    "HashTreeRoot: beaconBlock executionPayload syncCommittee",
    "SigningDomain: signingRoot",
    "StoreError: ",
    "SyncCommittee: positions signers",
    "TrustRecord: MAX_BYTES decode encode",
    "TrustStore: TrustStore layerKeyValueStore layerMemory"
  ])
})
