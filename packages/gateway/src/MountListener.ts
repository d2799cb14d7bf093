/**
 * A listener of its own for mounts, such as the admin API on a port that only operators reach. It has the limits, the
 * timeouts and the certificate of a gateway's listener, and answers 404 outside of its mounts.
 */
import type { AddressInfo } from "node:net"

import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"

import { GatewayError } from "./errors/GatewayError.ts"
import * as HttpListener from "./http/httpListener.ts"
import * as Tls from "./http/Tls.ts"
import * as GatewayOptions from "./settings/GatewayOptions.ts"

/**
 * An open listener.
 */
export interface MountListener {
  /** The port; 0 for a Unix socket. */
  readonly port: number
  /** Sets the certificate of new connections. The listener must have been opened with one. */
  readonly renew: (tls: Tls.Tls) => Effect.Effect<void, GatewayError>
}

/**
 * Opens the listener until the scope closes. Requests in flight then have `timeouts.drain` to end.
 */
export const listen = Effect.fnUntraced(function* (
  options: Omit<GatewayOptions.GatewayOptions, "networks">
): Effect.fn.Return<MountListener, GatewayError, Scope.Scope> {
  const settings = yield* Effect.fromResult(GatewayOptions.resolve({ ...options, networks: [] }))
  const listener = HttpListener.make(() => settings, Effect.runForkWith(yield* Effect.context()))
  yield* Effect.acquireRelease(HttpListener.open(listener, settings), () => drain(listener, settings.timeouts.drain))
  return {
    port: settings.socketPath === undefined ? (listener.server.address() as AddressInfo).port : 0,
    renew: (tls) =>
      Effect.map(Effect.fromResult(Result.mapError(Tls.check(tls), badTls)), (checked) => listener.renew(checked))
  }
})

const badTls = ({ problem }: Tls.TlsProblem): GatewayError =>
  new GatewayError({ reason: { _tag: "BadOption", option: "tls", problem } })

const drain = Effect.fnUntraced(function* (listener: HttpListener.HttpListener, within: number) {
  const { connections } = listener
  listener.startDraining()
  yield* Effect.promise(() => listener.stop())
  const closed = Effect.promise(() => connections.closed)
  yield* Effect.raceFirst(Effect.interruptible(closed), Effect.interruptible(Effect.sleep(within)))
  connections.destroyAll()
  yield* closed
})
