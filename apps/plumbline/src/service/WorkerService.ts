/** The service of a worker: the gateway's calls, with the supervisor behind everything that exists once. */
import * as StarknetPool from "@plumbline/devnet/pool/StarknetPool"
import * as EthMethods from "@plumbline/eth-methods/methods/EthMethods"
import type { VerifiedCache } from "@plumbline/gateway/cache/VerifiedCache"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import * as Gateway from "@plumbline/gateway/Gateway"
import * as CallQueue from "@plumbline/gateway/integrity/CallQueue"
import type { UpstreamError } from "@plumbline/gateway/networks/UpstreamError"
import * as MetricSum from "@plumbline/gateway/observe/MetricSum"
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"
import type { ErrorObject } from "@plumbline/jsonrpc-core/error/ErrorObject"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"

import * as LoadConfig from "../config/LoadConfig.ts"
import { limitsOfNewProjects, type EmbeddedNetwork, type ServiceSettings } from "../config/ServiceSettings.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as RemoteFeeds from "../workers/RemoteFeeds.ts"
import * as RemoteLightClient from "../workers/RemoteLightClient.ts"
import * as RemoteStores from "../workers/RemoteStores.ts"
import type { SupervisorClient } from "../workers/SupervisorClient.ts"
import * as SupervisorRoute from "../workers/SupervisorRoute.ts"
import type { WorkerStart } from "../workers/WorkerMessages.ts"
import * as WorkerSettings from "../workers/WorkerSettings.ts"
import * as AnswerCache from "./AnswerCache.ts"
import * as CallThreads from "./CallThreads.ts"
import * as Certificates from "./Certificates.ts"
import * as EmbeddedForks from "./EmbeddedForks.ts"
import type { EmbeddedNodes } from "./EmbeddedNodes.ts"
import * as NetworkTrusts from "./NetworkTrusts.ts"
import * as OtlpTracing from "./OtlpTracing.ts"
import * as Reloading from "./Reloading.ts"
import * as ServiceNetworks from "./ServiceNetworks.ts"
import * as ServiceOptions from "./ServiceOptions.ts"
import * as SettingChanges from "./SettingChanges.ts"
import * as StateLayers from "./StateLayers.ts"

/** Reads the configuration as the supervisor does: the flags of `up` are in the first message. */
export const load = (
  start: WorkerStart
): Effect.Effect<ServiceSettings, LoadError, FileSystem.FileSystem | Path.Path> =>
  Effect.map(LoadConfig.load(start.file), ({ settings }) =>
    WorkerSettings.shareOf(
      {
        ...settings,
        server: {
          ...settings.server,
          workers: start.workers,
          port: start.port,
          timeouts: { ...settings.server.timeouts, grace: start.grace }
        }
      },
      start.workers
    )
  )

type LoadError = Effect.Error<ReturnType<typeof LoadConfig.load>>

/**
 * Fails if the file of a worker that starts later has another store, host or scheme than the service, which must restart
 * for that: the worker would serve other projects beside the first ones.
 */
export const agree = ({ agreed }: Pick<WorkerStart, "agreed">, settings: ServiceSettings) => {
  const own = SettingChanges.sharedDigests(settings)
  const setting = Object.keys(own).find((name) => own[name] !== agreed[name])
  return setting === undefined
    ? Effect.void
    : Effect.fail(new SettingError({ setting, problem: "it has changed, which needs a restart of the service" }))
}

/**
 * Minimum milliseconds within which the supervisor must count. It is no other server that may be down: a supervisor that is
 * late is busy, and refusing calls at once would not help it.
 */
const PATIENCE = 5000

/** Starts the gateway of a worker. It drains when the scope closes. */
export const serve = Effect.fnUntraced(function* (
  now: () => WorkerStart,
  settings: ServiceSettings,
  supervisor: SupervisorClient
) {
  const start = now()
  const { folder } = start
  const live = Reloading.liveOf(settings)
  // Without Redis, the supervisor counts in its memory for all.
  const asksForLimits = settings.state._tag === "Folder" || settings.state.redis === undefined
  const limiter = asksForLimits
    ? { ...settings.limits, timeout: Math.max(settings.limits.timeout, PATIENCE) }
    : settings.limits
  const state = yield* StateLayers.open(
    { ...settings, limits: limiter },
    folder ?? "",
    () => limitsOfNewProjects(live.settings),
    {
      limits: asksForLimits ? RemoteStores.limits(supervisor) : undefined,
      usage: settings.state._tag === "Folder" ? RemoteStores.usage(supervisor) : undefined
    }
  )
  const judged = Context.add(state, AccessPolicy.AccessPolicy, {
    check: (holder, product) => live.policy.check(holder, product)
  })
  const record = folder === undefined ? undefined : yield* ServiceFile.read(folder)
  const embedded = nodesOf(supervisor, () => now().embedded)
  const lights = yield* RemoteLightClient.make(supervisor)
  const feeds = yield* RemoteFeeds.make(supervisor)
  let answers: VerifiedCache | undefined
  const networks = yield* ServiceNetworks.make(embedded, {
    trustOf: yield* NetworkTrusts.make(embedded, folder, { follow: lights.follow }),
    cache: Effect.tap(yield* AnswerCache.cache(settings, { folder, token: record?.adminToken, state }), (opened) =>
      Effect.sync(() => {
        answers = opened
      })
    ),
    calls: {
      threads: yield* CallThreads.make(settings.calls),
      queue: yield* Effect.fromResult(CallQueue.make(settings.calls))
    },
    feedsOf: feeds.of
  })
  const first = yield* networks.prepare(settings.networks)
  yield* yield* first.commit
  let current = first.networks
  const parts = {
    ipfs: undefined,
    elsewhere: SupervisorRoute.make(start.socketPath),
    front: { sharesPort: true },
    beacon: undefined,
    consoles: [],
    tracing: yield* OtlpTracing.make(settings.observability.traces),
    mounts: [],
    cache: () => answers?.stats(),
    families: Effect.succeed([])
  }
  const options = yield* ServiceOptions.make(settings, { ...parts, networks: first.networks })
  const context = yield* Effect.provideContext(Layer.build(Gateway.layer({ ...options, port: start.port })), judged)
  const gateway = Context.get(context, Gateway.Gateway)
  const reload = yield* Reloading.make({
    ...parts,
    live,
    gateway,
    networks,
    again: load(start),
    write: (networks) => Effect.sync(() => (current = networks))
  })
  if (settings.tls !== undefined) yield* Effect.forkScoped(Certificates.watch(gateway, () => live.settings.tls))
  return {
    port: gateway.port,
    reload,
    /** Returns the counts of this worker. */
    alive: Effect.map(gateway.families, (families) => ({
      families: MetricSum.encode(families),
      lies: Object.fromEntries(current.map(({ lies, name }) => [name, lies?.() ?? []]))
    }))
  }
})

/** The embedded nodes, which run in the supervisor. */
const nodesOf = (supervisor: SupervisorClient, ids: () => WorkerStart["embedded"]): EmbeddedNodes => ({
  beacon: () => undefined,
  get: (name: EmbeddedNetwork) =>
    Effect.sync(() => {
      const chainId = ids()[name] ?? 0
      return {
        upstream: {
          call: (method, params) =>
            supervisor.ask<"node", ErrorObject | UpstreamError>("node", { name, method, params })
        },
        chainId,
        methods: name === "starknet-pool" ? StarknetPool.group : EthMethods.group,
        ...(name === "starknet-pool" ? {} : { hardforks: EmbeddedForks.of(name, chainId) })
      }
    })
})
