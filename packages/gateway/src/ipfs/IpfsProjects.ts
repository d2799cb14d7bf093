/**
 * One IPFS node for many projects: each sees and removes its own pins only, and uses no more than it may.
 *
 * Content is everybody's who knows its CID; pins are not. Several projects may pin the same, recursively or directly; the
 * node lets go when the last one does. Pins that the node has from elsewhere are not seen, and never removed: what was
 * pinned there before a project pinned it stays. `gc` and `repoStat` are the operator's: projects get `NotSupported`.
 *
 * An add or an import that fails, or whose client leaves before all is sent, leaves none of its pins: neither those that
 * were said already, nor any that another upload of the same content did not make as well.
 *
 * Whose pins are whose stands in a ledger, in the state's database: one SQLite file, or Postgres for several processes that
 * share a node. A process may be killed at any moment: the node then holds all that projects have, and at most more, of
 * which the next start lets go.
 *
 * @since 0.1.0
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
 * Which node it is, and what projects may use.
 *
 * @since 0.1.0
 */
export interface Options {
  /** Names the node for ever, in all processes that share it. What projects have at one node says nothing about another. */
  readonly name: string
  /** What a project may use unless it has limits of its own. Default: no limits. */
  readonly limits?: Limits | undefined
  /**
   * How long a pin that a process was at work on waits for it without a sign of life, before another one goes on with it:
   * 10 seconds. It must be much more than a process is ever held up.
   */
  readonly lease?: Duration.Input | undefined
  /** How often `collect` is done unasked, by one of all processes. Default: never. */
  readonly collectEvery?: Duration.Input | undefined
  /**
   * Which of these projects were removed, such as `Accounts.removedOf`: their pins are let go, within a minute. Default:
   * pins stay.
   */
  readonly removed?: Tidying.Removed | undefined
}

export type { Reconciled } from "./projects/pins.ts"
export type { Removed } from "./projects/tidying.ts"

/**
 * The node as projects see it, and what they have used.
 *
 * @since 0.1.0
 */
export interface Projects {
  /** The node as this project sees it. Each of its own limits takes the place of the default. It costs nothing to ask again. */
  readonly node: (project: { readonly id: string }, limits?: Limits) => Node
  /** What a project uses now, and has used today. What other processes have under way may be counted before it has passed. */
  readonly usage: (project: { readonly id: string }) => Effect.Effect<Usage, IpfsNodeError>
  /** Bytes of what a project has pinned. */
  readonly stored: (project: { readonly id: string }) => Effect.Effect<number, IpfsNodeError>
  /** What a project sent and read on the days from the first to the last, such as `2026-11-01`; days without are left out. */
  readonly transfers: (id: string, from: string, to: string) => Effect.Effect<ReadonlyArray<Transfers>, IpfsNodeError>
  /**
   * Makes the node hold what projects have, and let go of what only this service has pinned. It is done at the start, but
   * for what other processes are at work on; here these are waited for.
   */
  readonly reconcile: Effect.Effect<Reconciled, IpfsNodeError>
  /**
   * Removes what no pin of the node reaches, and tells how many blocks that were. Content under way is spared, as the node
   * does it. For the operator: projects may not ask for it.
   */
  readonly collect: Effect.Effect<number, IpfsNodeError>
}

/**
 * The projects of a node as a service.
 *
 * @since 0.1.0
 */
export class IpfsProjects extends Context.Service<IpfsProjects, Projects>()("@plumbline/gateway/IpfsProjects") {}

/**
 * Opens the ledger over a node, and reconciles the two. It is closed with the scope.
 *
 * A node that cannot be asked at the start, or is not done within a minute, is a warning in the log: what it holds too much, it holds until the next time.
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
 *
 * @since 0.1.0
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
 * The projects of the node that there is.
 *
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<IpfsProjects, StateError, IpfsNode | SqlClient.SqlClient> =>
  Layer.effect(
    IpfsProjects,
    Effect.flatMap(IpfsNode, (node) => make(node, options))
  )

/** A node that answers without end must not keep the service from starting. */
const LONGEST_START = "1 minute"

/** How often is looked for what nobody will ask for any more, in milliseconds. */
const TIDY_EVERY = 30_000
