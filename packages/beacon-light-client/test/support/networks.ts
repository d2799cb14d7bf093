/** Networks for tests. */
import { Fork, type Network } from "@plumbline/beacon-light-client"
import { Hash32 } from "@plumbline/codec"

/**
 * Makes a network with the minimal preset: 64 slots a period, 32 members. Fork `n` begins at epoch `n * apart`. `change`
 * replaces parts of it.
 */
export const minimal = (
  apart: bigint,
  forks: ReadonlyArray<Fork.Fork> = Fork.all,
  change: Partial<Network.Network> = {}
): Network.Network => ({
  name: "minimal",
  chainId: 1337n,
  genesisTime: 1_600_000_000n,
  genesisValidatorsRoot: Hash32.fromHexUnsafe(`0x${"5a".repeat(32)}`),
  secondsPerSlot: 6,
  slotsPerEpoch: 8,
  epochsPerSyncCommitteePeriod: 8,
  syncCommitteeSize: 32,
  forks: forks.map((name, at) => ({ name, version: `0x0${at + 1}000001`, epoch: BigInt(at) * apart })),
  ...change
})

/** Every fork from Altair to Gloas, in the middle of periods and at their ends: 12 epochs each. */
export const allForks: Network.Network = minimal(12n)
