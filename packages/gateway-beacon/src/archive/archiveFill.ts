/** Fills an archive with light client data that passes the checks of a light client. */
import type { BeaconApiError } from "@plumbline/beacon-light-client/api/BeaconApiError"
import { type BeaconNode, type BeaconNodeFailure, MAX_UPDATES } from "@plumbline/beacon-light-client/api/BeaconNode"
import type * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import type * as Bls from "@plumbline/beacon-light-client/bls/Bls"
import * as HashTreeRoot from "@plumbline/beacon-light-client/container/HashTreeRoot"
import type * as SyncCommittee from "@plumbline/beacon-light-client/container/SyncCommittee"
import type * as Update from "@plumbline/beacon-light-client/container/Update"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import * as LightClientStore from "@plumbline/beacon-light-client/verify/LightClientStore"
import * as PeriodUpdate from "@plumbline/beacon-light-client/verify/PeriodUpdate"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { StateError } from "@plumbline/gateway/state/StateError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

import type { ArchiveTables } from "./archiveTables.ts"

/** The archive that is filled, and the nodes that fill it. */
export interface FilledArchive {
  readonly checkpoint: Hash32.Hash32
  readonly periods: number
  readonly epochs: number
  readonly tables: ArchiveTables
  readonly nodes: BeaconNodes.BeaconNodes["Service"]
  readonly network: BeaconNodes.BeaconNodes["Service"]["network"]
  readonly bls: Bls.BlsEngine
  /** The periods whose bootstrap was asked for since the start. Most nodes do not have old ones. */
  readonly asked: Set<bigint>
}

export type Failure = BeaconNodeFailure | StateError

/** The tolerance of the clock in milliseconds, as in the light client: `MAXIMUM_GOSSIP_CLOCK_DISPARITY`. */
const TOLERANCE = 500

const presentSlot = ({ network }: FilledArchive) =>
  Effect.map(EffectClock.currentTimeMillis, (now) => Clock.slotAt(network, (now + TOLERANCE) / 1000))

/** Fails if an answer is of a fork that this version does not know, because nothing can be said about it. */
const known = (archive: FilledArchive, node: BeaconNode, call: "bootstrap" | "updates", slot: bigint) =>
  Effect.flatMap(presentSlot(archive), (present) => archive.nodes.known(node.name, call, slot, present))

const committeeOf = Effect.fnUntraced(function* (
  { checkpoint, network, tables }: FilledArchive,
  period: bigint
): Effect.fn.Return<SyncCommittee.SyncCommittee | undefined, StateError> {
  const before = period === 0n ? undefined : yield* tables.updateOf(period - 1n)
  if (before !== undefined) return before.nextSyncCommittee
  const start = yield* tables.bootstrapOf(checkpoint)
  return start !== undefined && Clock.periodOf(network, start.header.beacon.slot) === period
    ? start.currentSyncCommittee
    : undefined
})

const check = Effect.fnUntraced(function* (
  archive: FilledArchive,
  update: Update.Update,
  node: BeaconNode,
  committee: SyncCommittee.SyncCommittee,
  nextCommittee?: SyncCommittee.SyncCommittee
): Effect.fn.Return<Update.Update, BeaconApiError | RefutedError> {
  const { bls, network } = archive
  yield* known(archive, node, "updates", update.attestedHeader.beacon.slot)
  // a signature takes some 30 ms in JavaScript, so other fibers may run in between
  yield* Effect.yieldNow
  const currentSlot = yield* presentSlot(archive)
  const checked = PeriodUpdate.check(update, { network, currentSlot, bls, committee, nextCommittee })
  return yield* Effect.fromResult(checked)
})

/** Asks a node for updates from a period on, and returns those that pass every check. */
const chainOf = Effect.fnUntraced(function* (
  archive: FilledArchive,
  node: BeaconNode,
  period: bigint,
  count: number,
  begin: SyncCommittee.SyncCommittee
): Effect.fn.Return<ReadonlyArray<Update.Update>, BeaconNodeFailure> {
  const { network, nodes } = archive
  const good: Array<Update.Update> = []
  let committee = begin
  for (const update of yield* node.updates(period, count)) {
    if (PeriodUpdate.periodOf(update, network) !== period + BigInt(good.length)) continue
    const checked = yield* Effect.result(check(archive, update, node, committee))
    if (Result.isFailure(checked)) {
      if (good.length === 0) return yield* Effect.fail(checked.failure)
      if (checked.failure._tag === "RefutedError") yield* nodes.blame(node.name, checked.failure)
      break
    }
    good.push(update)
    committee = update.nextSyncCommittee
  }
  return good
})

/** Keeps updates from a period on, whose committee is known, until the nodes have no more. */
const fillFrom = Effect.fnUntraced(function* (
  archive: FilledArchive,
  start: bigint,
  last: bigint
): Effect.fn.Return<void, Failure> {
  const { nodes, tables } = archive
  let period = start
  while (period <= last) {
    const committee = yield* committeeOf(archive, period)
    if (committee === undefined) return
    const left = last - period + 1n
    const count = left > BigInt(MAX_UPDATES) ? MAX_UPDATES : Number(left)
    const from = period
    const good = yield* nodes.first(
      (node) => chainOf(archive, node, from, count, committee),
      (updates) => updates.length > 0
    )
    if (good.length === 0) return
    for (const update of good) yield* tables.keepUpdate(update)
    period += BigInt(good.length)
  }
})

/**
 * Fills each gap whose first committee is known. Gaps of periods that would be removed again are not filled, unless
 * the newest updates come after them.
 */
const fill = Effect.fnUntraced(function* (archive: FilledArchive, present: bigint): Effect.fn.Return<void, Failure> {
  const { checkpoint, network, periods, tables } = archive
  const start = yield* tables.bootstrapOf(checkpoint)
  const kept = yield* tables.periods
  const has = new Set(kept)
  const ends = kept.map((period) => period + 1n)
  const newest = ends.at(-1)
  const first = start === undefined ? [] : [Clock.periodOf(network, start.header.beacon.slot)]
  const oldest = present - BigInt(periods) + 1n
  for (const period of new Set([...first, ...ends])) {
    const isWanted = period >= oldest || period === newest || newest === undefined
    if (!has.has(period) && isWanted) yield* fillFrom(archive, period, present)
  }
})

/** Asks all nodes for the updates of the last period and of this one, and keeps each that is better. */
const improve = Effect.fnUntraced(function* (archive: FilledArchive, present: bigint): Effect.fn.Return<void, Failure> {
  const { network, nodes, tables } = archive
  const begin = present === 0n ? 0n : present - 1n
  const known = new Map<bigint, readonly [SyncCommittee.SyncCommittee, Update.Update | undefined]>()
  for (const period of [begin, present]) {
    const committee = yield* committeeOf(archive, period)
    if (committee !== undefined) known.set(period, [committee, yield* tables.updateOf(period)])
  }
  if (known.size === 0) return
  const answers = yield* nodes.all(
    Effect.fnUntraced(function* (node): Effect.fn.Return<ReadonlyArray<Update.Update>, BeaconNodeFailure> {
      const better: Array<Update.Update> = []
      for (const update of yield* node.updates(begin, 2)) {
        const period = PeriodUpdate.periodOf(update, network)
        const found = period === undefined ? undefined : known.get(period)
        if (found === undefined) continue
        const [committee, kept] = found
        // an update that is not better is not checked: it is not kept, and the light client judges heads
        if (kept !== undefined && !PeriodUpdate.isBetter(update, kept, network)) continue
        better.push(yield* check(archive, update, node, committee, kept?.nextSyncCommittee))
      }
      return better
    })
  )
  const best = new Map<bigint, Update.Update>()
  for (const { outcome } of answers) {
    for (const update of Result.isSuccess(outcome) ? outcome.success : []) {
      const period = Clock.periodOf(network, update.attestedHeader.beacon.slot)
      const other = best.get(period)
      if (other === undefined || PeriodUpdate.isBetter(update, other, network)) best.set(period, update)
    }
  }
  for (const update of best.values()) yield* tables.keepUpdate(update)
})

/** Asks the nodes for the bootstrap of a block whose root is trusted, and keeps it. Nodes may not have it. */
export const keepBootstrap = Effect.fnUntraced(function* (
  archive: FilledArchive,
  root: Hash32.Hash32
): Effect.fn.Return<void, Failure> {
  const { checkpoint, network, nodes, tables } = archive
  if ((yield* tables.bootstrap(root)) !== undefined) return
  const found = yield* nodes
    .first((node) =>
      Effect.gen(function* () {
        const bootstrap = yield* node.bootstrap(root)
        yield* known(archive, node, "bootstrap", bootstrap.header.beacon.slot)
        yield* Effect.fromResult(LightClientStore.fromBootstrap(bootstrap, root, network))
        return bootstrap
      })
    )
    .pipe(Effect.catchIf(isUnavailable, () => Effect.undefined))
  if (found === undefined) return
  if (Hash32.equals(root, checkpoint)) yield* reconcile(archive, found.currentSyncCommittee, found.header.beacon.slot)
  yield* tables.keepBootstrap(found)
})

/**
 * Removes what another checkpoint has proven, if it contradicts this one: then one of both is of another chain, and
 * this one is what the operator trusts now.
 */
const reconcile = Effect.fnUntraced(function* (
  archive: FilledArchive,
  committee: SyncCommittee.SyncCommittee,
  slot: bigint
): Effect.fn.Return<void, StateError> {
  const { bls, network, tables } = archive
  const period = Clock.periodOf(network, slot)
  const before = period === 0n ? undefined : yield* tables.updateOf(period - 1n)
  const own = yield* tables.updateOf(period)
  const currentSlot = yield* presentSlot(archive)
  const contradicts =
    (before !== undefined &&
      HashTreeRoot.syncCommittee(before.nextSyncCommittee) !== HashTreeRoot.syncCommittee(committee)) ||
    (own !== undefined &&
      Result.isFailure(
        PeriodUpdate.check(own, { network, currentSlot, bls, committee, nextCommittee: own.nextSyncCommittee })
      ))
  if (!contradicts) return
  yield* Effect.annotateLogs(Effect.logWarning("kept light client data contradicts the checkpoint, and is removed"), {
    network: network.name
  })
  yield* tables.clear
})

/** Keeps a bootstrap of each period that has an update and no bootstrap yet. */
const fillBootstraps = Effect.fnUntraced(function* (archive: FilledArchive): Effect.fn.Return<void, Failure> {
  const { asked, tables } = archive
  const has = yield* tables.periodsOfBootstraps
  for (const period of yield* tables.periods) {
    if (has.has(period) || asked.has(period)) continue
    const update = yield* tables.updateOf(period)
    if (update !== undefined) yield* keepBootstrap(archive, HashTreeRoot.beaconBlock(update.finalizedHeader.beacon))
    asked.add(period)
  }
})

const prune = Effect.fnUntraced(function* (
  { checkpoint, epochs, network, periods, tables }: FilledArchive,
  present: bigint,
  finalized: bigint
): Effect.fn.Return<void, StateError> {
  const period = present - BigInt(periods) + 1n
  const slot = finalized - BigInt(epochs - 1) * BigInt(network.slotsPerEpoch)
  yield* tables.prune({ period: period < 0n ? 0n : period, slot: slot < 0n ? 0n : slot }, checkpoint)
})

/** Keeps everything that a new finalized head brings. */
export const atFinalized = Effect.fnUntraced(function* (
  archive: FilledArchive,
  root: Hash32.Hash32,
  slot: bigint
): Effect.fn.Return<void, Failure> {
  const { network } = archive
  const present = Clock.periodOf(network, yield* presentSlot(archive))
  let first: Failure | undefined
  // a node that lacks one thing may have the next
  for (const step of [
    keepBootstrap(archive, root),
    fill(archive, present),
    improve(archive, present),
    fillBootstraps(archive),
    prune(archive, present, slot)
  ]) {
    const done: Result.Result<void, Failure> = yield* Effect.result(step)
    if (Result.isFailure(done)) first ??= done.failure
  }
  if (first !== undefined) return yield* Effect.fail(first)
})

const isUnavailable = (error: BeaconNodeFailure): error is BeaconApiError =>
  error._tag === "BeaconApiError" && error.reason._tag === "UnavailableError"
