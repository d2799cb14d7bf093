/** Compares what our server of the beacon API writes with Lodestar's types and digests. */
import { assert, it } from "@effect/vitest"
import { createBeaconConfig } from "@lodestar/config"
import { hoodiChainConfig, mainnetChainConfig, sepoliaChainConfig } from "@lodestar/config/networks"
import { ssz } from "@lodestar/types"
import { BeaconApi, Clock, Codec, Fork, Form, MadeChain, Network } from "@plumbline/beacon-light-client"
import { Hex } from "@plumbline/codec"
import { Result } from "effect"

/** Lodestar's types for a fork. They have those of Deneb and Electra under the names of the oldest fork. */
const typesOf = (fork: Fork.Fork) => {
  const { altair, capella, deneb, electra } = ssz
  return { altair, capella, deneb, electra }[Form.familyOf(fork) as "altair" | "capella" | "deneb" | "electra"]
}

/** All forks that Lodestar's release knows, two periods apart. */
const network: Network.Network = {
  ...Network.mainnet,
  name: "made",
  forks: Fork.all
    .slice(0, -1)
    .map((name, at) => ({ name, version: `0x0${at + 1}0000bb` as const, epoch: 512n * BigInt(at) }))
}
const chain = MadeChain.make(network)

/** The members of Lodestar's types that these tests use. */
interface LodestarType {
  readonly deserialize: (bytes: Uint8Array) => unknown
  readonly toJson: (value: unknown) => unknown
}

const lowered = (value: unknown): unknown => JSON.parse(JSON.stringify(value).toLowerCase())

it("writes containers that Lodestar reads, with the same JSON", () => {
  for (const { epoch, name } of network.forks) {
    const fork = name as Fork.Fork
    const slot = (epoch + 4n) * 32n
    const types = typesOf(fork)
    const value = chain.update({ attested: slot, finalized: slot - 64n, signers: 400 })
    const bootstrap = BeaconApi.bootstrap(chain.bootstrap(slot), network)
    const update = BeaconApi.update(value, network)
    const finality = BeaconApi.finalityUpdate(value, network)
    const optimistic = BeaconApi.optimisticUpdate(value, network)
    for (const [type, codec, written] of [
      [types.LightClientBootstrap, Codec.bootstrap, bootstrap],
      [types.LightClientUpdate, Codec.update, update],
      [types.LightClientFinalityUpdate, Codec.finalityUpdate, finality],
      [types.LightClientOptimisticUpdate, Codec.optimisticUpdate, optimistic]
    ] as const) {
      assert.strictEqual(written.fork, fork)
      const lodestar = type as unknown as LodestarType
      const json = lodestar.toJson(lodestar.deserialize(written.bytes))
      const ours = Result.getOrThrow(BeaconApi.toJson<any>(codec as Codec.ContainerCodec<any>, written, network))
      // Lodestar writes addresses with their checksum
      assert.deepStrictEqual(lowered(ours), lowered({ version: fork, data: json }))
    }
  }
})

it("names the fork of a chunk by the digest that Lodestar computes, with the blob schedule", () => {
  for (const [ours, config] of [
    [Network.mainnet, mainnetChainConfig],
    [Network.sepolia, sepoliaChainConfig],
    [Network.hoodi, hoodiChainConfig]
  ] as const) {
    const theirs = createBeaconConfig(config, Hex.toBytesUnsafe(ours.genesisValidatorsRoot))
    assert.deepStrictEqual(
      ours.blobSchedule,
      config.BLOB_SCHEDULE.map((entry) => ({ epoch: BigInt(entry.EPOCH), maxBlobs: entry.MAX_BLOBS_PER_BLOCK }))
    )
    const known = ours.forks.filter(({ name }) => name !== "gloas")
    const epochs = [...known, ...(ours.blobSchedule ?? [])].flatMap(({ epoch }) => [epoch, epoch + 1n])
    for (const epoch of epochs) {
      const slot = epoch * BigInt(ours.slotsPerEpoch)
      const fork = Clock.forkAt(ours, slot)!
      const chunk = BeaconApi.chunk({ fork, bytes: Uint8Array.of(1, 2, 3) }, slot, ours)
      const digest = theirs.forkBoundary2ForkDigest(theirs.getForkBoundaryAtEpoch(Number(epoch)))
      assert.deepStrictEqual([...chunk], [7, 0, 0, 0, 0, 0, 0, 0, ...digest, 1, 2, 3], `${ours.name} ${epoch}`)
    }
  }
})
