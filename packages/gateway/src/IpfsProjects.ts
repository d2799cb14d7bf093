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
 * Whose pins are whose stands in a ledger, one SQLite file for one process at a time. A process may be killed at any moment:
 * the node then holds all that projects have, and at most more, of which the next start lets go.
 *
 * @since 0.1.0
 */
import { IpfsNode, type Node } from "@plumbline/ipfs-client/IpfsNode"
import { Failed, type IpfsNodeError } from "@plumbline/ipfs-client/IpfsNodeError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { attemptNow, failure } from "./internal/ipfsProjectsFailure.ts"
import * as Ledger from "./internal/ipfsProjectsLedger.ts"
import * as ProjectNode from "./internal/ipfsProjectsNode.ts"
import * as Pins from "./internal/ipfsProjectsPins.ts"
import * as Counters from "./internal/ipfsProjectsTransfers.ts"
import { IpfsProjectsError } from "./IpfsProjectsError.ts"
import type { Limits, Transfers, Usage } from "./IpfsQuota.ts"
import type { Project } from "./Project.ts"

/**
 * Where the ledger is, and what projects may use.
 *
 * @since 0.1.0
 */
export interface Options {
  /** The file of the ledger, in a folder that exists. It is made if there is none. */
  readonly file: string
  /** What a project may use unless it has limits of its own. Default: no limits. */
  readonly limits?: Limits | undefined
  /** The limits of a project's own; each takes the place of the default. */
  readonly limitsOf?: ((project: Project) => Limits | undefined) | undefined
}

/**
 * What a reconciliation has done: pins that the node was made to let go, or to take again, and pins whose content it no
 * longer has.
 *
 * @since 0.1.0
 */
export type Reconciled = Pins.Reconciled

/**
 * The node as projects see it, and what they have used.
 *
 * @since 0.1.0
 */
export interface Projects {
  /** The node as this project sees it. It costs nothing to ask for it again. */
  readonly node: (project: Project) => Node
  /** What a project uses now, and has used today. */
  readonly usage: (project: Project) => Effect.Effect<Usage, IpfsNodeError>
  /** What a project sent and read on the days from the first to the last, such as `2026-11-01`; days without are left out. */
  readonly transfers: (id: string, from: string, to: string) => Effect.Effect<ReadonlyArray<Transfers>, IpfsNodeError>
  /** Makes the node hold what projects have, and let go of what only this service has pinned. It is done at the start. */
  readonly reconcile: Effect.Effect<Reconciled, IpfsNodeError>
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
 * import { ApiKeys, IpfsProjects, Project } from "@plumbline/gateway"
 * import type { IpfsNode } from "@plumbline/ipfs-client"
 * import { Effect, Stream } from "effect"
 * import { mkdtempSync, rmSync } from "node:fs"
 * import { tmpdir } from "node:os"
 * import { join } from "node:path"
 *
 * // a node that has no pins, and the same block under every CID; `IpfsEmbedded` of @plumbline/devnet is a whole one
 * const node = {
 *   pinLs: () => Stream.empty,
 *   blockGet: () => Effect.succeed(new Uint8Array(5))
 * } as Partial<IpfsNode.Node> as IpfsNode.Node
 *
 * const folder = mkdtempSync(join(tmpdir(), "projects-"))
 * const program = Effect.gen(function* () {
 *   const file = join(folder, "projects.sqlite")
 *   const projects = yield* IpfsProjects.make(node, { file, limits: { downloaded: 7 } })
 *   const project = Project.make({ id: "p1", name: "wallet", ...ApiKeys.generate() })
 *   yield* projects.node(project).blockGet("bafkqaaqha4")
 *   const { message } = yield* Effect.flip(projects.node(project).blockGet("bafkqaaqha4"))
 *   const { downloaded } = yield* projects.usage(project)
 *   return { downloaded, message }
 * })
 * const { downloaded, message } = await Effect.runPromise(Effect.scoped(program))
 * downloaded // => 5
 * message // => "quota exceeded: 5 of 7 bytes are downloaded today, and this is more than the rest"
 * rmSync(folder, { recursive: true })
 * ```
 *
 * @since 0.1.0
 */
export const make = Effect.fnUntraced(function* (node: Node, options: Options) {
  const ledger = yield* Effect.acquireRelease(openLedger(options.file), (ledger) => Effect.sync(ledger.close))
  const counters = Counters.make(ledger)
  yield* Effect.addFinalizer(() =>
    Effect.catch(attemptNow(counters.flush), (error) =>
      Effect.logWarning(`transfers are not written: ${error.message}`)
    )
  )
  const pins = Pins.make(node, ledger)
  const shared: ProjectNode.Shared = { node, ledger, pins, counters }

  const limitsOf = (project: Project): Limits => {
    const own = options.limitsOf?.(project)
    const { limits } = options
    return {
      stored: own?.stored ?? limits?.stored,
      uploaded: own?.uploaded ?? limits?.uploaded,
      downloaded: own?.downloaded ?? limits?.downloaded
    }
  }
  const atStart = Effect.timeoutOrElse(pins.reconcile, {
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

  const projects: Projects = {
    node: (project) => ProjectNode.make(shared, project.id, limitsOf(project)),
    usage: (project) =>
      Effect.gen(function* () {
        const { bytes, pins } = yield* attemptNow(() => ledger.stored(project.id))
        return { ...(yield* counters.today(project.id)), stored: bytes, pins, limits: limitsOf(project) }
      }),
    transfers: (id, from, to) =>
      Effect.andThen(
        counters.written,
        attemptNow(() => ledger.transfers(id, from, to))
      ),
    reconcile: pins.reconcile
  }
  return projects
})

/**
 * The projects of the node that there is.
 *
 * @since 0.1.0
 */
export const layer = (options: Options): Layer.Layer<IpfsProjects, IpfsProjectsError, IpfsNode> =>
  Layer.effect(
    IpfsProjects,
    Effect.flatMap(IpfsNode, (node) => make(node, options))
  )

/** A node that answers without end must not keep the service from starting. */
const LONGEST_START = "1 minute"

const openLedger = (file: string): Effect.Effect<Ledger.Ledger, IpfsProjectsError> =>
  Effect.callback((resume) => {
    Ledger.open(file).then(
      (ledger) => resume(Effect.succeed(ledger)),
      (error: unknown) => resume(error instanceof IpfsProjectsError ? Effect.fail(error) : Effect.die(error))
    )
  })
