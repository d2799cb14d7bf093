/**
 * The beacon chain: one block per slot, each with the newest block of the execution chain, and the answers for light
 * clients.
 *
 * The block of a slot is made when the slot is over, so that it has the newest execution block and can be signed at
 * once. A block is finalized after two epochs, as on a chain where every validator attests.
 */
import type * as BeaconHeader from "@plumbline/beacon-light-client/container/BeaconHeader"
import type * as Bootstrap from "@plumbline/beacon-light-client/container/Bootstrap"
import type * as SyncCommittee from "@plumbline/beacon-light-client/container/SyncCommittee"
import type * as Update from "@plumbline/beacon-light-client/container/Update"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import type * as Network from "@plumbline/beacon-light-client/network/Network"
import * as Hash32 from "@plumbline/codec/hash/Hash32"

import * as BeaconBlocks from "./beaconBlocks.ts"

/** The chain, which changes only by `advance`. */
export interface SlotChain {
  readonly shared: BeaconBlocks.SharedBlockData
  /**
   * Makes the block of the last slot that is over at a time, in seconds since 1970, unless that block exists already.
   */
  readonly advance: (seconds: number, execution: BeaconHeader.ExecutionPayloadHeader) => void
  /** The newest block. */
  readonly head: () => BeaconBlocks.MadeBeaconBlock
  /** The newest finalized block. */
  readonly finalized: () => BeaconBlocks.MadeBeaconBlock
  /**
   * The first finalized block of the newest period that has a finalized block. Its bootstrap is kept for 128 periods.
   */
  readonly checkpoint: () => BeaconBlocks.MadeBeaconBlock
  /**
   * Returns a kept block; undefined for any other block. The chain keeps the blocks since the finalized one, and the
   * blocks that `bootstrap` can return.
   */
  readonly find: (id: Hash32.Hash32 | bigint) => BeaconBlocks.MadeBeaconBlock | undefined
  /** Returns the bootstrap of a finalized block: one of the last 64, or the first of any of the last 128 periods. */
  readonly bootstrap: (root: Hash32.Hash32) => Bootstrap.Bootstrap | undefined
  /** Returns the update of one of the last 128 periods. The update is always signed in its period. */
  readonly update: (period: bigint) => Update.Update | undefined
  /** The update of the newest block. */
  readonly finalityUpdate: () => Update.FinalityUpdate
}

/** The blocks of one period that the chain keeps. */
interface Period {
  /** The first finalized block. */
  first: BeaconBlocks.MadeBeaconBlock | undefined
  /** The first block of the period whose finalized block is in the same period. */
  update: BeaconBlocks.MadeBeaconBlock | undefined
}

/** Epochs from a block to the block whose state names it as finalized. */
const FINALITY = 2n

/**
 * Epochs after which the first block is finalized. It is one more than `FINALITY`, because the genesis cannot be
 * finalized again.
 */
const FIRST = FINALITY + 1n

/** Number of epochs that are over at the start, so that the finalized block is newer than the checkpoint. */
export const START = FIRST + 1n

const KEPT_FINALIZED = 64
const KEPT_PERIODS = 128n

/** Makes the chain. `START` epochs must be over at its start. */
export const make = (
  shared: BeaconBlocks.SharedBlockData,
  seconds: number,
  execution: BeaconHeader.ExecutionPayloadHeader
): SlotChain => {
  const { committees, network } = shared
  const epoch = BigInt(network.slotsPerEpoch)
  /** The blocks from the finalized one to the head. */
  let recent: ReadonlyArray<BeaconBlocks.MadeBeaconBlock> = []
  let finalized: ReadonlyArray<BeaconBlocks.MadeBeaconBlock> = []
  const periods = new Map<bigint, Period>()
  const aggregates = new WeakMap<BeaconBlocks.MadeBeaconBlock, SyncCommittee.SyncAggregate>()

  const head = (): BeaconBlocks.MadeBeaconBlock => recent.at(-1)!
  const slotOf = ({ header }: BeaconBlocks.MadeBeaconBlock): bigint => header.beacon.slot
  const periodOf = (block: BeaconBlocks.MadeBeaconBlock): bigint => Clock.periodOf(network, slotOf(block))

  /** Returns the last block before the epoch boundary that is finalized at a slot. */
  const finalizedAt = (slot: bigint): BeaconBlocks.MadeBeaconBlock | undefined => {
    const boundary = (slot / epoch - FINALITY) * epoch
    const found = boundary <= 0n ? undefined : recent.findLast((block) => slotOf(block) <= boundary)
    return found === undefined || slotOf(found) === 0n ? undefined : found
  }

  const propose = (slot: bigint, execution: BeaconHeader.ExecutionPayloadHeader): void => {
    const final = finalizedAt(slot)
    const parentRoot = recent.length === 0 ? Hash32.ZERO : head().root
    const block = BeaconBlocks.make(shared, { slot, parentRoot, execution, finalized: final?.header })
    recent = [...recent.slice(final === undefined ? 0 : recent.indexOf(final)), block]
    const period = periods.get(periodOf(block)) ?? { first: undefined, update: undefined }
    periods.set(periodOf(block), period)
    periods.delete(periodOf(block) - KEPT_PERIODS)
    if (final === undefined || final === finalized.at(-1)) return
    finalized = [...finalized, final].slice(-KEPT_FINALIZED)
    const own = periods.get(periodOf(final))
    if (own !== undefined) own.first ??= final
    if (periodOf(final) === periodOf(block)) period.update ??= block
  }

  const advance: SlotChain["advance"] = (seconds, execution) => {
    const slot = Clock.slotAt(network, seconds) - 1n
    const next = recent.length === 0 ? 0n : slotOf(head()) + 1n
    if (slot < next) return
    const before = recent.length === 0 ? execution : head().header.execution
    for (const missed of needed(network, next, slot)) propose(missed, before)
    propose(slot, execution)
  }

  const updateOf = (block: BeaconBlocks.MadeBeaconBlock): Update.FinalityUpdate => {
    const signatureSlot = slotOf(block) + 1n
    const syncAggregate = aggregates.get(block) ?? committees.sign(block.root, signatureSlot)
    aggregates.set(block, syncAggregate)
    return {
      attestedHeader: block.header,
      finalizedHeader: block.finalized!,
      finalityBranch: block.finalityBranch,
      syncAggregate,
      signatureSlot
    }
  }

  const firsts = (): ReadonlyArray<BeaconBlocks.MadeBeaconBlock> =>
    [...periods.values()].flatMap(({ first }) => first ?? [])

  advance(seconds, execution)
  return {
    shared,
    advance,
    head,
    finalized: () => finalized.at(-1)!,
    checkpoint: () => firsts().at(-1)!,
    find: (id) => [...recent, ...finalized, ...firsts()].find((block) => block.root === id || slotOf(block) === id),
    bootstrap: (root) => {
      const block = [...finalized, ...firsts()].find((block) => block.root === root)
      if (block === undefined) return undefined
      return {
        header: block.header,
        currentSyncCommittee: committees.of(periodOf(block)),
        currentSyncCommitteeBranch: block.currentSyncCommitteeBranch
      }
    },
    update: (period) => {
      const block = periods.get(period)?.update ?? head()
      if (periodOf(block) !== period || Clock.periodOf(network, slotOf(block) + 1n) !== period) return undefined
      return {
        ...updateOf(block),
        nextSyncCommittee: committees.of(period + 1n),
        nextSyncCommitteeBranch: block.nextSyncCommitteeBranch
      }
    },
    finalityUpdate: () => updateOf(head())
  }
}

/**
 * Returns the slots whose blocks each period needs for its update. If the computer was asleep in such a slot, the
 * block of the slot is made late, because a light client cannot skip a committee.
 */
const needed = (network: Network.Network, from: bigint, to: bigint): ReadonlyArray<bigint> => {
  const epoch = BigInt(network.slotsPerEpoch)
  const length = Clock.slotsPerPeriod(network)
  const slots: Array<bigint> = []
  const oldest = to / length - KEPT_PERIODS + 1n
  for (let period = oldest > from / length ? oldest : from / length; period <= to / length; period++) {
    for (let at = 0n; at <= FIRST; at++) slots.push(period * length + at * epoch)
  }
  return slots.filter((slot) => slot >= from && slot < to)
}
