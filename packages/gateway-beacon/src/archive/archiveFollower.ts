/** Follows the beacon nodes of a chain, and keeps what passes the checks of a light client. */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import type { BeaconApiError } from "@plumbline/beacon-light-client/api/BeaconApiError"
import { type BeaconNode, type BeaconNodeFailure, MAX_UPDATES } from "@plumbline/beacon-light-client/api/BeaconNode"
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as Bls from "@plumbline/beacon-light-client/bls/Bls"
import * as HashTreeRoot from "@plumbline/beacon-light-client/container/HashTreeRoot"
import * as SyncCommittee from "@plumbline/beacon-light-client/container/SyncCommittee"
import type * as Update from "@plumbline/beacon-light-client/container/Update"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import * as Clock from "@plumbline/beacon-light-client/network/Clock"
import { TrustStore } from "@plumbline/beacon-light-client/store/TrustStore"
import * as LightClientStore from "@plumbline/beacon-light-client/verify/LightClientStore"
import * as PeriodUpdate from "@plumbline/beacon-light-client/verify/PeriodUpdate"
import * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { StateError } from "@plumbline/gateway/state/StateError"
import type { RefutedError } from "@plumbline/verdict/RefutedError"
import * as EffectClock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import type { ArchiveTables, HeadKind } from "./archiveTables.ts"

export interface ArchiveFollowerOptions {
  readonly checkpoint: Hash32.Hash32
  readonly maxCheckpointAge?: LightClient.LightClientOptions["maxCheckpointAge"]
  readonly periods: number
  readonly epochs: number
}

/** Gets the newer update of a head. */
export type HeadListener = (kind: HeadKind, container: BeaconApi.SszContainer) => void

export interface ArchiveFollower {
  readonly state: Effect.Effect<{
    readonly follows: boolean
    readonly stopped: boolean
    readonly problem: string | undefined
  }>
  /** Calls the listener with each newer update of a head that was kept, until the returned function is called. */
  readonly onHead: (listener: HeadListener) => () => void
}

type Failure = BeaconNodeFailure | StateError

/** Time between two tries to start a light client. */
const AGAIN = "30 seconds"

/** The tolerance of the clock in milliseconds, as in the light client: `MAXIMUM_GOSSIP_CLOCK_DISPARITY`. */
const TOLERANCE = 500

const WARNINGS = {
  start: "a light client cannot follow its chain",
  heads: "the newest update of a head could not be kept",
  finalized: "light client data could not be read, checked or kept"
}

/** Follows the nodes in the background, until the scope closes. */
export const make = Effect.fnUntraced(function* (
  tables: ArchiveTables,
  options: ArchiveFollowerOptions
): Effect.fn.Return<ArchiveFollower, never, BeaconNodes.BeaconNodes | TrustStore | Scope.Scope> {
  const { checkpoint, epochs, maxCheckpointAge, periods } = options
  const nodes = yield* BeaconNodes.BeaconNodes
  const records = yield* TrustStore
  const bls = yield* Bls.Bls
  const scope = yield* Effect.scope
  const { network } = nodes
  let light: LightClient.Client | undefined
  let stopped = false
  const listeners = new Set<HeadListener>()
  /** The slots of the newest updates that the listeners got. */
  const told = new Map<HeadKind, bigint>()
  /** The last failure of each kind of work, until the work succeeds. */
  const problems = new Map<"start" | "heads" | "finalized", string>()
  /** The periods whose bootstrap was asked for since the start. Most nodes do not have old ones. */
  const asked = new Set<bigint>()

  const presentSlot = Effect.map(EffectClock.currentTimeMillis, (now) =>
    Clock.slotAt(network, (now + TOLERANCE) / 1000)
  )

  const failed = (work: "start" | "heads" | "finalized", { message }: { readonly message: string }) => {
    problems.set(work, message)
    return Effect.annotateLogs(Effect.logWarning(WARNINGS[work], message), { network: network.name })
  }

  /** Runs work whose failure must not end the following. The next run of the same work may succeed. */
  const noted = (name: "heads" | "finalized", work: Effect.Effect<void, Failure>): Effect.Effect<void> =>
    Effect.matchEffect(work, {
      onSuccess: () => Effect.sync(() => void problems.delete(name)),
      onFailure: (error) => failed(name, error)
    })

  /** Fails if an answer is of a fork that this version does not know, because nothing can be said about it. */
  const known = (node: BeaconNode, call: "bootstrap" | "updates", slot: bigint) =>
    Effect.flatMap(presentSlot, (present) => nodes.known(node.name, call, slot, present))

  const committeeOf = Effect.fnUntraced(function* (
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
    update: Update.Update,
    node: BeaconNode,
    committee: SyncCommittee.SyncCommittee,
    nextCommittee?: SyncCommittee.SyncCommittee
  ): Effect.fn.Return<Update.Update, BeaconApiError | RefutedError> {
    yield* known(node, "updates", update.attestedHeader.beacon.slot)
    // a signature takes some 30 ms in JavaScript, so other fibers may run in between
    yield* Effect.yieldNow
    const currentSlot = yield* presentSlot
    const checked = PeriodUpdate.check(update, { network, currentSlot, bls, committee, nextCommittee })
    return yield* Effect.fromResult(checked)
  })

  /** Asks a node for updates from a period on, and returns those that pass every check. */
  const chainOf = Effect.fnUntraced(function* (
    node: BeaconNode,
    period: bigint,
    count: number,
    begin: SyncCommittee.SyncCommittee
  ): Effect.fn.Return<ReadonlyArray<Update.Update>, BeaconNodeFailure> {
    const good: Array<Update.Update> = []
    let committee = begin
    for (const update of yield* node.updates(period, count)) {
      if (PeriodUpdate.periodOf(update, network) !== period + BigInt(good.length)) continue
      const checked = yield* Effect.result(check(update, node, committee))
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
  const fillFrom = Effect.fnUntraced(function* (start: bigint, last: bigint): Effect.fn.Return<void, Failure> {
    let period = start
    while (period <= last) {
      const committee = yield* committeeOf(period)
      if (committee === undefined) return
      const left = last - period + 1n
      const count = left > BigInt(MAX_UPDATES) ? MAX_UPDATES : Number(left)
      const from = period
      const good = yield* nodes.first(
        (node) => chainOf(node, from, count, committee),
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
  const fill = Effect.fnUntraced(function* (present: bigint): Effect.fn.Return<void, Failure> {
    const start = yield* tables.bootstrapOf(checkpoint)
    const kept = yield* tables.periods
    const has = new Set(kept)
    const ends = kept.map((period) => period + 1n)
    const newest = ends.at(-1)
    const first = start === undefined ? [] : [Clock.periodOf(network, start.header.beacon.slot)]
    const oldest = present - BigInt(periods) + 1n
    for (const period of new Set([...first, ...ends])) {
      const isWanted = period >= oldest || period === newest || newest === undefined
      if (!has.has(period) && isWanted) yield* fillFrom(period, present)
    }
  })

  /** Asks all nodes for the updates of the last period and of this one, and keeps each that is better. */
  const improve = Effect.fnUntraced(function* (present: bigint): Effect.fn.Return<void, Failure> {
    const begin = present === 0n ? 0n : present - 1n
    const known = new Map<bigint, readonly [SyncCommittee.SyncCommittee, Update.Update | undefined]>()
    for (const period of [begin, present]) {
      const committee = yield* committeeOf(period)
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
          better.push(yield* check(update, node, committee, kept?.nextSyncCommittee))
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
  const keepBootstrap = Effect.fnUntraced(function* (root: Hash32.Hash32): Effect.fn.Return<void, Failure> {
    if ((yield* tables.bootstrap(root)) !== undefined) return
    const found = yield* nodes
      .first((node) =>
        Effect.gen(function* () {
          const bootstrap = yield* node.bootstrap(root)
          yield* known(node, "bootstrap", bootstrap.header.beacon.slot)
          yield* Effect.fromResult(LightClientStore.fromBootstrap(bootstrap, root, network))
          return bootstrap
        })
      )
      .pipe(Effect.catchIf(isUnavailable, () => Effect.undefined))
    if (found === undefined) return
    if (Hash32.equals(root, checkpoint)) yield* reconcile(found.currentSyncCommittee, found.header.beacon.slot)
    yield* tables.keepBootstrap(found)
  })

  /**
   * Removes what another checkpoint has proven, if it contradicts this one: then one of both is of another chain, and
   * this one is what the operator trusts now.
   */
  const reconcile = Effect.fnUntraced(function* (
    committee: SyncCommittee.SyncCommittee,
    slot: bigint
  ): Effect.fn.Return<void, StateError> {
    const period = Clock.periodOf(network, slot)
    const before = period === 0n ? undefined : yield* tables.updateOf(period - 1n)
    const own = yield* tables.updateOf(period)
    const currentSlot = yield* presentSlot
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
  const fillBootstraps = Effect.fnUntraced(function* (): Effect.fn.Return<void, Failure> {
    const has = yield* tables.periodsOfBootstraps
    for (const period of yield* tables.periods) {
      if (has.has(period) || asked.has(period)) continue
      const update = yield* tables.updateOf(period)
      if (update !== undefined) yield* keepBootstrap(HashTreeRoot.beaconBlock(update.finalizedHeader.beacon))
      asked.add(period)
    }
  })

  const prune = Effect.fnUntraced(function* (present: bigint, finalized: bigint): Effect.fn.Return<void, StateError> {
    const period = present - BigInt(periods) + 1n
    const slot = finalized - BigInt(epochs - 1) * BigInt(network.slotsPerEpoch)
    yield* tables.prune({ period: period < 0n ? 0n : period, slot: slot < 0n ? 0n : slot }, checkpoint)
  })

  /** Keeps everything that a new finalized head brings. */
  const atFinalized = Effect.fnUntraced(function* (root: Hash32.Hash32, slot: bigint): Effect.fn.Return<void, Failure> {
    const present = Clock.periodOf(network, yield* presentSlot)
    let first: Failure | undefined
    // a node that lacks one thing may have the next
    for (const step of [keepBootstrap(root), fill(present), improve(present), fillBootstraps(), prune(present, slot)]) {
      const done: Result.Result<void, Failure> = yield* Effect.result(step)
      if (Result.isFailure(done)) first ??= done.failure
    }
    if (first !== undefined) return yield* Effect.fail(first)
  })

  const keepHead = (kind: HeadKind, slot: bigint, container: BeaconApi.SszContainer): Effect.Effect<void, StateError> =>
    Effect.map(tables.keepHead(kind, slot, container), () => {
      if (slot <= (told.get(kind) ?? -1n)) return
      told.set(kind, slot)
      for (const listener of listeners) listener(kind, container)
    })

  /** Keeps the newest updates of heads, which the light client has checked. */
  const keepHeads = (update: Update.AnyUpdate, store: LightClientStore.LightClientStore): Effect.Effect<void> => {
    const { attestedHeader, finalityBranch, finalizedHeader } = update
    const { slot } = attestedHeader.beacon
    const isHead = store.optimistic.header === attestedHeader
    const signed = SyncCommittee.signers(update.syncAggregate).length
    const isFinal =
      finalizedHeader !== undefined &&
      finalityBranch !== undefined &&
      finalizedHeader.beacon.slot > 0n &&
      3 * signed >= 2 * network.syncCommitteeSize
    return noted(
      "heads",
      Effect.gen(function* () {
        if (isHead) yield* keepHead("optimistic", slot, BeaconApi.optimisticUpdate(update, network))
        if (!isFinal) return
        yield* keepHead(
          "finality",
          slot,
          BeaconApi.finalityUpdate({ ...update, finalizedHeader, finalityBranch }, network)
        )
      })
    )
  }

  const follow = Effect.gen(function* () {
    // without it a light client with a record goes on, and any other fails for the same reason
    yield* keepBootstrap(checkpoint)
    const started = yield* LightClient.make({ checkpoint, maxCheckpointAge, onUpdate: keepHeads })
    light = started
    problems.delete("start")
    let last: Hash32.Hash32 | undefined
    yield* Stream.runForEach(started.changes, ({ finalized }) => {
      const root = HashTreeRoot.beaconBlock(finalized.header.beacon)
      if (root === last) return Effect.void
      last = root
      return noted("finalized", atFinalized(root, finalized.header.beacon.slot))
    })
  }).pipe(Effect.provideService(BeaconNodes.BeaconNodes, nodes), Effect.provideService(TrustStore, records))

  const attempt = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    yield* Effect.onExit(Scope.provide(follow, own), () => {
      light = undefined
      return Scope.close(own, Exit.void)
    })
  }).pipe(Effect.tapError((error) => failed("start", error)))
  yield* Effect.forkScoped(
    // after an alarm, two chains claim to be this one, and no later answer decides between them
    Effect.ignore(
      Effect.retry(attempt, {
        schedule: Schedule.spaced(AGAIN),
        while: (error) => {
          stopped = isAlarm(error)
          return !stopped
        }
      })
    )
  )

  return {
    onHead: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    state: Effect.gen(function* () {
      const polled = light === undefined ? undefined : yield* light.problem
      const said = problems.values().next().value ?? polled?.message
      return { follows: light !== undefined && said === undefined, stopped, problem: said }
    })
  }
})

const isUnavailable = (error: BeaconNodeFailure): error is BeaconApiError =>
  error._tag === "BeaconApiError" && error.reason._tag === "UnavailableError"

const isAlarm = (error: { readonly _tag: string; readonly check?: string }): boolean =>
  error._tag === "RefutedError" && error.check === "conflict"
