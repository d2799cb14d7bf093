/**
 * The service as one layer. It listens when the layer is built, and drains when the scope closes.
 */
import type { AddressInfo } from "node:net"

import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Semaphore from "effect/Semaphore"

import { Accounts } from "./accounts/Accounts.ts"
import { GatewayError } from "./errors/GatewayError.ts"
import { drain } from "./gracefulShutdown.ts"
import * as HttpListener from "./http/httpListener.ts"
import type { SpawnFiber } from "./http/requestFibers.ts"
import * as Tls from "./http/Tls.ts"
import * as Limiter from "./limits/Limiter.ts"
import * as Metering from "./metering/Metering.ts"
import type { MetricFamily } from "./meters/MetricFamily.ts"
import { ServiceMeters } from "./meters/serviceMeters.ts"
import * as Routing from "./networks/Routing.ts"
import * as Exposition from "./observe/exposition.ts"
import * as HealthPaths from "./observe/healthPaths.ts"
import * as LoopLag from "./observe/loopLag.ts"
import * as MetricSum from "./observe/MetricSum.ts"
import * as ServiceMetrics from "./observe/serviceMetrics.ts"
import { AccessPolicy } from "./pipeline/AccessPolicy.ts"
import { EventSettlement, FLUSH } from "./pipeline/eventSettlement.ts"
import * as Exchanges from "./pipeline/exchanges.ts"
import type { GatewayProducts } from "./pipeline/GatewayProduct.ts"
import * as NetworkAnchors from "./pipeline/networkAnchors.ts"
import * as NetworkHeads from "./pipeline/networkHeads.ts"
import * as OperatorCalls from "./pipeline/operatorCalls.ts"
import * as Pipeline from "./pipeline/Pipeline.ts"
import * as Products from "./pipeline/products.ts"
import * as RuntimeConfig from "./pipeline/runtimeConfig.ts"
import * as ServiceStatus from "./pipeline/serviceStatus.ts"
import type { Serving } from "./pipeline/serving.ts"
import { StepScheduler } from "./pipeline/stepScheduler.ts"
import * as HttpCalls from "./rpc/httpCalls.ts"
import * as WebSockets from "./rpc/webSockets.ts"
import * as GatewayOptions from "./settings/GatewayOptions.ts"

export { GatewayError } from "./errors/GatewayError.ts"
export type { NetworkAnchor } from "./pipeline/networkAnchors.ts"
export type { NetworkHead } from "./pipeline/networkHeads.ts"
export type { NetworkDetails, ServiceStatus } from "./pipeline/serviceStatus.ts"

/**
 * A running gateway. API keys follow the URLs: `${url}/v3/${key}`, `${wsUrl}/ws/v3/${key}`.
 */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** The host from the options. */
    readonly host: string
    /** The port of the listener. If the options say 0, the system chose this port. */
    readonly port: number
    /** `http://host:port`, or `https://host:port` with a certificate. */
    readonly url: string
    /** `ws://host:port`, or `wss://host:port`. */
    readonly wsUrl: string
    readonly status: Effect.Effect<ServiceStatus.ServiceStatus>
    /** Returns the metrics of this process as data, for a process that adds them up. */
    readonly families: Effect.Effect<ReadonlyArray<MetricFamily>>
    /**
     * Returns the metrics in the text format of Prometheus, with those of `workers`. `Metrics` serves them. They hold no key, address or text of
     * a caller.
     */
    readonly metrics: Effect.Effect<string>
    /**
     * Returns the number of requests that were refused with 401 since the service started, because they had no valid key,
     * secret or token, with those of `workers`. They belong to no project, so no usage has them.
     */
    readonly unauthorized: Effect.Effect<UnauthorizedRequests>
    /**
     * Returns the networks with their hosts, nodes, latest blocks and anchors, for operators. An anchor is the block
     * that proofs end at. Each network is asked for its blocks at most once a second.
     */
    readonly networks: Effect.Effect<ReadonlyArray<ServiceStatus.NetworkDetails>>
    /**
     * Answers a packet of JSON-RPC calls to a network. Only methods that change nothing on the chain are answered.
     * Returns undefined if there is no such network. Operators use this: the calls belong to no project, and are
     * neither limited nor metered.
     */
    readonly read: (network: string, packet: Uint8Array) => Effect.Effect<Uint8Array | undefined>
    /**
     * Replaces the options without dropping a connection. Host and port cannot change. Invalid options change nothing.
     *
     * Requests and messages that arrive after this call follow the new options, even on WebSockets that were already
     * open. The effect ends when all work that began earlier has ended, or after `timeouts.drain`. Afterwards the
     * operator can close nodes that only the old options use.
     */
    readonly reload: (options: GatewayOptions.GatewayOptions & GatewayProducts) => Effect.Effect<void, GatewayError>
    /** Uses another certificate for new connections. An unusable certificate changes nothing. */
    readonly renew: (tls: Tls.Tls) => Effect.Effect<void, GatewayError>
  }
>()("@plumbline/gateway/Gateway") {}

/** The number of requests without a valid key, secret or token since a time, in milliseconds since the epoch. */
export interface UnauthorizedRequests {
  readonly count: number
  readonly since: number
}

/**
 * Builds a gateway for the projects of `Accounts`. It admits the callers that the `AccessPolicy` admits, enforces their
 * limits and meters their calls.
 *
 * When the layer's scope closes, the gateway drains:
 *
 * 1. For `timeouts.grace` it still answers everything, but readiness (`/readyz`) returns 503 and each answer says
 *    `connection: close`.
 * 2. It stops listening and closes idle connections.
 * 3. For up to `timeouts.drain` it lets requests and messages in flight finish. Then it closes WebSockets with code
 *    1001 and gives up the remaining work.
 *
 * Every request that was read is answered.
 */
export const layer = (
  options: GatewayOptions.GatewayOptions & GatewayProducts
): Layer.Layer<Gateway, GatewayError, Accounts | Limiter.Limiter | Metering.Metering> =>
  Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const states: RuntimeConfig.RuntimeConfig["states"] = new WeakMap()
      const first = yield* Effect.fromResult(configOf(options, states))
      const live: RuntimeConfig.CurrentConfig = { current: first.config }
      let { products } = first
      const accounts = yield* Accounts
      const limiter = yield* Limiter.Limiter
      const metering = yield* Metering.Metering
      const policy = yield* AccessPolicy
      const context = yield* Effect.context()
      const fork: SpawnFiber = Effect.runForkWith(context)
      const status = Effect.gen(function* () {
        const { current } = live
        const store = accounts.state()
        return ServiceStatus.of(current, { store }, limiter.state(), yield* metering.status, yield* products.health)
      })
      const heads = NetworkHeads.make(states)
      const anchors = NetworkAnchors.make()
      const turns = new StepScheduler()
      const meters = new ServiceMeters()
      const pipeline = Pipeline.make({ accounts, limiter, metering, policy, live, turns, meters })
      const listener = HttpListener.make(() => live.current.settings, fork, meters)
      const { budget, inFlight, isDraining } = listener
      const exchanges = Exchanges.make(pipeline, fork)
      const serving: Serving = { pipeline, exchanges, live, budget, turns, inFlight, fork, isDraining }
      const calls = HttpCalls.make(serving)
      const health = HealthPaths.make({
        status,
        detailed: (status) => ServiceStatus.withAnchors(ServiceStatus.withLies(status, live), live, anchors),
        isDraining,
        fork
      })
      // A path belongs to one route, so the order only decides speed: the most used route comes first.
      const serve = () => listener.serve([calls, ...products.routes(serving), health])
      serve()
      const events = new EventSettlement(yield* Clock.Clock, limiter, metering, meters)
      const webSockets = WebSockets.make({ listener, pipeline, live, fork, events, turns })
      const { host, port } = live.current.settings
      const loopLag = yield* LoopLag.measure
      const families = Effect.gen(function* () {
        const others = yield* live.current.settings.families
        return [...ServiceMetrics.of(meters, yield* status, levelsOf(listener, webSockets, loopLag)), ...others]
      })
      /** The families of this process and of its workers. */
      const all = Effect.gen(function* () {
        const { workers } = live.current.settings
        const own = yield* families
        return workers === undefined ? own : MetricSum.of([own, ...(yield* workers.families)])
      })
      const since = yield* Clock.currentTimeMillis
      // These fibers keep running while the service drains. They end after the drain.
      yield* Effect.forkScoped(webSockets.heartbeat)
      yield* Effect.forkScoped(webSockets.watch)
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(FLUSH), events.flush)))
      yield* Effect.acquireRelease(HttpListener.open(listener, live.current.settings), () =>
        drain({ listener, webSockets, pipeline, live, events })
      )
      const taken = portOf(listener)
      const reloading = yield* Semaphore.make(1)
      return {
        host,
        port: taken,
        ...urlsOf(host, taken, live.current.settings.tls === undefined ? "" : "s"),
        status,
        families,
        metrics: Effect.map(all, Exposition.text),
        unauthorized: Effect.map(all, (families) => ({ count: ServiceMetrics.unauthorizedOf(families), since })),
        networks: Effect.suspend(() => ServiceStatus.details(live, heads, anchors)),
        renew: (tls) =>
          Effect.suspend(() => {
            const checked = Tls.check(tls)
            if (Result.isFailure(checked)) return Effect.fail(badOption("tls", checked.failure.problem))
            if (live.current.settings.tls === undefined) return fixed("tls")
            listener.renew(checked.success)
            return Effect.void
          }),
        read: OperatorCalls.make(live),
        reload: (options) =>
          Effect.gen(function* () {
            const next = yield* Effect.fromResult(configOf(options, states))
            if (options.host !== undefined && options.host !== host) return yield* fixed("host")
            if (options.port !== undefined && options.port !== port && options.port !== taken) {
              return yield* fixed("port")
            }
            if ((next.config.settings.tls === undefined) !== (live.current.settings.tls === undefined)) {
              return yield* fixed("tls")
            }
            const before = live.current
            live.current = next.config
            products = next.products
            serve()
            listener.configure()
            yield* Effect.timeoutOption(before.users.idle, Duration.millis(before.settings.timeouts.drain))
          }).pipe(reloading.withPermits(1))
      }
    })
  )

/** Returns the port of the server; zero for a socket of a file. */
const portOf = ({ server }: HttpListener.HttpListener): number => {
  const address = server.address() as AddressInfo | string
  return typeof address === "string" ? 0 : address.port
}

const urlsOf = (host: string, port: number, secure: "" | "s") => {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`
  return { url: `http${secure}://${authority}`, wsUrl: `ws${secure}://${authority}` }
}

const levelsOf = (
  listener: HttpListener.HttpListener,
  { connections }: WebSockets.WebSockets,
  loopLag: ServiceMetrics.ServiceLevels["loopLag"]
): ServiceMetrics.ServiceLevels => ({
  requests: listener.inFlight.size,
  connections: listener.connections.size,
  bufferedBytes: listener.budget.used,
  webSockets: connections.size,
  subscriptions: [...connections].reduce((sum, { subscriptions }) => sum + subscriptions, 0),
  isDraining: listener.isDraining(),
  loopLag,
  certificateEnds: listener.certificate()?.ends
})

// Private: the configuration.

/** A configuration, and the products that the same options describe. */
interface Configured {
  readonly config: RuntimeConfig.RuntimeConfig
  readonly products: Products.Products
}

const configOf = (
  options: GatewayOptions.GatewayOptions & GatewayProducts,
  states: RuntimeConfig.RuntimeConfig["states"]
): Result.Result<Configured, GatewayError> =>
  Result.gen(function* () {
    const settings = yield* GatewayOptions.resolve(options)
    const products = yield* Products.make(options)
    const route = yield* Routing.make(options.networks, options.defaultNetwork)
    return { config: RuntimeConfig.make(options.networks, route, settings, states), products }
  })

const fixed = (option: string): Effect.Effect<never, GatewayError> =>
  Effect.fail(badOption(option, "cannot change while the service runs"))

const badOption = (option: string, problem: string): GatewayError =>
  new GatewayError({ reason: { _tag: "BadOption", option, problem } })
