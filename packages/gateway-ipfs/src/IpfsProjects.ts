/**
 * Shares one IPFS node between many projects. Each project sees and removes only its own pins, and has its own quota.
 *
 * Anyone who knows a CID can read its content. Pins belong to the project that made them. Several projects may pin the
 * same CID, recursively or directly; the node unpins it when the last project unpins it. Pins that other programs made
 * at the node are hidden and never removed, even if a project pins and unpins the same CID. `gc` is for the operator:
 * projects get `NotSupported`. `repoStat` answers with the project's own figures.
 *
 * If an add or an import fails, its pins are removed. The same happens if the client disconnects before everything is
 * sent. This includes pins that were already reported. A pin stays if another upload of the same content made it too.
 *
 * A ledger in the state's database records the projects' pins. The database is one SQLite file, or Postgres for several
 * processes that share a node. A process may be killed at any moment. The node then still has all pins of projects. It
 * may also have pins that no project needs; the next start removes them.
 */
import { randomUUID } from "node:crypto"

import type { IpfsQuotaLimits, IpfsTransfers, IpfsQuotaUsage } from "@plumbline/gateway/limits/IpfsQuota"
import * as Migrations from "@plumbline/gateway/state/Migrations"
import type { StateError } from "@plumbline/gateway/state/StateError"
import { IpfsNode, type IpfsNodeCommands } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"

import * as CidLocks from "./projects/cidLocks.ts"
import type { DiskReserveOptions } from "./projects/diskReserve.ts"
import * as DiskReserve from "./projects/diskReserve.ts"
import { failure } from "./projects/ledgerErrors.ts"
import * as PeriodicWork from "./projects/periodicWork.ts"
import * as PinCleanup from "./projects/pinCleanup.ts"
import * as PinLedger from "./projects/pinLedger.ts"
import * as PinTables from "./projects/pinTables.ts"
import type { SharedServices } from "./projects/projectAccess.ts"
import * as ProjectNode from "./projects/projectNode.ts"
import * as ProjectPins from "./projects/projectPins.ts"
import type { PinReconciliation } from "./projects/projectPins.ts"
import * as Counters from "./projects/transfers.ts"

/**
 * The options: the name of the node, and the quota of projects.
 */
export interface IpfsProjectsOptions {
  /**
   * The permanent name of the node. All processes that share the node must use the same name. Each name has its own
   * pins.
   */
  readonly name: string
  /** The quota of a project without limits of its own (default: no limits). */
  readonly limits?: IpfsQuotaLimits | undefined
  /**
   * The length of the lease for the work on a pin (default: 10 seconds). If a process does not renew its lease in this
   * time, another process takes over the work. The length must be much longer than any pause of a process.
   */
  readonly lease?: Duration.Input | undefined
  /**
   * The interval between automatic runs of `collect` (default: never). A single process makes each run, however many
   * processes share the node.
   */
  readonly collectEvery?: Duration.Input | undefined
  /**
   * The folder with the node's blocks or with the records of usage, and the number of bytes of its disk that uploads and
   * new pins leave free (default: uploads may fill the disk). Below the reserve they fail with `StorageFull`; reading and
   * removing pins go on.
   */
  readonly disk?: DiskReserveOptions | undefined
  /**
   * Returns the given projects that were removed, as `Accounts.removedOf` does. The pins of removed projects are
   * removed within a minute. Without this function the pins stay.
   */
  readonly removed?: PinCleanup.RemovedPins | undefined
}

/** The defaults of the options. */
export const defaults: { readonly lease: Duration.Input } = { lease: "10 seconds" }

export type { PinReconciliation } from "./projects/projectPins.ts"
export type { DiskReserveOptions } from "./projects/diskReserve.ts"
export type { RemovedPins } from "./projects/pinCleanup.ts"

/**
 * The node for each project, and the usage of projects.
 */
export interface SharedNode {
  /**
   * Returns the node for a project. Each limit in `limits` replaces the default limit. Repeated calls cost nothing.
   */
  readonly node: (project: { readonly id: string }, limits?: IpfsQuotaLimits) => IpfsNodeCommands
  /**
   * Returns a project's stored bytes now, and its transfers of today. The transfers may include bytes that other
   * processes have counted, but not transferred yet.
   */
  readonly usage: (project: { readonly id: string }) => Effect.Effect<IpfsQuotaUsage, IpfsNodeError>
  /** Returns the size of a project's pins in bytes. */
  readonly stored: (project: { readonly id: string }) => Effect.Effect<number, IpfsNodeError>
  /**
   * Returns the bytes that a project uploaded and downloaded per day, from the day `from` (such as `2026-11-01`) to the
   * day `to`, both included. Days without transfers are omitted.
   */
  readonly transfers: (
    id: string,
    from: string,
    to: string
  ) => Effect.Effect<ReadonlyArray<IpfsTransfers>, IpfsNodeError>
  /**
   * Adds missing pins of projects to the node, and removes pins that this service made and that no project needs. It
   * waits for other processes that are working on a pin. It also runs at the start, but then skips such pins.
   */
  readonly reconcile: Effect.Effect<PinReconciliation, IpfsNodeError>
  /**
   * Removes content that no pin of the node reaches, and returns the number of removed blocks. The node keeps content
   * that is being added. Only the operator may call it.
   */
  readonly collect: Effect.Effect<number, IpfsNodeError>
}

/** The migrations of the tables of pins and transfers. */
export const migrations: Migrations.Migrations = PinTables.migrations

/**
 * The service that shares a node between projects.
 */
export class IpfsProjects extends Context.Service<IpfsProjects, SharedNode>()("@plumbline/gateway-ipfs/IpfsProjects") {}

/**
 * Opens the ledger of a node, and reconciles the node with the ledger. The ledger is closed with the scope.
 *
 * If the node cannot be reached at the start, or needs longer than a minute, a warning is logged. Pins that no project
 * needs then stay until the next reconciliation.
 *
 * ```ts import.meta.vitest
 * import { Sqlite } from "@plumbline/gateway"
 * import { IpfsProjects } from "@plumbline/gateway-ipfs"
 * import type { IpfsNode } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * // a node that has no pins, and the same block under every CID; `IpfsEmbedded` of @plumbline/devnet is a whole one
 * const node = {
 *   pinLs: () => Stream.empty,
 *   blockGet: () => Effect.succeed(new Uint8Array(5))
 * } as Partial<IpfsNode.IpfsNodeCommands> as IpfsNode.IpfsNodeCommands
 *
 * const program = Effect.gen(function* () {
 *   const projects = yield* IpfsProjects.make(node, { name: "embedded", limits: { downloaded: 7 } })
 *   const wallet = { id: "p1" }
 *   yield* projects.node(wallet).blockGet("bafkqaaqha4")
 *   const { message } = yield* Effect.flip(projects.node(wallet).blockGet("bafkqaaqha4"))
 *   yield* projects.node(wallet, { downloaded: 100 }).blockGet("bafkqaaqha4")
 *   const { downloaded } = yield* projects.usage(wallet)
 *   return { downloaded, message }
 * })
 * const state = Sqlite.layer({ file: ":memory:" })
 * const { downloaded, message } = await Effect.runPromise(program.pipe(Effect.provide(state), Effect.scoped))
 * message // => "quota exceeded: 5 of 7 bytes are downloaded today, and this is more than the rest"
 * downloaded // => 10
 * ```
 */
export const make = Effect.fnUntraced(function* (
  node: IpfsNodeCommands,
  options: IpfsProjectsOptions
): Effect.fn.Return<SharedNode, StateError, Scope.Scope | SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run(migrations)
  const lease = Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(options.lease ?? defaults.lease)))
  const ledger = PinLedger.make(sql, { node: options.name, worker: randomUUID(), lease })
  const counters = yield* Counters.make(sql, options.name)
  const pins = ProjectPins.make(node, ledger, yield* CidLocks.make(ledger, lease))
  const shared: SharedServices = { node, ledger, pins, counters, room: DiskReserve.make(options.disk) }

  const atStart = Effect.timeoutOrElse(pins.reconcileFree, {
    duration: LONGEST_START,
    orElse: () => Effect.fail(failure(new Failed({ doing: "asking the node for its pins", detail: "it does not end" })))
  })
  yield* Effect.matchEffect(atStart, {
    onSuccess: ({ lost, removed, restored }) =>
      lost + removed + restored === 0
        ? Effect.void
        : Effect.logInfo(`pins at the IPFS node: ${removed} let go, ${restored} taken again, ${lost} without content`),
    onFailure: (error) => Effect.logWarning(`pins at the IPFS node are not reconciled: ${error.message}`)
  })

  const collect = Effect.suspend(() => Stream.runCount(node.gc))
  const at = { node: options.name }
  const tidy = PinCleanup.make(ledger, pins, options.removed)
  yield* Effect.forkScoped(PeriodicWork.periodically(sql, { ...at, chore: "tidying", every: TIDY_EVERY, work: tidy }))
  if (options.collectEvery !== undefined) {
    const every = Duration.toMillis(Duration.fromInputUnsafe(options.collectEvery))
    const work = Effect.flatMap(collect, (blocks) =>
      Effect.logInfo(`garbage of the IPFS node: ${blocks} blocks removed`)
    )
    yield* Effect.forkScoped(PeriodicWork.periodically(sql, { ...at, chore: "collection", every, work }))
  }

  const projects: SharedNode = {
    node: (project, own) => {
      const { limits } = options
      return ProjectNode.make(shared, project.id, {
        stored: own?.stored ?? limits?.stored,
        uploaded: own?.uploaded ?? limits?.uploaded,
        downloaded: own?.downloaded ?? limits?.downloaded
      })
    },
    usage: ({ id }) =>
      Effect.gen(function* () {
        const { bytes, pins } = yield* ledger.stored(id)
        return { ...(yield* counters.today(id)), stored: bytes, pins }
      }),
    stored: ({ id }) => Effect.map(ledger.stored(id), ({ bytes }) => bytes),
    transfers: counters.days,
    reconcile: pins.reconcile,
    collect
  }
  return projects
})

/**
 * The layer of the service, for the node in the context.
 */
export const layer = (
  options: IpfsProjectsOptions
): Layer.Layer<IpfsProjects, StateError, IpfsNode | SqlClient.SqlClient> =>
  Layer.effect(
    IpfsProjects,
    Effect.flatMap(IpfsNode, (node) => make(node, options))
  )

/** Maximum time of the reconciliation at the start. A node whose answers do not end must not prevent the start. */
const LONGEST_START = "1 minute"

/** Time between two searches for abandoned work, in milliseconds. */
const TIDY_EVERY = 30_000
