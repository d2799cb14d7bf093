/** Follows the beacon nodes of a chain, and keeps what passes the checks of a light client. */
import * as BeaconApi from "@plumbline/beacon-light-client/api/BeaconApi"
import * as BeaconNodes from "@plumbline/beacon-light-client/api/BeaconNodes"
import * as Bls from "@plumbline/beacon-light-client/bls/Bls"
import * as HashTreeRoot from "@plumbline/beacon-light-client/container/HashTreeRoot"
import * as SyncCommittee from "@plumbline/beacon-light-client/container/SyncCommittee"
import type * as Update from "@plumbline/beacon-light-client/container/Update"
import * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import { TrustStore } from "@plumbline/beacon-light-client/store/TrustStore"
import type * as LightClientStore from "@plumbline/beacon-light-client/verify/LightClientStore"
import type * as Hash32 from "@plumbline/codec/hash/Hash32"
import type { StateError } from "@plumbline/gateway/state/StateError"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

import * as ArchiveFill from "./archiveFill.ts"
import type { ArchiveTables, HeadKind } from "./archiveTables.ts"

/** Gets the newer update of a head. */
export type HeadListener = (kind: HeadKind, container: BeaconApi.SszContainer) => void

export interface ArchiveFollowerOptions extends Pick<ArchiveFill.FilledArchive, "checkpoint" | "periods" | "epochs"> {
  readonly maxCheckpointAge?: LightClient.LightClientOptions["maxCheckpointAge"]
}

export interface ArchiveFollower {
  readonly state: Effect.Effect<{
    readonly follows: boolean
    readonly stopped: boolean
    readonly problem: string | undefined
  }>
  /** Calls the listener with each newer update of a head that was kept, until the returned function is called. */
  readonly onHead: (listener: HeadListener) => () => void
}

/** Time between two tries to start a light client. */
const AGAIN = "30 seconds"

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
  const { checkpoint, maxCheckpointAge } = options
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
  const archive: ArchiveFill.FilledArchive = { ...options, tables, nodes, network, bls, asked: new Set() }

  const failed = (work: "start" | "heads" | "finalized", { message }: { readonly message: string }) => {
    problems.set(work, message)
    return Effect.annotateLogs(Effect.logWarning(WARNINGS[work], message), { network: network.name })
  }

  /** Runs work whose failure must not end the following. The next run of the same work may succeed. */
  const noted = (name: "heads" | "finalized", work: Effect.Effect<void, ArchiveFill.Failure>): Effect.Effect<void> =>
    Effect.matchEffect(work, {
      onSuccess: () => Effect.sync(() => void problems.delete(name)),
      onFailure: (error) => failed(name, error)
    })

  const keepHead = (kind: HeadKind, slot: bigint, container: BeaconApi.SszContainer): Effect.Effect<void, StateError> =>
    Effect.map(tables.keepHead(kind, slot, container), () => {
      if (slot <= (told.get(kind) ?? -1n)) return
      told.set(kind, slot)
      for (const listener of listeners) listener(kind, container)
    })

  /** Keeps the newest updates of heads, which the light client has checked. */
  const keepHeads = (update: Update.AnyUpdate, store: LightClientStore.LightClientStore): Effect.Effect<void> =>
    noted(
      "heads",
      Effect.suspend(() =>
        Effect.forEach(
          headsOf(update, store, network),
          ([kind, container]) => keepHead(kind, update.attestedHeader.beacon.slot, container),
          { discard: true }
        )
      )
    )

  const follow = Effect.gen(function* () {
    // without it a light client with a record goes on, and any other fails for the same reason
    yield* ArchiveFill.keepBootstrap(archive, checkpoint)
    const started = yield* LightClient.make({ checkpoint, maxCheckpointAge, onUpdate: keepHeads })
    light = started
    problems.delete("start")
    let last: Hash32.Hash32 | undefined
    yield* Stream.runForEach(started.changes, ({ finalized }) => {
      const root = HashTreeRoot.beaconBlock(finalized.header.beacon)
      if (root === last) return Effect.void
      last = root
      return noted("finalized", ArchiveFill.atFinalized(archive, root, finalized.header.beacon.slot))
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

/** Returns the heads that an update names, in the form in which they are served. */
const headsOf = (
  update: Update.AnyUpdate,
  store: LightClientStore.LightClientStore,
  network: BeaconNodes.BeaconNodes["Service"]["network"]
): ReadonlyArray<readonly [HeadKind, BeaconApi.SszContainer]> => {
  const { attestedHeader, finalityBranch, finalizedHeader } = update
  const heads: Array<readonly [HeadKind, BeaconApi.SszContainer]> = []
  if (store.optimistic.header === attestedHeader) {
    heads.push(["optimistic", BeaconApi.optimisticUpdate(update, network)])
  }
  const signed = SyncCommittee.signers(update.syncAggregate).length
  if (
    finalizedHeader !== undefined &&
    finalityBranch !== undefined &&
    finalizedHeader.beacon.slot > 0n &&
    3 * signed >= 2 * network.syncCommitteeSize
  ) {
    heads.push(["finality", BeaconApi.finalityUpdate({ ...update, finalizedHeader, finalityBranch }, network)])
  }
  return heads
}

const isAlarm = (error: { readonly _tag: string; readonly check?: string }): boolean =>
  error._tag === "RefutedError" && error.check === "conflict"
