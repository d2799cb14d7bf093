/**
 * The service as one layer: listens when it is built, drains when its scope closes.
 *
 * @since 0.1.0
 */
import type { AddressInfo } from "node:net"

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

import { AccessPolicy } from "./AccessPolicy.ts"
import { ApiKeys } from "./ApiKeys.ts"
import { GatewayError } from "./GatewayError.ts"
import * as GatewayOptions from "./GatewayOptions.ts"
import * as HttpServer from "./internal/httpServer.ts"
import * as WebSockets from "./internal/webSockets.ts"
import * as Pipeline from "./Pipeline.ts"
import * as Routing from "./Routing.ts"

/**
 * A gateway that listens. The key follows the URLs: `${url}/v3/${key}`, `${wsUrl}/ws/v3/${key}`.
 *
 * @since 0.1.0
 */
export class Gateway extends Context.Service<
  Gateway,
  {
    /** Where it listens: the host as configured. */
    readonly host: string
    /** The port; the one that was free, if 0 was configured. */
    readonly port: number
    /** `http://host:port` */
    readonly url: string
    /** `ws://host:port` */
    readonly wsUrl: string
  }
>()("@plumbline/gateway/Gateway") {}

/**
 * A gateway over the projects of `ApiKeys`, for those whom the `AccessPolicy` lets in.
 *
 * When its scope closes it stops listening, lets requests and messages in flight finish within `timeouts.drain`,
 * closes WebSockets with 1001, and gives up what is left. Connections that are still used are told `connection: close`.
 *
 * @since 0.1.0
 */
export const layer = (options: GatewayOptions.GatewayOptions): Layer.Layer<Gateway, GatewayError, ApiKeys> =>
  Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const settings = yield* Effect.fromResult(GatewayOptions.resolve(options))
      const route = yield* Effect.fromResult(Routing.make(options.networks, options.defaultNetwork))
      const keys = yield* ApiKeys
      const policy = yield* AccessPolicy
      const context = yield* Effect.context()
      const fork: HttpServer.Fork = Effect.runForkWith(context)
      const pipeline = Pipeline.make({ keys, policy, networks: options.networks, route, settings })
      const http = HttpServer.make({ pipeline, settings, fork })
      const webSockets = WebSockets.make({
        server: http.server,
        isDraining: http.isDraining,
        pipeline,
        settings,
        fork
      })
      yield* Effect.acquireRelease(listen(http, settings), () => close(http, webSockets, settings))
      yield* Effect.forkScoped(webSockets.heartbeat)
      const { port } = http.server.address() as AddressInfo
      const authority = `${settings.host.includes(":") ? `[${settings.host}]` : settings.host}:${port}`
      return { host: settings.host, port, url: `http://${authority}`, wsUrl: `ws://${authority}` }
    })
  )

// Private: the beginning and the end.

const listen = (
  { server }: HttpServer.HttpServer,
  { host, port }: GatewayOptions.Settings
): Effect.Effect<void, GatewayError> =>
  Effect.callback((resume) => {
    const onError = (error: NodeJS.ErrnoException) =>
      resume(
        Effect.fail(new GatewayError({ reason: { _tag: "CannotListen", host, port, code: error.code ?? "UNKNOWN" } }))
      )
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      resume(Effect.void)
    })
  })

const close = Effect.fnUntraced(function* (
  http: HttpServer.HttpServer,
  { connections }: WebSockets.WebSockets,
  settings: GatewayOptions.Settings
) {
  const { inFlight, server } = http
  http.startDraining()
  // Node closes idle connections now and each other one behind its answer.
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  http.closeUnused()
  for (const connection of connections) connection.drain()
  const finished = Effect.all([inFlight.idle, connections.idle, Effect.promise(() => closed.promise)], {
    concurrency: "unbounded",
    discard: true
  })
  // Finalizers cannot be interrupted; these two waits must be, whichever ends first.
  yield* Effect.raceFirst(Effect.interruptible(finished), Effect.interruptible(Effect.sleep(settings.timeouts.drain)))
  for (const exchange of inFlight) exchange.giveUp()
  for (const connection of connections) connection.giveUp()
  // The fibers given up answer 503 on their way out.
  yield* Effect.yieldNow
  http.closeAll()
  yield* Effect.promise(() => closed.promise)
})
