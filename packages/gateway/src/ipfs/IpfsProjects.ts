/**
 * One IPFS node for many projects: each project sees and removes its own pins only, and stays within its quota.
 *
 * Anyone who knows a CID can read its content. Pins belong to the project that made them. Several projects may pin the
 * same CID, recursively or directly; the node unpins it when the last project does. Pins that the node has from
 * elsewhere are hidden and never removed: content that was pinned there before a project pinned it stays. `gc` and
 * `repoStat` are for the operator: projects get `NotSupported`.
 *
 * An add or an import that fails, or whose client leaves before everything is sent, leaves none of its pins. This
 * includes pins that were already reported. A pin stays if another upload of the same content made it too.
 *
 * A ledger in the state's database records the projects' pins: one SQLite file, or Postgres for several processes that
 * share a node. A process may be killed at any moment: the node then holds everything that projects have pinned, and
 * perhaps more, which the next start unpins.
 */
import { randomUUID } from "node:crypto"

import { IpfsNode, type Node } from "@plumbline/ipfs-client/node/IpfsNode"
import { Failed, type IpfsNodeError } from "@plumbline/ipfs-client/node/IpfsNodeError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stream from "effect/Stream"

import type { Limits, Transfers, Usage } from "../limits/IpfsQuota.ts"
import * as Migrations from "../state/Migrations.ts"
import type { StateError } from "../state/StateError.ts"
import * as Chores from "./projects/chores.ts"
import * as CidLocks from "./projects/cidLocks.ts"
import { failure } from "./projects/failure.ts"
import * as Ledger from "./projects/ledger.ts"
import * as ProjectNode from "./projects/node.ts"
import * as Pins from "./projects/pins.ts"
import type { Reconciled } from "./projects/pins.ts"
import * as Tables from "./projects/tables.ts"
import * as Tidying from "./projects/tidying.ts"
import * as Counters from "./projects/transfers.ts"

/**
 * The name of the node, and the quota of projects.
 */
export interface Options {
  /**
   * Names the node permanently, in all processes that share it. Pins at one node are independent of those at another.
   */
  readonly name: string
  /** The quota of a project that sets no limits. Default: no limits. */
  readonly limits?: Limits | undefined
  /**
   * The time after which another process takes over a pin whose process gives no sign of life: 10 seconds. It must be
   * much longer than any pause of a process.
   */
  readonly lease?: Duration.Input | undefined
  /** The interval of automatic `collect` runs, each in one of all processes. Default: never. */
  readonly collectEvery?: Duration.Input | undefined
  /**
   * Returns the removed projects among those given, such as `Accounts.removedOf`. Their pins are removed within a
   * minute. Default: pins stay.
   */
  readonly removed?: Tidying.Removed | undefined
}

export type { Reconciled } from "./projects/pins.ts"
export type { Removed } from "./projects/tidying.ts"

/**
 * The node as projects see it, and their usage.
 */
export interface Projects {
  /**
   * Returns the node as this project sees it. Each of its own limits replaces the default. Repeated calls cost nothing.
   */
  readonly node: (project: { readonly id: string }, limits?: Limits) => Node
  /**
   * Returns a project's usage now and today. Transfers of other processes may be counted before their bytes have
   * passed.
   */
  readonly usage: (project: { readonly id: string }) => Effect.Effect<Usage, IpfsNodeError>
  /** Returns the size of a project's pins in bytes. */
  readonly stored: (project: { readonly id: string }) => Effect.Effect<number, IpfsNodeError>
  /**
   * Returns the bytes that a project sent and read on the days from the first to the last, such as `2026-11-01`. Days
   * without transfers are omitted.
   */
  readonly transfers: (id: string, from: string, to: string) => Effect.Effect<ReadonlyArray<Transfers>, IpfsNodeError>
  /**
   * Makes the node hold the pins of all projects, and removes pins that only this service made and no project needs. It
   * also runs at the start, then without pins that other processes are working on; here it waits for these.
   */
  readonly reconcile: Effect.Effect<Reconciled, IpfsNodeError>
  /**
   * Removes content that no pin of the node reaches, and returns the number of blocks. The node spares content under
   * way. For the operator: projects may not call it.
   */
  readonly collect: Effect.Effect<number, IpfsNodeError>
}

/**
 * The projects of a node as a service.
 */
export class IpfsProjects extends Context.Service<IpfsProjects, Projects>()("@plumbline/gateway/IpfsProjects") {}

/**
 * Opens the ledger of a node, and reconciles the two. The ledger is closed with the scope.
 *
 * If the node cannot be reached at the start, or needs longer than a minute, the log has a warning. Its superfluous
 * pins then stay until the next reconciliation.
 *
 * ```ts import.meta.vitest
 * import { IpfsProjects, Sqlite } from "@plumbline/gateway"
 * import type { IpfsNode } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 *
 * // a node that has no pins, and the same block under every CID; `IpfsEmbedded` of @plumbline/devnet is a whole one
 * const node = {
 *   pinLs: () => Stream.empty,
 *   blockGet: () => Effect.succeed(new Uint8Array(5))
 * } as Partial<IpfsNode.Node> as IpfsNode.Node
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
  node: Node,
  options: Options
): Effect.fn.Return<Projects, StateError, Scope.Scope | SqlClient.SqlClient> {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run(Tables.migrations)
  const lease = Math.ceil(Duration.toMillis(Duration.fromInputUnsafe(options.lease ?? "10 seconds")))
  const ledger = Ledger.make(sql, { node: options.name, worker: randomUUID(), lease })
  const counters = yield* Counters.make(sql, options.name)
  const pins = Pins.make(node, ledger, yield* CidLocks.make(ledger, lease))
  const shared: ProjectNode.Shared = { node, ledger, pins, counters }

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
  const tidy = Tidying.make(ledger, pins, options.removed)
  yield* Effect.forkScoped(Chores.periodically(sql, { ...at, chore: "tidying", every: TIDY_EVERY, work: tidy }))
  if (options.collectEvery !== undefined) {
    const every = Duration.toMillis(Duration.fromInputUnsafe(options.collectEvery))
    const work = Effect.flatMap(collect, (blocks) =>
      Effect.logInfo(`garbage of the IPFS node: ${blocks} blocks removed`)
    )
    yield* Effect.forkScoped(Chores.periodically(sql, { ...at, chore: "collection", every, work }))
  }

  const projects: Projects = {
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
 * The projects of the given node as a layer.
 */
export const layer = (options: Options): Layer.Layer<IpfsProjects, StateError, IpfsNode | SqlClient.SqlClient> =>
  Layer.effect(
    IpfsProjects,
    Effect.flatMap(IpfsNode, (node) => make(node, options))
  )

/** A node that answers without end must not keep the service from starting. */
const LONGEST_START = "1 minute"

/** The interval between searches for abandoned work, in milliseconds. */
const TIDY_EVERY = 30_000
