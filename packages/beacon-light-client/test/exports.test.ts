import { assert, it } from "@effect/vitest"
import * as modules from "@plumbline/beacon-light-client"

it("exports these names and no others", () => {
  const names = Object.entries(modules).map(
    ([module, members]) => `${module}: ${Object.keys(members).toSorted().join(" ")}`
  )
  assert.deepStrictEqual(names, [
    "Bls: Bls noble",
    "BlstEngine: layer make",
    "Check: refuse",
    "Clock: epochOf forkAt periodOf scheduleAt slotAt slotsPerPeriod timeOf",
    "Codec: bootstrap finalityUpdate header optimisticUpdate syncCommittee update",
    "EngineUnavailable: ",
    "Fork: all isFork isFrom",
    "Form: familyOf",
    "GeneralizedIndex: at depthOf",
    "Header: blockHash",
    "LightClientStore: force fromBootstrap process",
    "MadeChain: make",
    "Network: Network hoodi mainnet sepolia",
    "Root: beaconBlock executionPayload syncCommittee",
    "SigningDomain: signingRoot",
    "SyncCommittee: signers"
  ])
})
