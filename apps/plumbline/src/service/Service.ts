/**
 * The service: networks, an IPFS node, the state, the admin API, and the gateway in front.
 *
 * Only `up` loads this module, so that the reading commands start without it.
 */

import * as UsageAlerts from "@plumbline/gateway-admin/alerts/UsageAlerts"
import * as AdminServer from "@plumbline/gateway-admin/api/AdminServer"
import * as AdminToken from "@plumbline/gateway-admin/api/AdminToken"
import * as GatewayMetrics from "@plumbline/gateway-admin/api/Metrics"
import * as BillingCards from "@plumbline/gateway-admin/cards/BillingCards"
import * as BillingEvents from "@plumbline/gateway-admin/cards/BillingEvents"
import * as UsageWebhooks from "@plumbline/gateway-admin/webhooks/UsageWebhooks"
import * as Accounts from "@plumbline/gateway/accounts/Accounts"
import type { VerifiedCache } from "@plumbline/gateway/cache/VerifiedCache"
import type { GatewayError } from "@plumbline/gateway/errors/GatewayError"
import { SettingError } from "@plumbline/gateway/errors/SettingError"
import * as Gateway from "@plumbline/gateway/Gateway"
import type { Tls } from "@plumbline/gateway/http/Tls"
import * as CallQueue from "@plumbline/gateway/integrity/CallQueue"
import * as LieCounts from "@plumbline/gateway/networks/LieCounts"
import type { Network } from "@plumbline/gateway/networks/Network"
import * as AccessPolicy from "@plumbline/gateway/pipeline/AccessPolicy"
import type { GatewayProducts } from "@plumbline/gateway/pipeline/GatewayProduct"
import type { GatewayOptions } from "@plumbline/gateway/settings/GatewayOptions"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"

import { ConfigError } from "../config/Configuration.ts"
import { USUAL_PORT } from "../config/ServerSection.ts"
import { limitsOfNewProjects, type ServiceSettings } from "../config/ServiceSettings.ts"
import { receivers } from "../config/WebhooksSection.ts"
import * as ConsoleMount from "../console/ConsoleMount.ts"
import * as OpenConsole from "../console/OpenConsole.ts"
import { dataError } from "../files/DataError.ts"
import * as FolderSwap from "../files/FolderSwap.ts"
import * as ServiceFile from "../home/ServiceFile.ts"
import * as Supervisor from "../workers/Supervisor.ts"
import * as WorkerSettings from "../workers/WorkerSettings.ts"
import * as AnswerCache from "./AnswerCache.ts"
import * as BeaconService from "./BeaconService.ts"
import * as BeaconStandIn from "./BeaconStandIn.ts"
import * as CallThreads from "./CallThreads.ts"
import * as Certificates from "./Certificates.ts"
import * as ConsoleSource from "./ConsoleSource.ts"
import * as Credentials from "./Credentials.ts"
import * as EmbeddedLies from "./EmbeddedLies.ts"
import * as EmbeddedNodes from "./EmbeddedNodes.ts"
import { AlreadyRunningError } from "./FolderLock.ts"
import * as FolderLock from "./FolderLock.ts"
import * as IpfsService from "./IpfsService.ts"
import * as NetworkTrusts from "./NetworkTrusts.ts"
import * as OtlpTracing from "./OtlpTracing.ts"
import * as Reloading from "./Reloading.ts"
import * as ServiceNetworks from "./ServiceNetworks.ts"
import * as ServiceOptions from "./ServiceOptions.ts"
import * as SettingChanges from "./SettingChanges.ts"
import * as SidePorts from "./SidePorts.ts"
import * as StateLayers from "./StateLayers.ts"
import * as TakenPort from "./TakenPort.ts"

/** Time between two looks at the number of changes of the accounts, for the record of the folder. */
const REMEMBER = "2 seconds"

export interface StartOptions<E> {
  readonly settings: ServiceSettings
  /** The configuration file as an absolute path, which workers read too; undefined if there is none. */
  readonly file: string | undefined
  /** The data folder; undefined if the state is shared, because then there is no folder. */
  readonly folder: string | undefined
  /** Reads the settings again. */
  readonly again: Effect.Effect<ServiceSettings, E>
  /** Called before each step, with its name. */
  readonly progress: (step: string) => Effect.Effect<void>
}

/** A running service, with its URLs, key, settings and networks. */
export interface RunningService {
  readonly url: string
  readonly wsUrl: string
  /** The address of the admin API: that of the service, unless the admin API has a port of its own. */
  readonly adminUrl: string
  readonly consoleUrl: string
  /** Null if the service has no IPFS. */
  readonly ipfsUrl: string | null
  /** The key of the folder; undefined without a folder. */
  readonly key: { readonly apiKey: string; readonly apiKeySecret: string } | undefined
  /** The token that the service created for the folder; undefined if the configuration has one. */
  readonly adminToken: string | undefined
  /** The URL of the metrics that need no token; null if no port is configured for them. */
  readonly metricsUrl: string | null
  readonly settings: ServiceSettings
  readonly networks: ReadonlyArray<Required<ServiceFile.Network>>
  /** Null without a live chain, or without a folder. */
  readonly beacon: ServiceFile.Beacon | null
}

/**
 * Starts the service. Closing the scope stops the service in the reverse order: the record is cleared, the gateway
 * drained, the live chain stopped, the IPFS node closed. The history chain and the pool exist only in the memory of
 * this process.
 */
export const start = Effect.fnUntraced(function* <E>({ file, folder, progress, ...options }: StartOptions<E>) {
  const { workers } = options.settings.server
  const settings = WorkerSettings.shareOf(options.settings, workers)
  const again = Effect.flatMap(options.again, (settings) => WorkerSettings.shareOfChanged(settings, workers))
  if (folder !== undefined) yield* prepareFolder(folder)
  const { host, port: wanted } = settings.server
  if (wanted !== undefined) yield* (workers === 1 ? TakenPort.refuse : TakenPort.hold)(host, wanted)
  const live = Reloading.liveOf(settings)
  const state = yield* StateLayers.open(settings, folder ?? "", () => limitsOfNewProjects(live.settings))
  const loss = folder === undefined ? undefined : yield* Effect.provideContext(Credentials.lossOf(folder), state)
  if (loss !== undefined) yield* progress(`warning: ${loss}`)
  const record =
    folder === undefined
      ? undefined
      : yield* Effect.provideContext(Credentials.ensure(folder, settings.admin.token), state)

  const judged = Context.add(state, AccessPolicy.AccessPolicy, {
    check: (holder, product) => live.policy.check(holder, product)
  })
  const admin = yield* Effect.provideContext(adminOf(settings, record?.adminToken), judged)
  if (settings.ipfs.node._tag !== "None") yield* progress("opening the IPFS node ...")
  const path = yield* Path.Path
  const ipfs = yield* Effect.provideContext(
    IpfsService.open(settings.ipfs, folder === undefined ? undefined : path.join(folder, "ipfs")),
    state
  )

  const archives = yield* Effect.provideContext(BeaconService.open(settings.beacon, folder), state)

  const supervisor = workers === 1 ? undefined : yield* Supervisor.make(workers)
  yield* progress("starting the chains ...")
  const embedded = yield* EmbeddedNodes.make
  const lies = yield* EmbeddedLies.make
  const cache = yield* AnswerCache.cache(settings, { folder, token: record?.adminToken, state })
  let answers: VerifiedCache | undefined
  const networks = yield* ServiceNetworks.make(embedded, {
    trustOf: yield* NetworkTrusts.make(embedded, folder, {
      shared: settings.state._tag === "Shared" ? Context.get(state, SqlClient.SqlClient) : undefined,
      onLight: supervisor?.onLight
    }),
    cache: Effect.tap(cache, (opened) =>
      Effect.sync(() => {
        answers = opened
      })
    ),
    lies,
    calls: {
      threads: yield* CallThreads.make(settings.calls),
      queue: yield* Effect.fromResult(CallQueue.make(settings.calls))
    }
  })
  const first = yield* networks.prepare(settings.networks)
  // there are no earlier networks to close
  yield* yield* first.commit

  yield* progress("starting the gateway ...")
  const { metrics } = admin
  const metricsUrl = yield* SidePorts.listenForMetrics(metrics, settings.observability.metrics)
  const tracing = yield* OtlpTracing.make(settings.observability.traces)
  let current = first.networks
  let own: ConsoleMount.ConsoleOwn | undefined
  let listening: string | undefined
  const run = Effect.runPromiseWith(yield* Effect.context())
  let reading: Gateway.Gateway["Service"]["read"] = () => Effect.undefined
  const lieCounts = (network: string) => {
    const own = current.find(({ name }) => name === network)?.lies?.() ?? []
    return LieCounts.sum([...own, ...(supervisor?.front.workers?.lies(network) ?? [])])
  }
  const forPage = { settings: () => live.settings, lies, own: () => own, told: lieCounts }
  const page = ConsoleMount.make(
    ConsoleSource.make({
      ...forPage,
      networks: () => current,
      embedded,
      read: (network, packet, signal) => run(reading(network, packet), { signal }),
      hasIpfs: ipfs !== undefined,
      service: () => (adminPort === undefined ? undefined : listening)
    })
  )
  const beacon = BeaconStandIn.mount(embedded, () => ConsoleSource.isAlone(live.settings.server))
  const forOperators = [admin.mount, page]
  // A page's light client reads the beacon chain at the page's own origin, because other origins may not read it.
  const adminPort = yield* SidePorts.listenForOperators(settings, [...forOperators, beacon])
  const mounts = [
    ...admin.events,
    metrics.mount,
    beacon,
    ...(adminPort === undefined ? forOperators : SidePorts.hints(forOperators, adminPort.url))
  ]
  const consoles = adminPort?.origins ?? []
  const parts = {
    ipfs,
    beacon: archives.product,
    consoles,
    tracing,
    mounts,
    cache: () => answers?.stats(),
    front: supervisor?.front,
    families: Effect.map(Effect.all([admin.families, archives.families]), (all) => all.flat())
  }
  const gatewayOptions = yield* ServiceOptions.make(settings, { ...parts, networks: first.networks })
  const gateway = yield* listen(settings.server.port, gatewayOptions, progress).pipe(Effect.provideContext(judged))
  if (supervisor !== undefined) yield* progress(`starting ${workers} workers ...`)
  const { server } = settings
  const pool = yield* (
    supervisor?.start({
      settings: () => live.settings,
      agreed: SettingChanges.sharedDigests(settings),
      port: server.port ?? (yield* TakenPort.forWorkers(server.host, USUAL_PORT)),
      file,
      folder,
      state,
      embedded,
      module: new URL("./WorkerProcess.ts", import.meta.url),
      networks: () => current
    }) ?? Effect.undefined
  )
  const front = pool === undefined ? gateway : addressOf(settings, pool.port)
  const { port } = front
  listening = front.url
  const adminUrl = adminPort && reachable(adminPort.url)
  const [url, wsUrl] = [reachable(front.url), reachable(front.wsUrl)]
  const running = (networks: ReadonlyArray<Network>) => ({
    url,
    wsUrl,
    ipfsUrl: ipfs === undefined ? null : url,
    networks: networks.map((network) => recordOf(network, { url, wsUrl, port }))
  })
  const told = (settings: ServiceSettings) =>
    folder === undefined ? Effect.succeed(null) : BeaconStandIn.tell(embedded, { folder, settings, url })
  own = record === undefined ? undefined : { url, apiKey: record.apiKey, apiKeySecret: record.apiKeySecret }
  const extent = Effect.provideContext(Accounts.extent, state)
  let written: Accounts.AccountsExtent | undefined
  const write = Effect.fnUntraced(function* (networks: ReadonlyArray<Network>, settings: ServiceSettings) {
    current = networks
    if (folder === undefined || record === undefined) return
    const beacon = yield* told(settings)
    written = yield* extent
    yield* ServiceFile.write(folder, {
      ...record,
      ...running(networks),
      ...(adminUrl === undefined ? {} : { adminUrl }),
      accounts: written,
      beacon,
      pid: process.pid
    })
  })
  const rewrite = Effect.ignore(Effect.suspend(() => write(current, live.settings)))
  if (folder !== undefined) {
    yield* Effect.acquireRelease(write(first.networks, settings), () => clear(folder))
    yield* Effect.forkScoped(Effect.schedule(rewrite, Schedule.spaced(BeaconStandIn.REFRESH)))
    // the record remembers how many changes the store holds, so that a loss is noticed at the next start
    const remember = Effect.ignore(
      Effect.flatMap(extent, ({ changes }) => (changes === written?.changes ? Effect.void : rewrite))
    )
    yield* Effect.forkScoped(Effect.schedule(remember, Schedule.spaced(REMEMBER)))
  }

  const reload = (yield* Reloading.make({ ...parts, live, gateway, networks, again, write })).pipe(
    Effect.tap(supervisor?.reload ?? Effect.void),
    Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  )

  metrics.attach(gateway.metrics)
  reading = gateway.read
  if (settings.tls !== undefined) {
    const renew = (tls: Tls) =>
      Effect.andThen(
        // workers read the files themselves
        pool === undefined ? gateway.renew(tls) : Effect.void,
        Effect.suspend(() => adminPort?.renew(tls) ?? Effect.void)
      )
    yield* Effect.forkScoped(Certificates.watch({ renew }, () => live.settings.tls))
  }
  yield* admin.attach({
    status: gateway.status,
    networks: gateway.networks,
    unauthorized: gateway.unauthorized,
    read: gateway.read,
    liar: ConsoleSource.liar(forPage),
    lies: () => current.flatMap(({ name }) => lieCounts(name).map((lie) => ({ network: name, ...lie }))),
    ipfs: ipfs !== undefined,
    reload: Effect.mapError(reload, settingErrorOf),
    ...(ipfs === undefined ? {} : { collect: ipfs.projects.collect })
  })

  const { networks: shown, ...urls } = running(first.networks)
  const service: RunningService = {
    ...urls,
    adminUrl: adminUrl ?? url,
    consoleUrl: OpenConsole.urlOf(adminUrl ?? url),
    networks: shown,
    beacon: yield* told(settings),
    key: record,
    adminToken: record?.adminToken,
    metricsUrl,
    settings
  }
  return { service, reload }
})

// Private: the parts.

const prepareFolder = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  yield* Effect.mapError(fs.makeDirectory(folder, { recursive: true, mode: 0o700 }), (error) =>
    dataError(folder, "Unwritable", error)
  )
  yield* refuseSecond(folder)
  yield* FolderLock.hold(folder)
  yield* FolderSwap.finish(folder)
})

/**
 * Makes the admin API and the handler of the provider's events. If the state is shared, the configuration has a token:
 * `ConfigRules` checks that.
 */
const adminOf = Effect.fnUntraced(function* ({ admin, billing, webhooks }: ServiceSettings, made: string | undefined) {
  const token = admin.token ?? Redacted.make(made!)
  const tokens = [yield* Effect.fromResult(AdminToken.make("operator", token))]
  const { allowedOrigins, oidc, sessionLifetime } = admin
  const context = yield* Layer.build(
    AdminServer.layer({ tokens, allowedOrigins, oidc, sessionLifetime }).pipe(
      Layer.provideMerge(BillingCards.layer({ webhookSecret: billing.webhookSecret })),
      Layer.provideMerge(UsageWebhooks.layer(receivers(webhooks))),
      Layer.provideMerge(UsageAlerts.layer())
    )
  )
  const { attach, mount } = Context.get(context, AdminServer.AdminServer)
  const events = billing.webhookSecret === undefined ? [] : [yield* Effect.provideContext(BillingEvents.mount, context)]
  const metrics = yield* GatewayMetrics.make({ tokens })
  const { families } = Context.get(context, UsageWebhooks.UsageWebhooks)
  return { attach, families, metrics, mount, events }
})

/**
 * Makes the record of a network. Its host is its name followed by `.localhost`, which every resolver that follows RFC
 * 6761 resolves to this machine.
 */
const recordOf = (
  { chainId, hosts, name }: Network,
  { port, url, wsUrl }: { readonly port: number; readonly url: string; readonly wsUrl: string }
): Required<ServiceFile.Network> => ({
  name,
  host: `${hosts[0] ?? "localhost"}:${port}`,
  chainId,
  url: `${url}/${name}`,
  wsUrl: `${wsUrl}/${name}`
})

/** Returns the address at which workers listen. */
const addressOf = ({ server: { host }, tls }: ServiceSettings, port: number) => {
  const [secure, authority] = [tls === undefined ? "" : "s", `${host.includes(":") ? `[${host}]` : host}:${port}`]
  return { port, url: `http${secure}://${authority}`, wsUrl: `ws${secure}://${authority}` }
}

/**
 * Returns a URL that reaches the service. If the service listens on every address, the URL has the loopback address.
 */
const reachable = (url: string): string => url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

const listen = Effect.fnUntraced(function* (
  port: number | undefined,
  options: GatewayOptions & GatewayProducts,
  progress: (step: string) => Effect.Effect<void>
) {
  const on = (port: number) =>
    Effect.map(Layer.build(Gateway.layer({ ...options, port })), (context) => Context.get(context, Gateway.Gateway))
  return yield* on(port ?? USUAL_PORT).pipe(
    Effect.catchIf(
      (error) => port === undefined && isBusy(error),
      () => Effect.andThen(progress(`port ${USUAL_PORT} is busy: choosing a free port ...`), on(0))
    )
  )
})

const isBusy = ({ reason }: GatewayError): boolean => reason._tag === "CannotListen" && reason.code === "EADDRINUSE"

/** Returns the first mistake, for the admin API. */
const settingErrorOf = (error: unknown): SettingError => {
  if (error instanceof SettingError) return error
  const [mistake] = error instanceof ConfigError ? error.mistakes : []
  return new SettingError({
    setting: mistake === undefined || mistake.path === "" ? "configuration" : mistake.path,
    problem: mistake?.problem ?? (error instanceof Error ? error.message : "it cannot be read")
  })
}

/** Fails if a service of an earlier version runs, because that version has no lock. */
const refuseSecond = Effect.fnUntraced(function* (folder: string) {
  const first = yield* ServiceFile.running(folder).pipe(
    Effect.catchTag("NoServiceError", () => Effect.succeed(undefined))
  )
  if (first === undefined || !(yield* answers(first.url))) return
  return yield* new AlreadyRunningError({ folder, url: first.url, pid: first.pid })
})

/** True if a service answers `/health` at this URL. Another program at the port is not a service. */
const answers = (url: string): Effect.Effect<boolean> =>
  Effect.tryPromise(async (signal) => {
    const response = await fetch(`${url}/health`, { signal, redirect: "manual" })
    const health: unknown = await response.json()
    return typeof health === "object" && health !== null && "status" in health && "networks" in health
  }).pipe(
    // the service itself may wait two seconds for a parent chain
    Effect.timeout("5 seconds"),
    Effect.orElseSucceed(() => false)
  )

/** Clears the fields about the running process in the record, unless another service has taken over the folder. */
const clear = (folder: string) =>
  Effect.ignore(
    Effect.flatMap(ServiceFile.read(folder), (record) =>
      record?.pid === process.pid ? ServiceFile.write(folder, ServiceFile.stopped(record)) : Effect.void
    )
  )
