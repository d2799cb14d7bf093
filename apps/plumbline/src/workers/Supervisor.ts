/**
 * The supervisor of workers: everything of a service that exists once. It has the state, the light clients, the heads of the
 * chains, IPFS, the admin API and the console, and a gateway at a Unix socket, to which the workers pass what is no call.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

import type * as LightClient from "@plumbline/beacon-light-client/follow/LightClient"
import type { LimiterStore } from "@plumbline/gateway/limits/LimiterStore"
import type { MeteringStore } from "@plumbline/gateway/metering/MeteringStore"
import type { Network } from "@plumbline/gateway/networks/Network"
import type { GatewayOptions } from "@plumbline/gateway/settings/GatewayOptions"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"

import { USUAL_GRACE } from "../config/ServerSection.ts"
import type { EmbeddedNetwork, ServiceSettings } from "../config/ServiceSettings.ts"
import * as LightPublisher from "./LightPublisher.ts"
import * as WorkerDesk from "./WorkerDesk.ts"
import type * as WorkerMessages from "./WorkerMessages.ts"
import * as WorkerPool from "./WorkerPool.ts"

/** The parts that the workers need when they start. */
export interface SupervisedParts {
  /** The port of the workers. 0 means any free port. */
  readonly port: number
  readonly settings: () => ServiceSettings
  /** Digests of the settings in which all processes must agree, by their names. */
  readonly agreed: Readonly<Record<string, string>>
  readonly file: string | undefined
  readonly folder: string | undefined
  readonly state: Context.Context<LimiterStore | MeteringStore>
  readonly embedded: WorkerDesk.DeskNodes
  /** The module of a worker. */
  readonly module: URL
  readonly networks: () => ReadonlyArray<Network>
}

export interface Supervisor {
  /** The options of the supervisor's own gateway. */
  readonly front: Pick<GatewayOptions, "socketPath" | "workers">
  /** Sends the state of a light client to the workers, until the scope closes. */
  readonly onLight: (name: string, light: LightClient.Client) => Effect.Effect<void>
  /** Starts the workers. Call it when the supervisor's own gateway listens. */
  readonly start: (parts: SupervisedParts) => ReturnType<typeof WorkerPool.open>
  /** Lets the workers read the configuration again, and waits for them, within a bound. */
  readonly reload: Effect.Effect<void>
}

/** Makes the supervisor of this number of workers. */
export const make = Effect.fnUntraced(function* (workers: number): Effect.fn.Return<Supervisor, never, Scope.Scope> {
  // Only this user can reach a socket in this folder.
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(path.join(tmpdir(), "plumbline-"))),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )
  const socketPath = path.join(folder, "supervisor.sock")
  const lights = new Map<string, WorkerMessages.SentLight>()
  let pool: WorkerPool.WorkerPool | undefined
  let embedded: WorkerMessages.WorkerStart["embedded"] = {}
  let look: Effect.Effect<void> = Effect.void

  const start = Effect.fnUntraced(function* (parts: SupervisedParts) {
    const { server } = parts.settings()
    const scope = yield* Effect.scope
    // A reload can add an embedded node.
    look = Effect.map(Effect.orDie(Scope.provide(idsOf(parts), scope)), (found) => {
      embedded = found
    })
    yield* look
    const { grace = USUAL_GRACE, drain } = server.timeouts
    pool = yield* WorkerPool.open({
      host: server.host,
      port: parts.port,
      workers,
      start: () => ({ file: parts.file, folder: parts.folder, grace, agreed: parts.agreed, socketPath, embedded }),
      module: parts.module,
      deskOf: yield* WorkerDesk.make(parts),
      drain: grace + drain + AFTER_DRAIN
    })
    for (const [network, state] of lights) pool.publish(network, state)
    return pool
  })

  return {
    front: {
      socketPath,
      workers: {
        count: () => pool?.count() ?? { wanted: workers, running: 0, outdated: 0 },
        families: Effect.suspend(() => pool?.families ?? Effect.succeed([])),
        lies: (network) => pool?.lies(network) ?? []
      }
    },
    onLight: (name, light) =>
      LightPublisher.publish(light, (state) => {
        lights.set(name, state)
        pool?.publish(name, state)
      }),
    start,
    reload: Effect.suspend(() => Effect.flatMap(look, () => pool?.reload(embedded) ?? Effect.void))
  }
})

/**
 * Milliseconds that a worker has after its grace and its drain: to close the listener, to write its last records, and for
 * clients that close late.
 */
const AFTER_DRAIN = 20_000

const idsOf = ({ embedded, settings }: SupervisedParts) =>
  Effect.map(
    Effect.forEach(
      new Set(
        settings().networks.flatMap(({ upstreams }) =>
          upstreams.flatMap(({ embedded }): ReadonlyArray<EmbeddedNetwork> =>
            embedded === undefined ? [] : [embedded]
          )
        )
      ),
      (name) => Effect.map(embedded.get(name), ({ chainId }) => [name, chainId] as const)
    ),
    (found): WorkerMessages.WorkerStart["embedded"] => Object.fromEntries(found)
  )
