/** Slots, epochs, periods and seconds of a network. */
import * as Fork from "./Fork.ts"
import type * as Network from "./Network.ts"

/** Returns the epoch of a slot. */
export const epochOf = (network: Network.Network, slot: bigint): bigint => slot / BigInt(network.slotsPerEpoch)

/** Returns the number of slots in a period. */
export const slotsPerPeriod = (network: Network.Network): bigint =>
  BigInt(network.slotsPerEpoch) * BigInt(network.epochsPerSyncCommitteePeriod)

/**
 * Returns the sync committee period of a slot.
 *
 * ```ts import.meta.vitest
 * import { Clock, Network } from "@plumbline/beacon-light-client"
 *
 * Clock.periodOf(Network.mainnet, 8192n) // => 1n
 * Clock.epochOf(Network.mainnet, 8192n) // => 256n
 * ```
 */
export const periodOf = (network: Network.Network, slot: bigint): bigint => slot / slotsPerPeriod(network)

/** Returns the time at which a slot begins, in seconds since 1970. */
export const timeOf = (network: Network.Network, slot: bigint): bigint =>
  network.genesisTime + slot * BigInt(network.secondsPerSlot)

/**
 * Returns the slot at a time, in seconds since 1970 with fractions. Before genesis it is slot 0.
 *
 * ```ts import.meta.vitest
 * import { Clock, Network } from "@plumbline/beacon-light-client"
 *
 * Clock.slotAt(Network.mainnet, 1_606_824_047.5) // => 2n
 * ```
 */
export const slotAt = (network: Network.Network, seconds: number): bigint => {
  const since = Math.floor(seconds) - Number(network.genesisTime)
  return since <= 0 ? 0n : BigInt(since) / BigInt(network.secondsPerSlot)
}

/**
 * Returns the fork of a slot. Returns undefined for a slot before Altair, which has no light client, and for a slot of a
 * fork that this version does not know.
 */
export const forkAt = (network: Network.Network, slot: bigint): Fork.Fork | undefined => {
  const name = scheduleAt(network, epochOf(network, slot))?.name
  return name !== undefined && Fork.isFork(name) ? name : undefined
}

/** Returns the name of the slot's fork if this version does not know the fork. */
export const unknownForkAt = (network: Network.Network, slot: bigint): string | undefined => {
  const name = scheduleAt(network, epochOf(network, slot))?.name
  return name === undefined || Fork.isFork(name) ? undefined : name
}

/** Returns the fork of an epoch with its version, or undefined for an epoch before Altair. */
export const scheduleAt = (network: Network.Network, epoch: bigint): Network.ForkSchedule | undefined =>
  network.forks.findLast((fork) => epoch >= fork.epoch)
