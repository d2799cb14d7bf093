import { assert, it } from "@effect/vitest"
import { Clock, GeneralizedIndex, Network, SigningDomain } from "@plumbline/beacon-light-client"
import { Hash32, Hex } from "@plumbline/codec"
import { Option, Schema } from "effect"

const decode = Schema.decodeUnknownOption(Network.Network)
const file: any = Schema.encodeSync(Network.Network)(Network.mainnet)

it("reads a network from JSON, with numbers as numbers or as decimal text", () => {
  const text = JSON.parse(JSON.stringify(file))
  assert.deepStrictEqual(Schema.decodeUnknownSync(Network.Network)(text), Network.mainnet)
  const numbers = { ...text, genesisTime: 1606824023, chainId: 1, slotsPerEpoch: "32", secondsPerSlot: "12" }
  assert.deepStrictEqual(Schema.decodeUnknownSync(Network.Network)(numbers), Network.mainnet)
})

it("refuses networks that contradict themselves", () => {
  const [altair, bellatrix, ...others] = file.forks
  const lies: ReadonlyArray<object> = [
    { forks: [] },
    { forks: [bellatrix, altair, ...others] },
    { forks: [altair, ...others] },
    { forks: [altair, { ...bellatrix, epoch: "74239" }, ...others] },
    { forks: [{ ...altair, version: "0x010000" }] },
    { forks: [{ ...altair, name: "phase0" }] },
    { syncCommitteeSize: 500 },
    { syncCommitteeSize: 4 },
    { syncCommitteeSize: 131_072 },
    { slotsPerEpoch: 0 },
    { slotsPerEpoch: 2 ** 31, epochsPerSyncCommitteePeriod: 2 },
    { secondsPerSlot: -1 },
    { genesisTime: "0x5fc63057" },
    { genesisTime: "01" },
    { genesisValidatorsRoot: "0x00" },
    { chainId: undefined },
    { name: "" }
  ]
  for (const lie of lies) assert.strictEqual(decode({ ...file, ...lie })._tag, "None", JSON.stringify(lie))
})

it("knows the epochs, periods and times of public networks", () => {
  // 1791294816 is the time at which Sepolia's execution clients activate Amsterdam
  const gloas = Network.sepolia.forks.at(-1)!
  assert.strictEqual(Clock.timeOf(Network.sepolia, gloas.epoch * 32n), 1791294816n)
  assert.strictEqual(Clock.forkAt(Network.sepolia, gloas.epoch * 32n), "gloas")
  assert.strictEqual(Clock.forkAt(Network.sepolia, gloas.epoch * 32n - 1n), "fulu")
  assert.strictEqual(Clock.forkAt(Network.mainnet, 74240n * 32n - 1n), undefined)
  assert.strictEqual(Clock.forkAt(Network.mainnet, 74240n * 32n), "altair")
  assert.strictEqual(Clock.forkAt(Network.hoodi, 0n), "deneb")
  assert.strictEqual(Clock.slotAt(Network.mainnet, 0), 0n)
  const slot = 12_345_678n
  const time = Number(Clock.timeOf(Network.mainnet, slot))
  assert.deepStrictEqual(
    [time - 0.001, time, time + 11.999, time + 12].map((seconds) => Clock.slotAt(Network.mainnet, seconds)),
    [slot - 1n, slot, slot, slot + 1n]
  )
})

it("signs with the fork of the slot before the signature, on this network alone", () => {
  const root = Hash32.ZERO
  const text = (network: Network.Network, slot: bigint): string => {
    const message = SigningDomain.signingRoot(network, root, slot)
    return message === undefined ? "none" : Hex.fromBytes(message)
  }
  const first = 364032n * 32n
  assert.strictEqual(text(Network.mainnet, first), text(Network.mainnet, first - 1n))
  assert.notStrictEqual(text(Network.mainnet, first + 1n), text(Network.mainnet, first))
  assert.strictEqual(text(Network.mainnet, first + 1n), text(Network.mainnet, first + 32n))
  assert.strictEqual(text(Network.mainnet, 0n), "none")
  assert.strictEqual(text(Network.hoodi, 0n), text(Network.hoodi, 1n))
  const { genesisValidatorsRoot } = Network.hoodi
  const renamed = Schema.decodeUnknownSync(Network.Network)({ ...file, genesisValidatorsRoot })
  assert.notStrictEqual(text(renamed, first), text(Network.mainnet, first))
})

it("places the leaves where the specification's state and body types have them", () => {
  const depths = (["deneb", "electra", "gloas"] as const).map((fork) =>
    (["finalizedRoot", "currentSyncCommittee", "nextSyncCommittee", "executionBlockHash"] as const).map((leaf) =>
      GeneralizedIndex.depthOf(GeneralizedIndex.at(leaf, fork)!)
    )
  )
  assert.deepStrictEqual(depths, [
    [6, 5, 5, 9],
    [7, 6, 6, 9],
    [9, 11, 11, 11]
  ])
  assert.strictEqual(GeneralizedIndex.at("executionPayload", "fulu"), 25)
  assert.strictEqual(GeneralizedIndex.at("executionPayload", "gloas"), undefined)
  assert.strictEqual(GeneralizedIndex.at("executionBlockHash", "capella"), 412)
  assert.strictEqual(GeneralizedIndex.at("executionBlockHash", "bellatrix"), undefined)
})

it("has built-in networks that its Schema accepts", () => {
  for (const network of [Network.mainnet, Network.sepolia, Network.hoodi]) {
    assert.deepStrictEqual(decode(Schema.encodeSync(Network.Network)(network)), Option.some(network))
  }
})
